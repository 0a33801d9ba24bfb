package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"earshot"
)

const taskPath = "/v1/async/task"

// Task polls a task.
func (c *Client) Task(ctx context.Context, id string) (*earshot.TaskRecord, error) {
	return get[earshot.TaskRecord](ctx, c, taskPath+"/"+url.PathEscape(id))
}

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

// Cancel removes a task that is still queued. For one that is running or has ended it
// fails with CodeConflict.
func (c *Client) Cancel(ctx context.Context, id string) error {
	o, err := c.do(ctx, call{method: http.MethodDelete, path: taskPath + "/" + url.PathEscape(id), repeat: idempotent}, &struct{}{})
	if o.unsure && IsCode(err, earshot.CodeNotFound) {
		return nil // the try whose answer was lost has removed it
	}
	return err
}

// QueueStatus returns the state of the queue and the slots.
func (c *Client) QueueStatus(ctx context.Context) (*earshot.QueueStatus, error) {
	return get[earshot.QueueStatus](ctx, c, "/v1/async/status")
}

// ClearQueue removes every queued task and returns how many there were. When the answer
// to a first try was lost, the tasks that it removed are not counted.
func (c *Client) ClearQueue(ctx context.Context) (int, error) {
	cleared, err := exchange[earshot.QueueCleared](ctx, c, call{method: http.MethodDelete, path: "/v1/async/queue", repeat: idempotent})
	if err != nil {
		return 0, err
	}
	return cleared.Cleared, nil
}

// Latest is the cursor after the newest event so far.
const Latest = "latest"

// Events returns tasks in the order in which they ended, after a cursor: that of
// another page, Latest, or "" to begin with the oldest that is stored. limit 0 means the
// default of the service.
func (c *Client) Events(ctx context.Context, cursor string, limit int) (*earshot.EventPage, error) {
	return get[earshot.EventPage](ctx, c, query("/v1/events", earshot.EventQuery{PageQuery: earshot.PageQuery{Cursor: cursor, Limit: limit}}))
}
