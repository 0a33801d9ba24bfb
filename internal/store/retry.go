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

// retryRow records which task replaces a failed job.
type retryRow struct{ organization, job, task string }

var (
	retriesTable = engine.NewTable("retries",
		engine.Field("organization", "uuid", func(r *retryRow) *string { return &r.organization }),
		engine.Field("job", "uuid", func(r *retryRow) *string { return &r.job }),
		engine.Field("task", "uuid", func(r *retryRow) *string { return &r.task }))
	// If the replacing task was removed from the queue, another may take its place.
	insertRetries     = retriesTable.Insert(`ON CONFLICT (organization, job) DO UPDATE SET task = excluded.task`)
	selectRetries     = retriesTable.Select("organization", "job")
	deleteRetries     = retriesTable.Delete("organization", "job")
	replaceBatchTasks = engine.NewStatement(retriesTable.Columns, func(in engine.Input) string {
		return `UPDATE batch_tasks SET job = ` + in.Value("task") + ` ` + in.Where("batch_tasks", "organization", "job")
	})

	// identifiedJobs and identifiedFinished have only the id and status of a job.
	identifiedJobs     = engine.NewTable("jobs", JobsTable.Only("organization", "id", "status")...)
	identifiedFinished = engine.NewTable("finished", identifiedJobs.Columns...)
	selectJobs         = identifiedJobs.Select("organization", "id")
	selectFinished     = identifiedFinished.Select("organization", "id")
)

// Retry is a failed job and the task to queue in its place.
type Retry struct {
	Failed string
	Task   Job
	// The outcome. Before is the id of a task that replaces the job already. Refusal is the
	// reason why nothing was queued. If both are empty, Task was queued.
	Before  string
	Refusal error
}

// Retry queues tasks that replace failed jobs of an organization. Each task takes over the
// idempotency key and the position in the batch. A job that was replaced before is not replaced
// again, unless the replacing task was removed from the queue. If the queue has no room for all
// tasks, Retry queues none and returns CodeQueueLimit. Each of more stores additional rows in the same
// transaction.
func (s *Store) Retry(organization string, retries []*Retry, now time.Time, more ...func(context.Context, *Work) error) error {
	var overflow error
	var keys []string
	for _, r := range retries {
		keys = append(keys, keysOf(r.Task)...)
	}
	queue := Change{Organization: organization, keys: keys, Jobs: len(retries), Apply: func(ctx context.Context, w *Work) (err error) {
		if overflow, err = w.retry(ctx, organization, retries, now); err != nil || overflow != nil {
			return err
		}
		for _, store := range more {
			if err := store(ctx, w); err != nil {
				return err
			}
		}
		return nil
	}}
	err := s.Commit(queue)
	if errors.Is(err, ErrUnknownOutcome) {
		err = s.Commit(queue) // if the first try was committed, its tasks are found as Before
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
		if err := w.readBudgets(ctx, &task); err != nil {
			return nil, err
		}
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

// checkRetry returns the reason why a task cannot replace a failed one, or nil. If it returns
// nil, it has released the idempotency key of the failed task.
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

// addUnstored adds the jobs that writes of this transaction inserted or ended, which are not
// in the tables yet.
func (w *Work) addUnstored(status map[string]earshot.Status) {
	for _, job := range w.inserted {
		status[job.ID] = job.Status
	}
	for _, task := range w.ended {
		status[task.ID] = task.Status
	}
}

// readPlaces sets Before and Refusal of each retry.
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
	// Tasks move only from jobs to finished, and not while the organization is locked.
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
