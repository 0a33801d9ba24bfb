package job

import (
	"time"

	"github.com/google/uuid"

	"earshot/internal/account"
	"earshot/internal/store"
)

// SubmitBatch is Submit for tasks that are a batch; positions are their places in the
// client's request. It returns the batch's id too.
func (r *Runner) SubmitBatch(principal *account.Principal, tasks []Task, positions []int, size int, now time.Time) (id string, queued []store.Job, refusals []error, err error) {
	if r.Draining() {
		return "", nil, nil, errUnavailable(ErrStopping)
	}
	queued = r.jobs(principal, tasks, now)
	batch := store.Batch{ID: uuid.Must(uuid.NewV7()).String(), Organization: principal.OrganizationID, CreatedAt: now, Total: size}
	if id, refusals, err = r.Store.SubmitBatch(batch, queued, positions, now); err != nil {
		return "", nil, nil, err
	}
	r.Wake()
	return id, queued, refusals, nil
}

// Retry queues jobs anew that failed, as store.Retry does. Each is priced anew, and
// what can no longer be asked is refused.
func (r *Runner) Retry(principal *account.Principal, failed []*store.Task, now time.Time) ([]*store.Retry, error) {
	if r.Draining() {
		return nil, errUnavailable(ErrStopping)
	}
	all := make([]*store.Retry, len(failed))
	var sound []*store.Retry
	for i, t := range failed {
		all[i] = &store.Retry{Failed: t.ID}
		def, request, err := r.decode(&t.Job)
		if err != nil {
			all[i].Refusal = err
			continue
		}
		task := Task{
			ID: uuid.Must(uuid.NewV7()).String(), Provider: def, Request: request, Payload: t.Request, Priority: t.Priority, WebhookURL: t.WebhookURL,
		}
		if t.Mode == store.ModeAsync { // a call that failed gave up its key
			task.IdempotencyKey = t.IdempotencyKey
		}
		all[i].Task = r.jobs(principal, []Task{task}, now)[0]
		sound = append(sound, all[i])
	}
	if err := r.Store.Retry(principal.OrganizationID, sound, now); err != nil {
		return nil, err
	}
	r.Wake()
	return all, nil
}
