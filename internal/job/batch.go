package job

import (
	"context"
	"time"

	"earshot/internal/account"
	"earshot/internal/purchase"
	"earshot/internal/store"
)

// SubmitBatch is like Submit for the tasks of a batch, and also returns the id of the
// batch. positions are the positions of the tasks in the client's request.
func (r *Runner) SubmitBatch(
	principal *account.Principal, tasks []Task, positions []int, size int, now time.Time, answer func(id string, queued []store.Job, refusals []error) any,
) (id string, queued []store.Job, refusals []error, err error) {
	if r.Draining() {
		return "", nil, nil, errUnavailable(purchase.ErrStopping)
	}
	queued = r.jobs(principal, tasks, now)
	batch := store.Batch{ID: store.NewID(), Organization: principal.OrganizationID, CreatedAt: now, Total: size}
	id, refusals, err = r.Store.SubmitBatch(batch, queued, positions, now, func(ctx context.Context, w *store.Work, id string, refusals []error) error {
		return keepAnswer(ctx, w, principal, func() any { return answer(id, queued, refusals) }, now)
	})
	if err != nil {
		return "", nil, nil, err
	}
	r.Wake()
	return id, queued, refusals, nil
}

// Retry queues a new task for each failed job, as store.Retry does, at current prices. It
// refuses jobs whose request is no longer valid. answer is as for Submit.
func (r *Runner) Retry(principal *account.Principal, failed []*store.Task, now time.Time, answer func([]*store.Retry) any) ([]*store.Retry, error) {
	if r.Draining() {
		return nil, errUnavailable(purchase.ErrStopping)
	}
	all := make([]*store.Retry, len(failed))
	var valid []*store.Retry
	for i, t := range failed {
		all[i] = &store.Retry{Failed: t.ID}
		def, request, err := r.Desk.Decode(&t.Job)
		if err != nil {
			all[i].Refusal = err
			continue
		}
		task := Task{
			ID: store.NewID(), Provider: def, Request: request, Payload: t.Request, Priority: t.Priority, WebhookURL: t.WebhookURL,
		}
		if t.Mode == store.ModeAsync { // a failed call has released its key
			task.IdempotencyKey = t.IdempotencyKey
		}
		all[i].Task = r.jobs(principal, []Task{task}, now)[0]
		valid = append(valid, all[i])
	}
	err := r.Store.Retry(principal.OrganizationID, valid, now, func(ctx context.Context, w *store.Work) error {
		return keepAnswer(ctx, w, principal, func() any { return answer(all) }, now)
	})
	if err != nil {
		return nil, err
	}
	r.Wake()
	return all, nil
}
