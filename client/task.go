package client

import (
	"encoding/json"
	"fmt"

	"earshot"
)

// Result decodes the result of a task: an earshot.Answer, earshot.WebSearch or
// earshot.NewsSearch, by its type. A task that failed gives a *TaskError.
func Result[T any](record *earshot.TaskRecord) (*T, error) {
	if err := taskError(record); err != nil {
		return nil, err
	}
	if record.Result == nil {
		return nil, fmt.Errorf("task %s is %s and has no result", record.Task.ID, record.Task.Status)
	}
	result := new(T)
	if err := json.Unmarshal(record.Result, result); err != nil {
		return nil, fmt.Errorf("decode the result of task %s: %w", record.Task.ID, err)
	}
	return result, nil
}

// taskError is the error of a failed task, and nil for others.
func taskError(record *earshot.TaskRecord) error {
	if record.Task.Status != earshot.StatusFailed {
		return nil
	}
	reason := &Error{}
	if err := json.Unmarshal(record.Error, reason); err != nil {
		return fmt.Errorf("decode the error of task %s: %w", record.Task.ID, err)
	}
	return &TaskError{TaskID: record.Task.ID, Err: reason}
}

// Latest is the cursor after the newest event so far.
const Latest = "latest"

// RequestResult decodes the result of a call or task: an earshot.Answer,
// earshot.WebSearch or earshot.NewsSearch, by its provider. One that failed gives
// its *Error.
func RequestResult[T any](record *earshot.RequestRecord) (*T, error) {
	if record.Status == earshot.StatusFailed {
		reason := &Error{}
		if err := json.Unmarshal(record.Error, reason); err != nil {
			return nil, fmt.Errorf("decode the error of request %s: %w", record.ID, err)
		}
		return nil, reason
	}
	if record.Result == nil {
		return nil, fmt.Errorf("request %s is %s and has no result", record.ID, record.Status)
	}
	result := new(T)
	if err := json.Unmarshal(record.Result, result); err != nil {
		return nil, fmt.Errorf("decode the result of request %s: %w", record.ID, err)
	}
	return result, nil
}
