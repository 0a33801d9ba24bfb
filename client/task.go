package client

import (
	"encoding/json"
	"fmt"

	"earshot"
)

// Latest is the cursor that skips all events so far.
const Latest = "latest"

// Result decodes the result of a task: an earshot.Answer, earshot.WebSearch or
// earshot.NewsSearch, depending on its type. For a failed task, it returns a *TaskError.
func Result[T any](record *earshot.TaskRecord) (*T, error) {
	if err := taskError(record); err != nil {
		return nil, err
	}
	return decodeResult[T]("task "+record.Task.ID, record.Task.Status, record.Result)
}

// RequestResult decodes the result of a call or task: an earshot.Answer, earshot.WebSearch
// or earshot.NewsSearch, depending on its provider. For a failed call or task, it returns
// its *Error.
func RequestResult[T any](record *earshot.RequestRecord) (*T, error) {
	if record.Status == earshot.StatusFailed {
		reason, err := decodeError("request "+record.ID, record.Error)
		if err != nil {
			return nil, err
		}
		return nil, reason
	}
	return decodeResult[T]("request "+record.ID, record.Status, record.Result)
}

// taskError returns the error of a failed task, or nil.
func taskError(record *earshot.TaskRecord) error {
	if record.Task.Status != earshot.StatusFailed {
		return nil
	}
	reason, err := decodeError("task "+record.Task.ID, record.Error)
	if err != nil {
		return err
	}
	return &TaskError{TaskID: record.Task.ID, Err: reason}
}

func decodeResult[T any](of string, status earshot.Status, raw json.RawMessage) (*T, error) {
	if raw == nil {
		return nil, fmt.Errorf("%s is %s and has no result", of, status)
	}
	result := new(T)
	if err := json.Unmarshal(raw, result); err != nil {
		return nil, fmt.Errorf("decode the result of %s: %w", of, err)
	}
	return result, nil
}

func decodeError(of string, raw json.RawMessage) (*Error, error) {
	reason := &Error{}
	if err := json.Unmarshal(raw, reason); err != nil {
		return nil, fmt.Errorf("decode the error of %s: %w", of, err)
	}
	return reason, nil
}
