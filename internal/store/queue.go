package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// Submit queues tasks of one organization in the given order. refusals has an error for each
// refused task, and nil for the others. If the queue has no room for all accepted tasks, none is
// queued and err is CodeQueueLimit, whose details contain size: the number of tasks that the client
// sent, including invalid ones. No credits are held for queued tasks. Each of more stores additional
// rows in the same transaction.
func (s *Store) Submit(organization string, tasks []Job, size int, now time.Time, more ...func(ctx context.Context, w *Work, refusals []error) error) (refusals []error, err error) {
	var overflow error
	err = s.Commit(Change{Organization: organization, keys: keysOf(tasks...), Jobs: len(tasks), Apply: func(ctx context.Context, w *Work) error {
		o, err := w.Organization(organization, now)
		for i := 0; i < len(tasks) && err == nil; i++ { // usually all of one key
			err = w.readBudgets(ctx, &tasks[i])
		}
		if err != nil {
			return err
		}
		refusals = make([]error, len(tasks))
		var accepted []*Job
		for i, task := range tasks {
			if refusals[i] = w.checkTask(o, task); refusals[i] == nil {
				task.Mode, task.Status = ModeAsync, earshot.StatusQueued
				w.takeKey(&task) // the tasks after it must not use the same key
				accepted = append(accepted, &task)
			}
		}
		if overflow = checkCapacity(o, len(accepted), size); overflow != nil {
			for _, task := range accepted {
				w.leaveKey(task)
			}
			return nil
		}
		for _, task := range accepted {
			w.Insert(o, task)
		}
		for _, store := range more {
			if err := store(ctx, w, refusals); err != nil {
				return err
			}
		}
		return nil
	}})
	if errors.Is(err, ErrUnknownOutcome) && (overflow != nil || s.submitted(organization, tasks, refusals)) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("submit tasks: %w", err)
	}
	return refusals, overflow
}

// checkCapacity returns an error if the queue has no room for a number of tasks of a request
// with size tasks.
func checkCapacity(o *LockedOrganization, tasks, size int) error {
	room := max(0, o.Plan.QueueCapacity-o.Queued)
	if tasks <= room {
		return nil
	}
	return &earshot.Error{
		Code:    earshot.CodeQueueLimit,
		Message: fmt.Sprintf("the queue has room for %d more tasks, and the request would queue %d", room, tasks),
		Details: earshot.QueueDetails{QueuedCount: o.Queued, BatchSize: size, MaxQueueSize: o.Plan.QueueCapacity, RemainingCapacity: room},
	}
}

// checkTask returns the reason why a task cannot be queued, or nil.
func (w *Work) checkTask(o *LockedOrganization, task Job) error {
	if task.IdempotencyKey != nil {
		if job, used := w.keys[taskKey{o.ID, *task.IdempotencyKey}]; used {
			return &earshot.Error{
				Code:    earshot.CodeAlreadyExists,
				Message: "a task with this idempotencyKey exists already",
				Details: earshot.DuplicateDetails{Field: "idempotencyKey", Value: *task.IdempotencyKey, TaskID: job},
			}
		}
	}
	if waits, why := w.checkPaid(o, &task, task.CreatedAt); !waits {
		return why
	}
	return nil
}

// submitted reports whether a submission with unknown outcome was committed: if one of its
// tasks exists, all do.
func (s *Store) submitted(organization string, tasks []Job, refusals []error) bool {
	accepted := slices.Index(refusals, nil)
	if accepted < 0 {
		return false
	}
	// Locking the organization waits until a commit in progress has ended.
	if err := s.ShardOf(organization).CommitTogether(&engine.Write{Organization: organization, Apply: func(context.Context, engine.Unit) error { return nil }}); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), engine.TransactionTime)
	defer cancel()
	_, err := s.Task(ctx, organization, tasks[accepted].ID)
	return err == nil
}

// taskKey is an idempotency key of an organization.
type taskKey struct{ organization, key string }

// keyedTask is an idempotency key and the task or call that has it.
type keyedTask struct {
	taskKey
	job string
}

var (
	keysTable = engine.NewTable("idempotency_keys",
		engine.Field("organization", "uuid", func(k *keyedTask) *string { return &k.organization }),
		engine.TextField("key", func(k *keyedTask) *string { return &k.key }),
		engine.Field("job", "uuid", func(k *keyedTask) *string { return &k.job }))
	insertKeys = keysTable.Insert("")
	selectKeys = keysTable.Select("organization", "key")
	deleteKeys = keysTable.Delete("organization", "key", "job")
)

// takeKey reserves the idempotency key of a job; leaveKey releases it.
func (w *Work) takeKey(job *Job) {
	if job.IdempotencyKey != nil {
		w.keys[taskKey{job.Organization, *job.IdempotencyKey}] = job.ID
	}
}

func (w *Work) leaveKey(job *Job) {
	if job.IdempotencyKey != nil {
		delete(w.keys, taskKey{job.Organization, *job.IdempotencyKey})
	}
}

func (w *Work) storeKeys(ctx context.Context) error {
	var keyed []*keyedTask
	for _, job := range w.inserted {
		if job.IdempotencyKey != nil {
			keyed = append(keyed, &keyedTask{taskKey{job.Organization, *job.IdempotencyKey}, job.ID})
		}
	}
	return engine.Each(ctx, w.Tx, insertKeys, keyed, nil)
}

// NoteAttempt stores the number of attempts of a task, if the node still owns it.
func (s *Store) NoteAttempt(job *Job, attempt int) error {
	_, err := s.ShardOf(job.Organization).Run(`UPDATE jobs SET attempts = $4 WHERE organization = $1 AND id = $2 AND node = $3`, job.Organization, job.ID, job.Node, attempt)
	return engine.Wrap(err, "store the number of attempts")
}

// ClearBatch limits the tasks of a transaction of Clear.
const ClearBatch = 5000

// Clear removes the queued tasks of an organization, releases their idempotency keys, and
// returns their number.
func (s *Store) Clear(organization string, by account.Actor, now time.Time) (cleared int, err error) {
	for {
		n, err := s.drop(organization, Audited{Action: "queue.clear", Subject: organization}, by, now, `id IN (SELECT id FROM jobs WHERE organization = $1 AND status = 'QUEUED' LIMIT $2)`, ClearBatch)
		if err != nil {
			return cleared, fmt.Errorf("clear the queue: %w", err)
		}
		if cleared += n; n < ClearBatch {
			return cleared, nil
		}
	}
}

// Cancel removes one queued task and releases its idempotency key. It returns ErrNotFound, or
// CodeConflict if the task is no longer queued.
func (s *Store) Cancel(ctx context.Context, organization, id string, by account.Actor, now time.Time) error {
	task, err := s.Task(ctx, organization, id) // also checks that it is an id
	if err != nil {
		return err
	}
	n, err := s.drop(organization, Audited{Action: "task.cancel", Subject: task.ID}, by, now, `id = $2 AND status = 'QUEUED'`, task.ID)
	if err != nil {
		return fmt.Errorf("cancel task %s: %w", id, err)
	}
	if n > 0 {
		return nil
	}
	if task, err = s.Task(ctx, organization, id); err != nil {
		return err
	}
	return &earshot.Error{
		Code: earshot.CodeConflict, Message: "only a queued task can be canceled",
		Details: earshot.ConflictDetails{ID: task.ID, Status: task.Status},
	}
}

// drop removes the queued tasks of an organization ($1) that match the condition, and releases
// their idempotency keys. The audit log gets the length of the queue before and after.
func (s *Store) drop(organization string, what Audited, by account.Actor, now time.Time, condition string, arg any) (n int, err error) {
	err = s.Commit(Change{Organization: organization, Apply: func(ctx context.Context, w *Work) error {
		o, err := w.Organization(organization, now)
		if err != nil {
			return err
		}
		var keys []*keyedTask
		var dropped []*batchTask
		n = 0
		err = w.Find(ctx, func(r engine.Scanner) error {
			var id string
			var key *string
			err := r.Scan(&id, &key)
			if key != nil {
				keys = append(keys, &keyedTask{taskKey{organization, *key}, id})
			}
			dropped = append(dropped, &batchTask{organization: organization, job: id})
			n++
			return err
		}, `DELETE FROM jobs WHERE organization = $1 AND `+condition+` RETURNING id, idempotency_key`, organization, arg)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		what.Before, what.After = map[string]int{"queued": o.Queued}, map[string]int{"queued": o.Queued - n}
		o.Queued -= n
		if err := errors.Join(engine.Each(ctx, w.Tx, deleteBatchTasks, dropped, nil), w.Audit(organization, by, what, now)); err != nil {
			return err
		}
		return engine.Each(ctx, w.Tx, deleteKeys, keys, nil)
	}})
	return n, err
}
