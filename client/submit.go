package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"

	"earshot"
)

// Submit queues a task. If the response is lost, a task with an idempotency key is submitted
// again, which does not queue it twice; a task without a key is not. If another task has the
// key, Submit fails with CodeAlreadyExists and earshot.DuplicateDetails.
func (c *Client) Submit(ctx context.Context, task earshot.TaskRequest) (*earshot.TaskRecord, error) {
	record := &earshot.TaskRecord{}
	o, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/async/task", body: task, repeat: repeatOf(task)}, record)
	if err == nil {
		return record, nil
	}
	if o.unsure {
		if stored := c.stored(ctx, task, err); stored != nil {
			return stored, nil
		}
	}
	return nil, err
}

// SubmitBatch queues up to 500 independent tasks. The item of a refused task contains its
// error. If every task has an idempotency key, the batch is submitted again when the
// response is lost.
func (c *Client) SubmitBatch(ctx context.Context, tasks []earshot.TaskRequest) (*earshot.Batch, error) {
	batch := &earshot.Batch{}
	o, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/async/task/batch", body: tasks, repeat: repeatOf(tasks...)}, batch)
	if err != nil {
		return nil, err
	}
	if o.unsure {
		c.reconcile(ctx, tasks, batch)
	}
	return batch, nil
}

// repeatOf returns idempotent if all tasks have an idempotency key, otherwise once.
func repeatOf(tasks ...earshot.TaskRequest) repeat {
	if slices.ContainsFunc(tasks, func(t earshot.TaskRequest) bool { return t.IdempotencyKey == "" }) {
		return once
	}
	return idempotent
}

// reconcile marks tasks as queued that were refused as duplicates of an earlier attempt of
// the same batch.
func (c *Client) reconcile(ctx context.Context, tasks []earshot.TaskRequest, batch *earshot.Batch) {
	for i := range batch.Results {
		item := &batch.Results[i]
		if item.Error == nil || item.Index < 0 || item.Index >= len(tasks) {
			continue
		}
		stored := c.stored(ctx, tasks[item.Index], item.Error)
		if stored == nil {
			continue
		}
		*item = earshot.BatchItem{Index: item.Index, Success: true, Task: &stored.Task, Credits: &stored.Credits, Webhook: stored.Webhook}
		batch.Summary.Succeeded++
		batch.Summary.Failed--
	}
}

// stored returns the task that already has the idempotency key, if it equals the submitted
// task: then an earlier attempt has queued it. It returns nil if the tasks differ or the
// stored task cannot be read.
func (c *Client) stored(ctx context.Context, task earshot.TaskRequest, refusal error) *earshot.TaskRecord {
	duplicate, ok := Details[earshot.DuplicateDetails](refusal)
	if !ok {
		return nil
	}
	record, err := c.Task(ctx, duplicate.TaskID)
	if err != nil || !same(task, record) {
		return nil
	}
	return record
}

func same(task earshot.TaskRequest, record *earshot.TaskRecord) bool {
	var wanted, stored earshot.WebhookRequest
	if task.Webhook != nil {
		wanted = *task.Webhook
	}
	if record.Webhook != nil {
		stored.URL = record.Webhook.URL
	}
	payload, err := json.Marshal(task.Payload)
	return err == nil && task.TaskType == record.Task.TaskType && cmp.Or(task.Priority, 1) == record.Task.Priority &&
		wanted == stored && equalJSON(payload, record.Task.Payload)
}

// equalJSON reports whether two JSON texts have the same value, since the service may
// format them differently.
func equalJSON(a, b []byte) bool {
	decode := func(text []byte) (value any, err error) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err = d.Decode(&value)
		return value, err
	}
	left, err := decode(a)
	if err != nil {
		return false
	}
	right, err := decode(b)
	return err == nil && reflect.DeepEqual(left, right)
}
