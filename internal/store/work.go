package store

import (
	"context"
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
// happens to its jobs: whoever holds it may believe what was read.
type work struct {
	*tx
	dialect *dialect

	rows map[string]*row    // organizations, locked
	jobs map[string]*Job    // taken out, to be ended, by id
	keys map[taskKey]string // idempotency keys in use -> job

	inserted  []Job
	endings   []ending
	entries   []entry
	captured  []captured
	deliverTo []delivery
}

// row is an organization as it will be stored.
type row struct {
	account.Organization
	before account.Organization
	served bool // it had its turn
}

type taskKey struct{ organization, key string }

func newWork(t *tx, d *dialect) *work {
	return &work{tx: t, dialect: d, rows: map[string]*row{}, jobs: map[string]*Job{}, keys: map[taskKey]string{}}
}

// read locks the organizations, takes out the jobs and looks up the keys that the
// writes name.
func (w *work) read(ctx context.Context, writes []*write) error {
	organizations := map[string]bool{}
	var jobs []*Job
	var keys []taskKey
	for _, one := range writes {
		if one.organization == "" {
			continue
		}
		organizations[one.organization] = true
		for _, id := range one.others {
			organizations[id] = true
		}
		if one.job != nil {
			jobs = append(jobs, one.job)
		}
		for _, key := range one.keys {
			keys = append(keys, taskKey{one.organization, key})
		}
	}
	if err := w.lock(ctx, slices.Sorted(maps.Keys(organizations))); err != nil {
		return err
	}
	if err := w.takeOut(ctx, jobs); err != nil {
		return err
	}
	return w.readKeys(ctx, keys)
}

// lock reads organizations and keeps others from changing them, always in the
// order of their ids, so that two transactions never wait for each other.
func (w *work) lock(ctx context.Context, ids []string) error {
	err := w.each(ctx, table(len(ids)).uuid("id", func(i int) string { return ids[i] }), `
		SELECT `+organizationColumns+` FROM organizations WHERE $match ORDER BY id `+w.dialect.forUpdate, func(found scanner) error {
		o, err := scanOrganization(found)
		if err == nil {
			w.rows[o.ID] = &row{Organization: *o, before: *o}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("lock organizations: %w", err)
	}
	return nil
}

const takeOutJobs = `DELETE FROM jobs WHERE $match`

// takeOut removes jobs that their node runs, in order to end them. A job that is
// no longer the node's stays where it is.
func (w *work) takeOut(ctx context.Context, jobs []*Job) error {
	asked := make(map[string]*Job, len(jobs))
	for _, job := range jobs {
		asked[job.ID] = job
	}
	err := w.removed(ctx, table(len(jobs)).
		uuid("organization", func(i int) string { return jobs[i].Organization }).
		uuid("id", func(i int) string { return jobs[i].ID }).
		uuid("node", func(i int) string { return jobs[i].Node }), takeOutJobs,
		func(i int) string { return jobs[i].ID }, func(id string) { w.jobs[id] = asked[id] })
	if err != nil {
		return fmt.Errorf("take out jobs: %w", err)
	}
	return nil
}

func (w *work) readKeys(ctx context.Context, keys []taskKey) error {
	asked := table(len(keys)).
		uuid("organization", func(i int) string { return keys[i].organization }).
		text("key", func(i int) string { return keys[i].key })
	err := w.each(ctx, asked, `SELECT organization, key, job FROM idempotency_keys WHERE $match`, func(found scanner) error {
		var k taskKey
		var job string
		err := found.Scan(&k.organization, &k.key, &job)
		w.keys[k] = job
		return err
	})
	if err != nil {
		return fmt.Errorf("read idempotency keys: %w", err)
	}
	return nil
}

// organization is one of the locked rows, in the billing cycle that holds now.
// Returns ErrNotFound.
func (w *work) organization(id string, now time.Time) (*row, error) {
	o, ok := w.rows[id]
	if !ok {
		return nil, fmt.Errorf("organization %s: %w", id, ErrNotFound)
	}
	if millis(now) >= o.CycleResetsAt {
		w.renew(o, now)
	}
	return o, nil
}

// insert adds a job, QUEUED or PROCESSING.
func (w *work) insert(o *row, job Job) {
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
func (w *work) hold(o *row, job Job) {
	o.Running++
	o.Held += job.Most
}

// end charges a job, gives back what it took, and adds it to the finished ones. It
// must have been taken out of those under way.
func (w *work) end(o *row, job *Job, end Settlement, now time.Time) {
	at := max(millis(now), o.CycleStartedAt) // a clock may be behind
	if job.Status == earshot.StatusQueued {
		o.Queued--
	} else {
		o.Running--
		o.Held -= job.Most
	}
	if end.Status == earshot.StatusCompleted {
		o.CycleUsed += end.Charge
		w.book(o, entry{id: job.ID, kind: kindCharge, amount: -end.Charge, at: at})
	}
	end.Job = *job
	ended := ending{Settlement: end, at: at}
	if job.Mode == ModeAsync {
		o.Events++
		ended.event = new(o.Events)
	}
	w.endings = append(w.endings, ended)
	if end.Capture != nil {
		w.captured = append(w.captured, captured{*end.Capture, *job})
	}
	if job.WebhookURL != nil {
		w.deliverTo = append(w.deliverTo, delivery{job: *job, at: at})
	}
	delete(w.jobs, job.ID) // it ends only once
}

// store writes what was decided.
func (w *work) store(ctx context.Context) error {
	return w.inOneGo(ctx, func() error {
		for _, step := range []struct {
			what string
			do   func(context.Context) error
		}{
			{"insert jobs", w.storeInserted},
			{"insert idempotency keys", w.storeKeys},
			{"finish jobs", w.storeEndings},
			{"enter into the ledger", w.storeEntries},
			{"insert captures", w.storeCaptures},
			{"plan deliveries", w.storeDeliveries},
			{"change organizations", w.storeOrganizations},
		} {
			if err := step.do(ctx); err != nil {
				return fmt.Errorf("%s: %w", step.what, err)
			}
		}
		return nil
	})
}

// storeOrganizations writes back the rows that changed.
func (w *work) storeOrganizations(ctx context.Context) error {
	var changed []*row
	for _, id := range slices.Sorted(maps.Keys(w.rows)) {
		if o := w.rows[id]; o.Organization != o.before || o.served {
			changed = append(changed, o)
		}
	}
	at := func(of func(*row) int64) func(int) int64 { return func(i int) int64 { return of(changed[i]) } }
	return w.each(ctx, table(len(changed)).
		uuid("wanted", func(i int) string { return changed[i].ID }).
		int("new_running", at(func(o *row) int64 { return int64(o.Running) })).
		int("new_queued", at(func(o *row) int64 { return int64(o.Queued) })).
		int("new_held", at(func(o *row) int64 { return o.Held })).
		int("new_balance", at(func(o *row) int64 { return o.Balance })).
		int("new_events", at(func(o *row) int64 { return o.Events })).
		int("new_started_at", at(func(o *row) int64 { return o.CycleStartedAt })).
		int("new_resets_at", at(func(o *row) int64 { return o.CycleResetsAt })).
		int("new_grant", at(func(o *row) int64 { return o.CycleGrant })).
		int("new_used", at(func(o *row) int64 { return o.CycleUsed })).
		int("served", at(func(o *row) int64 {
			if o.served {
				return 1
			}
			return 0
		})), `
		UPDATE organizations SET running = r.new_running, queued = r.new_queued, held = r.new_held, balance = r.new_balance,
			events = r.new_events, cycle_started_at = r.new_started_at, cycle_resets_at = r.new_resets_at,
			cycle_grant = r.new_grant, cycle_used = r.new_used,
			served_at = CASE r.served WHEN 1 THEN `+w.dialect.now+` ELSE organizations.served_at END
		FROM $rows WHERE organizations.id = r.wanted`, nil)
}
