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

// taskError is why a task failed, and nil when it did not.
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

// Cancel removes a task that is still queued. One that is running or has ended
// gives CodeConflict.
func (c *Client) Cancel(ctx context.Context, id string) error {
	o, err := c.do(ctx, call{method: http.MethodDelete, path: taskPath + "/" + url.PathEscape(id), repeat: harmless}, &struct{}{})
	if o.unsure && IsCode(err, earshot.CodeNotFound) {
		return nil // the try whose answer was lost has removed it
	}
	return err
}

// QueueStatus tells how the queue and the slots stand.
func (c *Client) QueueStatus(ctx context.Context) (*earshot.QueueStatus, error) {
	return get[earshot.QueueStatus](ctx, c, "/v1/async/status")
}

// ClearQueue removes every queued task and tells how many there were. When an
// answer was lost on the way, those that it would have counted are missing.
func (c *Client) ClearQueue(ctx context.Context) (int, error) {
	cleared, err := ask[earshot.QueueCleared](ctx, c, call{method: http.MethodDelete, path: "/v1/async/queue", repeat: harmless})
	if err != nil {
		return 0, err
	}
	return cleared.Cleared, nil
}

// Latest is the cursor that leaves out every event so far.
const Latest = "latest"

// Events are tasks in the order in which they ended, after a cursor: that of
// another page, Latest, or "" for the oldest that is kept. limit 0 means the
// service's own.
func (c *Client) Events(ctx context.Context, cursor string, limit int) (*earshot.EventPage, error) {
	return get[earshot.EventPage](ctx, c, query("/v1/events", earshot.EventQuery{PageQuery: earshot.PageQuery{Cursor: cursor, Limit: limit}}))
}
