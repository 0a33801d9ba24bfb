package history

import (
	"context"
	"errors"
	"fmt"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// FailedTasks returns the failed tasks of a batch in the order of the input, with their
// webhook URLs, so that they can be queued again.
func (s *Store) FailedTasks(ctx context.Context, organization, batch string) ([]*store.Task, error) {
	batch, err := store.CanonicalID(batch)
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return s.failed(ctx, organization, `
		JOIN batch_tasks t ON t.organization = finished.organization AND t.job = finished.id `+withWebhook+`
		WHERE t.organization = $1 AND t.batch = $2 AND finished.status = 'FAILED' ORDER BY t.position`, batch)
}

// FailedRequest returns a failed call or task with its webhook URL. It returns ErrNotFound.
func (s *Store) FailedRequest(ctx context.Context, organization, id string) (*store.Task, error) {
	task, err := engine.FirstOf(s.failed(ctx, organization, withWebhook+` WHERE finished.organization = $1 AND finished.id = $2 AND finished.status = 'FAILED'`, id))
	return task, engine.Wrap(err, "failed request %s", id)
}

// withWebhook joins the webhook of a job.
const withWebhook = `LEFT JOIN deliveries d ON d.organization = finished.organization AND d.job = finished.id`

// failed returns failed jobs of an organization ($1).
func (s *Store) failed(ctx context.Context, organization, clause string, args ...any) (tasks []*store.Task, err error) {
	from := listedTables[1]
	err = s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		t := new(store.Task)
		tasks = append(tasks, t)
		return r.Scan(append(from.Targets(t), &t.WebhookURL)...)
	}, `SELECT `+from.List+`, d.url FROM finished `+clause, append([]any{organization}, args...)...)
	return tasks, engine.Wrap(err, "find failed jobs")
}

// RetryOf returns the task that replaces a failed job. If that task failed and was replaced
// too, RetryOf returns the newest one. It returns ErrNotFound if there is no such task or if it was
// removed from the queue.
func (s *Store) RetryOf(ctx context.Context, organization, job string) (*store.Task, error) {
	var newest *store.Task
	for {
		id, err := engine.FirstOf(engine.FindValues[string](ctx, s.ShardOf(organization).Lookups, `SELECT task FROM retries WHERE organization = $1 AND job = $2`, organization, job))
		var next *store.Task
		if err == nil {
			next, err = s.Task(ctx, organization, id)
		}
		if newest != nil && errors.Is(err, store.ErrNotFound) {
			return newest, nil
		}
		if err != nil {
			return nil, err
		}
		newest, job = next, id
	}
}
