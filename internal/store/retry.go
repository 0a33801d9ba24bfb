package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/engine"
)

// retryRow tells which task was queued in the place of a job that failed.
type retryRow struct{ organization, job, task string }

var (
	retriesTable = engine.NewTable("retries",
		engine.Field("organization", "uuid", func(r *retryRow) *string { return &r.organization }),
		engine.Field("job", "uuid", func(r *retryRow) *string { return &r.job }),
		engine.Field("task", "uuid", func(r *retryRow) *string { return &r.task }))
	// A task that was removed from the queue may have another in its place.
	insertRetries = retriesTable.Insert(`ON CONFLICT (organization, job) DO UPDATE SET task = excluded.task`)
	selectRetries = engine.NewStatement(retriesTable.Only("organization", "job"), func(in engine.Input) string {
		return `SELECT ` + retriesTable.List + ` FROM retries WHERE ` + in.Matching()
	})
	deleteRetries = engine.NewStatement(retriesTable.Only("organization", "job"), func(in engine.Input) string {
		return `DELETE FROM retries WHERE ` + in.Matching()
	})
	replaceBatchTasks = engine.NewStatement(retriesTable.Columns, func(in engine.Input) string {
		return `UPDATE batch_tasks SET job = ` + in.Value("task") + ` ` + in.Where("batch_tasks", "organization", "job")
	})

	// identified are the columns that tell which job it is and how it stands.
	identifiedJobs     = engine.NewTable("jobs", JobsTable.Only("organization", "id", "status")...)
	identifiedFinished = engine.NewTable("finished", engine.Lift(identifiedJobs.Columns, func(j *Job) *Job { return j })...)
	selectJobs         = engine.NewStatement(identifiedJobs.Only("organization", "id"), func(in engine.Input) string {
		return `SELECT ` + identifiedJobs.List + ` FROM jobs WHERE ` + in.Matching()
	})
	selectFinished = engine.NewStatement(identifiedJobs.Only("organization", "id"), func(in engine.Input) string {
		return `SELECT ` + identifiedFinished.List + ` FROM finished WHERE ` + in.Matching()
	})
)

// FailedTasks are the tasks of a batch that failed, in the order of the input, with
// what is needed to queue them anew: WebhookURL is that of their webhook.
func (s *Store) FailedTasks(ctx context.Context, organization, batch string) ([]*Task, error) {
	batch, err := CanonicalID(batch)
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return s.failed(ctx, organization, `
		JOIN batch_tasks t ON t.organization = finished.organization AND t.job = finished.id `+withWebhook+`
		WHERE t.organization = $1 AND t.batch = $2 AND finished.status = 'FAILED' ORDER BY t.position`, batch)
}

// FailedRequest is a call or task that failed, as FailedTasks gives it. Returns
// ErrNotFound.
func (s *Store) FailedRequest(ctx context.Context, organization, id string) (*Task, error) {
	found, err := s.failed(ctx, organization, withWebhook+` WHERE finished.organization = $1 AND finished.id = $2 AND finished.status = 'FAILED'`, id)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("failed request %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// withWebhook adds the webhook that a job had.
const withWebhook = `LEFT JOIN deliveries d ON d.organization = finished.organization AND d.job = finished.id`

// failed finds failed jobs of an organization, $1.
func (s *Store) failed(ctx context.Context, organization, clause string, args ...any) (tasks []*Task, err error) {
	from := listedTables[1]
	err = s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		t := new(Task)
		tasks = append(tasks, t)
		return r.Scan(append(from.Targets(t), &t.WebhookURL)...)
	}, `SELECT `+from.List+`, d.url FROM finished `+clause, append([]any{organization}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("find failed jobs: %w", err)
	}
	return tasks, nil
}

// RetryOf finds the task that was queued in the place of a failed job, the newest
// where that failed, too. Returns ErrNotFound when there is none, or it was removed
// from the queue.
func (s *Store) RetryOf(ctx context.Context, organization, job string) (*Task, error) {
	var newest *Task
	for {
		id := job
		if newest != nil {
			id = newest.ID
		}
		row, err := engine.FirstRow(ctx, s.ShardOf(organization).Lookups, retriesTable, `WHERE organization = $1 AND job = $2`, organization, id)
		if err == nil {
			var next *Task
			if next, err = s.Task(ctx, organization, row.task); err == nil {
				newest = next
				continue
			}
		}
		if newest != nil && errors.Is(err, ErrNotFound) {
			return newest, nil
		}
		return nil, err
	}
}

// Retry is a failed job and the task that is to be queued in its place.
type Retry struct {
	Failed string
	Task   Job
	// What became of it. Before is the task that has the place already; Refusal says
	// why nothing was queued. Without either, Task was.
	Before  string
	Refusal error
}

// Retry queues tasks in the place of jobs of an organization that failed: each takes
// over the idempotency key and the place in a batch. A job in whose place a task was
// queued already, whoever did it, gets no other, unless that one was removed. When
// the queue has no room for all, err is CodeQueueLimit and none is queued.
func (s *Store) Retry(organization string, retries []*Retry, now time.Time) error {
	var overflow error
	var keys []string
	for _, r := range retries {
		keys = append(keys, keysOf(r.Task)...)
	}
	queue := Change{Organization: organization, keys: keys, Jobs: len(retries), Apply: func(ctx context.Context, w *Work) (err error) {
		overflow, err = w.retry(ctx, organization, retries, now)
		return err
	}}
	err := s.Commit(queue)
	if errors.Is(err, ErrUnknownOutcome) {
		err = s.Commit(queue) // what it queued before is found in its place
	}
	if err != nil {
		return fmt.Errorf("retry: %w", err)
	}
	return overflow
}

func (w *Work) retry(ctx context.Context, organization string, retries []*Retry, now time.Time) (overflow, err error) {
	o, err := w.Organization(organization, now)
	if err != nil {
		return nil, err
	}
	if err := w.readPlaces(ctx, organization, retries); err != nil {
		return nil, err
	}
	open := slices.DeleteFunc(slices.Clone(retries), func(r *Retry) bool { return r.Before != "" || r.Refusal != nil })
	if overflow := checkCapacity(o, len(open), len(open)); overflow != nil {
		return overflow, nil
	}
	var placed []*retryRow
	for _, r := range open {
		task := r.Task
		if r.Refusal = w.checkRetry(o, task, r.Failed); r.Refusal != nil {
			continue
		}
		task.Mode, task.Status = ModeAsync, earshot.StatusQueued
		w.Insert(o, &task)
		placed = append(placed, &retryRow{organization, r.Failed, task.ID})
	}
	if err := engine.Each(ctx, w.Tx, insertRetries, placed, nil); err != nil {
		return nil, err
	}
	return nil, engine.Each(ctx, w.Tx, replaceBatchTasks, placed, nil)
}

// checkRetry returns why a task cannot be queued in the place of a failed one, or takes
// the idempotency key of that one and returns nil.
func (w *Work) checkRetry(o *LockedOrganization, task Job, failed string) error {
	if task.IdempotencyKey == nil {
		return w.checkTask(o, task)
	}
	key := taskKey{o.ID, *task.IdempotencyKey}
	if w.keys[key] != failed {
		return w.checkTask(o, task)
	}
	delete(w.keys, key)
	if refusal := w.checkTask(o, task); refusal != nil {
		w.keys[key] = failed
		return refusal
	}
	w.freed = append(w.freed, &keyedTask{key, failed})
	return nil
}

// addUnstored adds the jobs that writes of the same transaction inserted or ended: the
// tables do not know it yet.
func (w *Work) addUnstored(status map[string]earshot.Status) {
	for _, job := range w.inserted {
		status[job.ID] = job.Status
	}
	for _, task := range w.ended {
		status[task.ID] = task.Status
	}
}

// readPlaces finds out which jobs can have a task in their place.
func (w *Work) readPlaces(ctx context.Context, organization string, retries []*Retry) error {
	var failed []*Job
	var places []*retryRow
	for _, r := range retries {
		failed = append(failed, &Job{Organization: organization, ID: r.Failed})
		places = append(places, &retryRow{organization: organization, job: r.Failed})
	}
	var before []*retryRow
	if err := engine.Each(ctx, w.Tx, selectRetries, places, engine.Collect(retriesTable, &before)); err != nil {
		return err
	}
	taken := map[string]string{}
	var tasks []*Job
	for _, row := range before {
		taken[row.job] = row.task
		tasks = append(tasks, &Job{Organization: organization, ID: row.task})
	}
	// Tasks only move from jobs to finished, and not while the organization is locked.
	var found []*Job
	if err := engine.Each(ctx, w.Tx, selectJobs, tasks, engine.Collect(identifiedJobs, &found)); err != nil {
		return err
	}
	if err := engine.Each(ctx, w.Tx, selectFinished, append(failed, tasks...), engine.Collect(identifiedFinished, &found)); err != nil {
		return err
	}
	status := map[string]earshot.Status{}
	for _, job := range found {
		status[job.ID] = job.Status
	}
	w.addUnstored(status)
	for _, r := range retries {
		r.Before, r.Refusal = "", nil
		if task := taken[r.Failed]; status[task] != "" {
			r.Before = task
		} else if status[r.Failed] != earshot.StatusFailed {
			r.Refusal = fmt.Errorf("job %s: %w", r.Failed, ErrNotFound)
		}
	}
	return nil
}
