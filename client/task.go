package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"earshot"
)

// TaskRequest is a task to be queued. TaskType and Payload are required.
type TaskRequest struct {
	TaskType       string       `json:"taskType"`
	Payload        any          `json:"payload"` // the body of the provider's own call
	Priority       int          `json:"priority,omitempty"`
	IdempotencyKey string       `json:"idempotencyKey,omitempty"`
	Webhook        *TaskWebhook `json:"webhook,omitempty"`
}

// TaskWebhook is where to announce that a task has ended.
type TaskWebhook struct {
	URL string `json:"url"`
}

// Submit queues a task.
func (c *Client) Submit(ctx context.Context, task TaskRequest) (*earshot.TaskRecord, error) {
	return get[earshot.TaskRecord](ctx, c, http.MethodPost, "/v1/async/task", task)
}

// Batch is what became of tasks that were handed in together.
type Batch struct {
	Summary earshot.BatchSummary `json:"summary"`
	Results []earshot.BatchItem  `json:"results"` // in the order of the tasks
}

// SubmitBatch queues up to 500 tasks, each on its own merits.
func (c *Client) SubmitBatch(ctx context.Context, tasks []TaskRequest) (*Batch, error) {
	return get[Batch](ctx, c, http.MethodPost, "/v1/async/task/batch", tasks)
}

// Task polls a task.
func (c *Client) Task(ctx context.Context, id string) (*earshot.TaskRecord, error) {
	return get[earshot.TaskRecord](ctx, c, http.MethodGet, "/v1/async/task/"+url.PathEscape(id), nil)
}

// Cancel removes a task that is still queued.
func (c *Client) Cancel(ctx context.Context, id string) error {
	_, err := get[json.RawMessage](ctx, c, http.MethodDelete, "/v1/async/task/"+url.PathEscape(id), nil)
	return err
}

// QueueStatus tells how the queue and the slots stand.
func (c *Client) QueueStatus(ctx context.Context) (*earshot.QueueStatus, error) {
	return get[earshot.QueueStatus](ctx, c, http.MethodGet, "/v1/async/status", nil)
}

// ClearQueue removes every queued task and tells how many there were.
func (c *Client) ClearQueue(ctx context.Context) (int, error) {
	cleared, err := get[struct {
		Cleared int `json:"cleared"`
	}](ctx, c, http.MethodDelete, "/v1/async/queue", nil)
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
	query := url.Values{}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[earshot.EventPage](ctx, c, http.MethodGet, "/v1/events?"+query.Encode(), nil)
}

// get sends a request and decodes its answer.
func get[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	answer := new(T)
	if _, err := c.do(ctx, method, path, body, answer); err != nil {
		return nil, err
	}
	return answer, nil
}
