package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
)

// work is a transaction over organizations and their jobs. It locks and reads
// what its writes ask for, lets each of them decide in Go, and then stores what
// they decided, a statement for each table, however many writes share it.
//
// An organization's row is locked from first to last and orders everything that
// happens to its jobs: what was read stays true as long as it is held.
type work struct {
	*tx

	organizations map[string]*lockedOrganization
	jobs          map[string]*Job    // taken out, to be ended, by id
	keys          map[taskKey]string // idempotency keys in use -> job

	inserted   []*Job
	ended      []*Task
	entries    []*entry
	freed      []*keyedTask // keys of calls that failed
	captures   []*captureRow
	deliveries []*deliveryRow

	budgets map[taskKey]*budgetOf // of keys that have a ceiling
}

// lockedOrganization is an organization that nobody else changes until this
// transaction ends, as it will be stored.
type lockedOrganization struct {
	account.Organization
	before account.Organization
	served bool // it had its turn
}

func newWork(t *tx) *work {
	return &work{tx: t, organizations: map[string]*lockedOrganization{}, jobs: map[string]*Job{}, keys: map[taskKey]string{}}
}

// read takes out the jobs and looks up the keys that writes name, whose organizations
// are locked.
func (w *work) read(ctx context.Context, writes []*write) error {
	var jobs []*Job
	var keys []*keyedTask
	for _, one := range writes {
		if one.job != nil {
			jobs = append(jobs, one.job)
		}
		for _, key := range one.keys {
			keys = append(keys, &keyedTask{taskKey: taskKey{one.organization, key}})
		}
	}
	if err := w.takeOut(ctx, jobs); err != nil {
		return err
	}
	if err := w.readBudgets(ctx); err != nil {
		return err
	}
	return w.readKeys(ctx, keys)
}

var (
	lockOrganizations = newStatement(organizationsTable.only("id"), func(in input) string {
		return `SELECT ` + organizationsTable.list + ` FROM organizations WHERE ` + in.matching() + ` ORDER BY id ` + in.forUpdate
	})
	lockFreeOrganizations = newStatement(organizationsTable.only("id"), func(in input) string {
		return `SELECT ` + organizationsTable.list + ` FROM organizations WHERE ` + in.matching() + ` ORDER BY id ` + in.skipLocked
	})
)

// lock reads organizations and keeps others from changing them, always in the
// order of their ids, so that two transactions never wait for each other. With skip it
// leaves out those that another transaction has locked.
func (w *work) lock(ctx context.Context, ids []string, skip bool) error {
	statement := lockOrganizations
	if skip {
		statement = lockFreeOrganizations
	}
	asked := make([]*account.Organization, len(ids))
	for i, id := range ids {
		asked[i] = &account.Organization{ID: id}
	}
	var locked []*account.Organization
	if err := each(ctx, w.tx, statement, asked, collect(organizationsTable, &locked)); err != nil {
		return fmt.Errorf("lock organizations: %w", err)
	}
	for _, o := range locked {
		w.organizations[o.ID] = &lockedOrganization{Organization: *o, before: *o}
	}
	return nil
}

// takeOut removes jobs that their node runs, in order to end them. A job that is
// no longer the node's stays where it is.
func (w *work) takeOut(ctx context.Context, jobs []*Job) error {
	taken, err := remove(ctx, w.tx, takeJobs, jobs, func(j *Job) string { return j.ID })
	if err != nil {
		return fmt.Errorf("take out jobs: %w", err)
	}
	for _, job := range taken {
		w.jobs[job.ID] = job
	}
	return nil
}

func (w *work) readKeys(ctx context.Context, keys []*keyedTask) error {
	var used []*keyedTask
	if err := each(ctx, w.tx, selectKeys, keys, collect(keysTable, &used)); err != nil {
		return fmt.Errorf("read idempotency keys: %w", err)
	}
	for _, k := range used {
		w.keys[k.taskKey] = k.job
	}
	return nil
}

// organization is one of those that are locked, in the billing cycle that holds now.
// The next cycle begins only when the trusted clock agrees. Returns ErrNotFound.
func (w *work) organization(id string, now time.Time) (*lockedOrganization, error) {
	o, ok := w.organizations[id]
	if !ok {
		return nil, fmt.Errorf("organization %s: %w", id, ErrNotFound)
	}
	if millis(now) >= o.CycleResetsAt {
		if now, err := w.clock.decisive(now); err == nil && millis(now) >= o.CycleResetsAt {
			w.renew(o, now)
		}
	}
	return o, nil
}

// insert adds a job, QUEUED or PROCESSING.
func (w *work) insert(o *lockedOrganization, job *Job) {
	job.Priority = max(1, job.Priority)
	if job.Status == earshot.StatusQueued {
		o.Queued++
	} else {
		w.hold(o, job)
	}
	if job.IdempotencyKey != nil {
		w.keys[taskKey{job.Organization, *job.IdempotencyKey}] = job.ID
	}
	w.inserted = append(w.inserted, job)
}

// hold takes a slot and sets aside the most that the job can cost.
func (w *work) hold(o *lockedOrganization, job *Job) {
	o.Running++
	o.Held += job.MaxCost
	w.holdBudget(job)
}

// end charges a job, gives back what it took, and adds it to the finished ones. It
// must have been taken out of those under way.
func (w *work) end(o *lockedOrganization, job *Job, end Settlement, now time.Time) error {
	at := max(millis(now), o.CycleStartedAt) // a clock may be behind
	task := &Task{Job: *job, Charged: &end.Charge, FinishedAt: time.UnixMilli(at), packed: end.Result}
	task.Status, task.Attempts, task.Priority = end.Status, end.Attempts, max(1, job.Priority)
	if end.Error != nil {
		var err error
		if task.Error, err = json.Marshal(end.Error); err != nil {
			return fmt.Errorf("encode the job's error: %w", err)
		}
	}
	held := int64(0)
	if job.Status == earshot.StatusQueued {
		o.Queued--
	} else {
		o.Running--
		held = job.MaxCost
		o.Held -= held
	}
	w.giveBudget(job, held, end.Charge, task.FinishedAt)
	if end.Status == earshot.StatusCompleted {
		o.CycleUsed += end.Charge
		// Where the clock does not let the next cycle begin, this one goes on.
		w.book(o, entry{id: job.ID, kind: kindCharge, amount: -end.Charge, at: min(at, o.CycleResetsAt-1), tracker: job.Tracker})
	}
	if job.Mode == ModeAsync {
		o.Events++
		task.Event = o.Events
	}
	if job.Mode == ModeSync && job.IdempotencyKey != nil && end.Status == earshot.StatusFailed {
		w.free(job)
	}
	w.ended = append(w.ended, task)
	if end.Capture != nil {
		w.captures = append(w.captures, &captureRow{*end.Capture, job.Organization, job.ID})
	}
	if job.WebhookURL != nil {
		w.deliveries = append(w.deliveries, newDelivery(job, *job.WebhookURL, task.FinishedAt))
	}
	delete(w.jobs, job.ID) // it ends only once
	return nil
}

// free gives up the idempotency key of a call that failed, so that the call can be
// made again with it.
func (w *work) free(job *Job) {
	key := taskKey{job.Organization, *job.IdempotencyKey}
	w.freed = append(w.freed, &keyedTask{key, job.ID})
	if w.keys[key] == job.ID {
		delete(w.keys, key)
	}
}

// store writes what was decided.
func (w *work) store(ctx context.Context) error {
	return w.pipeline(ctx, func() error {
		for _, step := range []struct {
			what string
			do   func(context.Context) error
		}{
			{"insert jobs", func(ctx context.Context) error { return each(ctx, w.tx, insertJobs, w.inserted, nil) }},
			// First, since a job of this transaction may have taken one of them.
			{"free idempotency keys", func(ctx context.Context) error { return each(ctx, w.tx, deleteKeys, w.freed, nil) }},
			{"insert idempotency keys", w.storeKeys},
			{"finish jobs", func(ctx context.Context) error { return each(ctx, w.tx, insertFinished, w.ended, nil) }},
			{"enter into the ledger", func(ctx context.Context) error { return each(ctx, w.tx, insertEntries, w.entries, nil) }},
			{"count usage", w.countUsage},
			{"count statistics", w.countStats},
			{"insert captures", func(ctx context.Context) error { return each(ctx, w.tx, insertCaptures, w.captures, nil) }},
			{"plan deliveries", w.storeDeliveries},
			{"change the budgets of keys", w.storeBudgets},
			{"change organizations", w.storeOrganizations},
		} {
			if err := step.do(ctx); err != nil {
				return fmt.Errorf("%s: %w", step.what, err)
			}
		}
		return nil
	})
}

var (
	// changing are the columns of an organization that its jobs and its cycle change.
	changing = []string{
		"running", "queued", "held", "balance", "events", "cycle_started_at", "cycle_resets_at", "cycle_grant", "cycle_used",
	}
	updateOrganizations = newStatement(
		append(lift(organizationsTable.only(append([]string{"id"}, changing...)...), func(o *lockedOrganization) *account.Organization { return &o.Organization }),
			field("served", "boolean", func(o *lockedOrganization) *bool { return &o.served })),
		func(in input) string {
			return `UPDATE organizations SET ` + in.assign(changing...) + `,
				served_at = CASE WHEN ` + in.value("served") + ` THEN ` + in.now + ` ELSE organizations.served_at END
				` + in.where("organizations", "id")
		})
)

// storeOrganizations writes back the organizations that changed.
func (w *work) storeOrganizations(ctx context.Context) error {
	var changed []*lockedOrganization
	for _, id := range slices.Sorted(maps.Keys(w.organizations)) {
		if o := w.organizations[id]; o.Organization != o.before || o.served {
			changed = append(changed, o)
		}
	}
	return each(ctx, w.tx, updateOrganizations, changed, nil)
}
