package store

import (
	"cmp"
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
	owned         map[ownedJob]bool  // the jobs to be ended that are their nodes'; nil when all are taken for that
	keys          map[taskKey]string // idempotency keys in use -> job

	inserted   []*Job
	returned   []*Job // tasks that a claim put back into the queue
	ended      []*Task
	moved      int // how many of them are stored
	entries    []*entry
	freed      []*keyedTask // keys of calls that failed
	captures   []*captureRow
	deliveries []*deliveryRow

	budgets map[taskKey]*budgetOf // of keys that have a ceiling

	known    bool // the organizations are as they are remembered
	unlocked bool // and not locked, see trust
}

// ownedJob is a job of a node.
type ownedJob struct{ id, node string }

// lockedOrganization is an organization that nobody else changes until this
// transaction ends, as it will be stored.
type lockedOrganization struct {
	account.Organization
	before  account.Organization
	front   position // no queued task comes before it
	served  bool     // it had its turn
	version int64    // of the row, where the database has one
	place   string   // of the row, as PostgreSQL has it
	server  int64    // that gave it the version
	// expected is the version that the row must have to be changed; 0 when it is locked.
	expected int64
}

func newWork(t *tx) *work {
	return &work{tx: t, organizations: map[string]*lockedOrganization{}, keys: map[taskKey]string{}}
}

// read looks up the jobs and the keys that writes name.
//
// A job that a write ends is taken for its node's, as nearly all are. When store finds
// that one is not, because it was settled before or taken over, the transaction fails
// with errNotOwned and runs again, checked: then each job is looked up first.
func (w *work) read(ctx context.Context, writes []*write, checked bool) error {
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
	if checked {
		w.owned = map[ownedJob]bool{}
		err := each(ctx, w.tx, selectOwned, jobs, func(found scanner) error {
			var job ownedJob
			err := found.Scan(&job.id, &job.node)
			w.owned[job] = true
			return err
		})
		if err != nil {
			return err
		}
	}
	return each(ctx, w.tx, selectKeys, keys, func(found scanner) error {
		var key keyedTask
		err := found.Scan(keysTable.targets(&key)...)
		w.keys[key.taskKey] = key.job
		return err
	})
}

var (
	lockOrganizations = newStatement(organizationsTable.only("id"), func(in input) string {
		return selectVersioned(in) + in.forUpdate
	})
	lockFreeOrganizations = newStatement(organizationsTable.only("id"), func(in input) string {
		return selectVersioned(in) + in.skipLocked
	})
	// lockKnown fails unless all organizations still have the version that is known.
	lockKnown = newStatement(append(organizationColumns("id"), intField("version", func(o *lockedOrganization) *int64 { return &o.version }), placeField, serverField),
		func(in input) string {
			if in.version == "" {
				return ""
			}
			return `SELECT ` + ifAll + ` FROM (
				SELECT 1 FROM ` + in.rows() + ` JOIN organizations ON ` + in.place + ` = r.place AND organizations.id = r.id AND ` + in.version + ` = r.version AND ` + in.server + ` = r.server
				ORDER BY organizations.id FOR UPDATE OF organizations) AS known`
		})

	placeField  = field("place", "tid", func(o *lockedOrganization) *string { return &o.place })
	serverField = intField("server", func(o *lockedOrganization) *int64 { return &o.server })
)

func selectVersioned(in input) string {
	return `SELECT ` + organizationsTable.list + `, front_priority, front_id, ` + cmp.Or(in.version, "0") + `, ` + cmp.Or(in.place, "''") + `, ` + cmp.Or(in.server, "0") + ` FROM organizations WHERE ` + in.matching() + ` ORDER BY id `
}

// organizationColumns are columns of an organization that is locked.
func organizationColumns(names ...string) []column[lockedOrganization] {
	return lift(organizationsTable.only(names...), func(o *lockedOrganization) *account.Organization { return &o.Organization })
}

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
	return each(ctx, w.tx, statement, asked, func(found scanner) error {
		o := new(lockedOrganization)
		err := found.Scan(append(organizationsTable.targets(&o.Organization), &o.front.priority, &o.front.id, &o.version, &o.place, &o.server)...)
		o.before = o.Organization
		w.organizations[o.ID] = o
		return err
	})
}

// lockKnown is lock for organizations that are known. It does not read them.
func (w *work) lockKnown(ctx context.Context, known map[string]*lockedOrganization) error {
	w.organizations, w.known = known, true
	if w.dialect.version == "" { // SQLite's transaction has locked everything
		return nil
	}
	return each(ctx, w.tx, lockKnown, byID(known), nil)
}

// trust takes organizations for what is known of them. They are locked only when they are
// changed, which fails unless they still are that.
func (w *work) trust(known map[string]*lockedOrganization) {
	w.organizations, w.known, w.unlocked = known, true, w.dialect.version != ""
}

// byID are organizations in the order in which they are locked.
func byID(organizations map[string]*lockedOrganization) []*lockedOrganization {
	return slices.SortedFunc(maps.Values(organizations), func(a, b *lockedOrganization) int { return cmp.Compare(a.ID, b.ID) })
}

// leaveOut divides writes into those whose organizations are locked by this transaction
// and those that ask for one which another has locked, and names these organizations.
func (w *work) leaveOut(writes []*write, ids []string) (free, skipped []*write, locked []string) {
	locked = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return w.organizations[id] != nil })
	for _, one := range writes {
		if !one.optional && slices.Contains(locked, one.organization) {
			skipped = append(skipped, one)
		} else {
			free = append(free, one)
		}
	}
	return free, skipped, locked
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

// owns tells whether a job is its node's, as far as is known.
func (w *work) owns(job *Job) bool {
	return w.owned == nil || w.owned[ownedJob{job.ID, job.Node}]
}

// insert adds a job, QUEUED or PROCESSING.
func (w *work) insert(o *lockedOrganization, job *Job) {
	job.Priority = max(1, job.Priority)
	if job.Status == earshot.StatusQueued {
		o.Queued++
	} else {
		w.hold(o, job)
	}
	w.takeKey(job)
	w.inserted = append(w.inserted, job)
}

// hold takes a slot and sets aside the most that the job can cost.
func (w *work) hold(o *lockedOrganization, job *Job) {
	o.Running++
	o.Held += job.MaxCost
	w.holdBudget(job)
}

// end charges a job, gives back what it took, and moves it to the finished ones.
func (w *work) end(o *lockedOrganization, job *Job, end *Settlement, now time.Time) error {
	// A clock may be behind, and where it does not let the next cycle begin, this one goes on.
	at := min(max(millis(now), o.CycleStartedAt), o.CycleResetsAt-1)
	task := &Task{Job: *job, Charged: &end.Charge, FinishedAt: time.UnixMilli(at), packed: end.Result, owner: job.Node}
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
		o.Balance -= end.Charge // the finished job is the entry of the ledger
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
	if w.owned != nil {
		delete(w.owned, ownedJob{job.ID, job.Node}) // it ends only once
	}
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

// store writes what was decided. On PostgreSQL it goes out with the commit.
func (w *work) store(ctx context.Context) error {
	w.waiting = true
	w.moveFrontsBack(w.unstoredTasks())
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		// First: from here on they are locked at the latest, and what is remembered of them is so.
		{"change organizations", w.storeOrganizations},
		{"put tasks back", func(ctx context.Context) error { return each(ctx, w.tx, placeJobs, w.returned, nil) }},
		{"insert jobs", func(ctx context.Context) error { return each(ctx, w.tx, insertJobs, w.inserted, nil) }},
		// First, since a job of this transaction may have taken one of them.
		{"free idempotency keys", func(ctx context.Context) error { return each(ctx, w.tx, deleteKeys, w.freed, nil) }},
		{"insert idempotency keys", w.storeKeys},
		{"finish jobs", w.storeEnded},
		{"enter into the ledger", func(ctx context.Context) error { return each(ctx, w.tx, insertEntries, w.entries, nil) }},
		{"count usage", w.countUsage},
		{"count statistics", w.countStats},
		{"insert captures", func(ctx context.Context) error { return each(ctx, w.tx, insertCaptures, w.captures, nil) }},
		{"plan deliveries", w.storeDeliveries},
		{"change the budgets of keys", w.storeBudgets},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// storeEnded moves jobs that ended, since it was called last, from those under way to the
// finished ones. Returns errNotOwned when one was not its node's.
func (w *work) storeEnded(ctx context.Context) error {
	ended := w.ended[w.moved:]
	w.moved = len(w.ended)
	switch {
	case w.dialect.spread:
		if err := each(ctx, w.tx, copyEnded, ended, nil); err != nil {
			return err
		}
		return each(ctx, w.tx, takeEnded, ended, nil)
	case w.dialect.arrays:
		return each(ctx, w.tx, moveEnded, ended, nil)
	}
	taken, err := remove(ctx, w.tx, takeEnded, ended, func(t *Task) string { return t.ID })
	if err == nil && len(taken) < len(ended) {
		err = errNotOwned
	}
	if err != nil {
		return err
	}
	return each(ctx, w.tx, insertFinished, ended, nil)
}

var (
	// changing are the columns of an organization that its jobs and its cycle change.
	changing = []string{
		"running", "queued", "held", "balance", "events", "cycle_started_at", "cycle_resets_at", "cycle_grant", "cycle_used",
	}
	// updateOrganizations finds organizations by their ids, and updateKnown by where they lie, too.
	updateOrganizations = updateStatement(func(input) string { return "" })
	updateKnown         = updateStatement(func(in input) string { return " AND " + in.place + " = r.place" })
)

func updateStatement(also func(in input) string) statement[lockedOrganization] {
	columns := append(organizationColumns(append([]string{"id"}, changing...)...),
		intField("front_priority", func(o *lockedOrganization) *int { return &o.front.priority }),
		field("front_id", "uuid", func(o *lockedOrganization) *string { return &o.front.id }),
		field("served", "boolean", func(o *lockedOrganization) *bool { return &o.served }),
		intField("expected", func(o *lockedOrganization) *int64 { return &o.expected }), placeField, serverField)
	return newStatement(columns, func(in input) string {
		update := `UPDATE organizations SET ` + in.assign(changing...) + `, ` + in.assign("front_priority", "front_id") + `,
			served_at = organizations.served_at + CAST(` + in.value("served") + ` AS integer) * (` + in.now + ` - organizations.served_at)
			` + in.where("organizations", "id")
		if in.version == "" {
			return update
		}
		return `WITH changed AS (` + update + also(in) + ` AND (r.expected = 0 OR ` + in.version + ` = r.expected AND ` + in.server + ` = r.server)
			RETURNING organizations.id, ` + in.version + ` AS version, ` + in.place + ` AS place)
			SELECT MAX(version), string_agg(tidsend(place), '' ORDER BY id), ` + ifAll + ` FROM changed`
	})
}

// storeOrganizations writes back the organizations that changed.
func (w *work) storeOrganizations(ctx context.Context) error {
	all := byID(w.organizations)
	changed := slices.DeleteFunc(slices.Clone(all), func(o *lockedOrganization) bool { return o.Organization == o.before && !o.served })
	if w.unlocked && len(changed) < len(all) {
		if err := each(ctx, w.tx, lockKnown, all, nil); err != nil {
			return err
		}
		w.unlocked = false
	}
	if w.unlocked {
		for _, o := range changed {
			o.expected = o.version
		}
	}
	if w.dialect.version == "" {
		return each(ctx, w.tx, updateOrganizations, changed, nil)
	}
	update := updateOrganizations
	if w.known {
		update = updateKnown
	}
	return each(ctx, w.tx, update, changed, func(found scanner) error {
		var version, all int64 // that of this transaction
		var places []byte
		err := found.Scan(&version, &places, &all)
		if err == nil && len(places) != placeSize*len(changed) {
			err = fmt.Errorf("%d organizations have places of %d bytes", len(changed), len(places))
		}
		if err != nil {
			return err
		}
		for i, o := range changed {
			o.version, o.place = version, string(places[placeSize*i:placeSize*(i+1)])
		}
		return nil
	})
}

// placeSize is how many bytes PostgreSQL has for the place of a row.
const placeSize = 6
