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
	"earshot/internal/store/engine"
	"earshot/internal/store/outbound"
)

// Work is the unit of a transaction on organizations and their jobs. It locks and reads the
// rows that its writes need, lets each write decide in Go, and then stores all decisions with
// one statement per table, however many writes share the transaction.
//
// The rows of the organizations stay locked until the transaction ends, so nobody else changes
// their jobs and the rows that were read stay valid.
type Work struct {
	*engine.Tx

	organizations map[string]*LockedOrganization
	owned         map[ownedJob]bool  // jobs to end that still belong to their nodes
	keys          map[taskKey]string // idempotency keys in use -> job

	inserted   []*Job
	returned   []*Job // tasks that a claim put back into the queue
	ended      []*Task
	entries    []*Entry
	freed      []*keyedTask // keys of failed calls
	captures   []*captureRow
	Deliveries []*DeliveryRow
	purchases  []*purchaseChange
	charges    []outbound.Charge
	uses       []outbound.JobUse

	shadowPairs []*outbound.ShadowPair
	audited     []*AuditEntry

	budgets map[taskKey]*lockedBudget // of keys with a budget
}

// ownedJob identifies a job and the node that owns it.
type ownedJob struct{ id, node string }

// LockedOrganization is an organization whose row this transaction has locked. Its fields hold
// the values to store.
type LockedOrganization struct {
	account.Organization
	before account.Organization
	served bool // a claim served it
}

// OrganizationsTable has the columns of organizations that every read needs.
var OrganizationsTable = engine.NewTable("organizations",
	engine.Field("id", "uuid", func(o *account.Organization) *string { return &o.ID }),
	engine.TextField("name", func(o *account.Organization) *string { return &o.Name }),
	engine.TextField("plan", func(o *account.Organization) *string { return &o.Plan.Name }),
	engine.IntField("slots", func(o *account.Organization) *int { return &o.Plan.Slots }),
	engine.IntField("requests_per_second", func(o *account.Organization) *int { return &o.Plan.RequestsPerSecond }),
	engine.IntField("queue_capacity", func(o *account.Organization) *int { return &o.Plan.QueueCapacity }),
	engine.IntField("credits_per_cycle", func(o *account.Organization) *int64 { return &o.Plan.CreditsPerCycle }),
	engine.IntField("created_at", func(o *account.Organization) *int64 { return &o.CreatedAt }),
	engine.IntField("queued", func(o *account.Organization) *int { return &o.Queued }),
	engine.IntField("running", func(o *account.Organization) *int { return &o.Running }),
	engine.IntField("balance", func(o *account.Organization) *int64 { return &o.Balance }),
	engine.IntField("held", func(o *account.Organization) *int64 { return &o.Held }),
	engine.IntField("events", func(o *account.Organization) *int64 { return &o.Events }),
	engine.IntField("cycle_started_at", func(o *account.Organization) *int64 { return &o.CycleStartedAt }),
	engine.IntField("cycle_resets_at", func(o *account.Organization) *int64 { return &o.CycleResetsAt }),
	engine.IntField("cycle_grant", func(o *account.Organization) *int64 { return &o.CycleGrant }),
	engine.IntField("cycle_used", func(o *account.Organization) *int64 { return &o.CycleUsed }),
	engine.IntField("key_budgets", func(o *account.Organization) *int { return &o.KeyBudgets }))

// Change is a write to an organization and its jobs.
type Change struct {
	Organization string
	Across       bool     // it also reads or writes nodes or keys
	Jobs         int      // number of jobs that it changes; 0 counts as 1
	job          *Job     // a job to end, if it still belongs to its node
	keys         []string // idempotency keys to look up
	// Apply decides, based on the rows that were read. It may run more than once, each time in a
	// new transaction. If it returns nil to refuse, it must not have changed anything.
	Apply func(context.Context, *Work) error
}

// Commit applies a change, possibly in a transaction with others, and returns after the commit.
func (s *Store) Commit(c Change) error { return s.Write(c.write()) }

func (c Change) write() engine.Write {
	return engine.Write{Organization: c.Organization, Across: c.Across, Jobs: c.Jobs, Needs: &c, Apply: InWork(c.Apply)}
}

// InWork adapts a function on Work to a function on engine.Unit.
func InWork(apply func(context.Context, *Work) error) func(context.Context, engine.Unit) error {
	return func(ctx context.Context, u engine.Unit) error {
		w, ok := u.(*Work)
		if !ok {
			return fmt.Errorf("the unit of a transaction is a %T", u)
		}
		return apply(ctx, w)
	}
}

func newWork(t *engine.Tx) *Work {
	return &Work{Tx: t, organizations: map[string]*LockedOrganization{}, owned: map[ownedJob]bool{}, keys: map[taskKey]string{}, budgets: map[taskKey]*lockedBudget{}}
}

// Read looks up the jobs and the idempotency keys that writes need.
func (w *Work) Read(ctx context.Context, writes []*engine.Write) error {
	var jobs []*Job
	var keys []*keyedTask
	for _, one := range writes {
		needs, ok := one.Needs.(*Change)
		if !ok {
			continue
		}
		if needs.job != nil {
			jobs = append(jobs, needs.job)
		}
		for _, key := range needs.keys {
			keys = append(keys, &keyedTask{taskKey: taskKey{needs.Organization, key}})
		}
	}
	err := engine.Each(ctx, w.Tx, selectOwned, jobs, func(found engine.Scanner) error {
		var job ownedJob
		err := found.Scan(&job.id, &job.node)
		w.owned[job] = true
		return err
	})
	if err != nil {
		return err
	}
	return engine.Each(ctx, w.Tx, selectKeys, keys, func(found engine.Scanner) error {
		var key keyedTask
		err := found.Scan(keysTable.Targets(&key)...)
		w.keys[key.taskKey] = key.job
		return err
	})
}

var (
	lockOrganizations = engine.NewStatement(OrganizationsTable.Only("id"), func(in engine.Input) string {
		return selectOrganizations(in) + in.ForUpdate
	})
	lockFreeOrganizations = engine.NewStatement(OrganizationsTable.Only("id"), func(in engine.Input) string {
		return selectOrganizations(in) + in.SkipLocked
	})
)

func selectOrganizations(in engine.Input) string {
	return `SELECT ` + OrganizationsTable.List + ` FROM organizations WHERE ` + in.Matching() + ` ORDER BY id `
}

// organizationColumns returns columns of organizations for a LockedOrganization.
func organizationColumns(names ...string) []engine.Column[LockedOrganization] {
	return engine.Lift(OrganizationsTable.Only(names...), func(o *LockedOrganization) *account.Organization { return &o.Organization })
}

// Lock locks and reads organizations, always in the order of their ids, so that transactions
// cannot deadlock. With skip it leaves out organizations that another transaction has locked.
func (w *Work) Lock(ctx context.Context, ids []string, skip bool) error {
	statement := lockOrganizations
	if skip {
		statement = lockFreeOrganizations
	}
	asked := make([]*account.Organization, len(ids))
	for i, id := range ids {
		asked[i] = &account.Organization{ID: id}
	}
	return engine.Each(ctx, w.Tx, statement, asked, func(found engine.Scanner) error {
		o := new(LockedOrganization)
		err := found.Scan(OrganizationsTable.Targets(&o.Organization)...)
		o.before = o.Organization
		w.organizations[o.ID] = o
		return err
	})
}

// byID returns organizations in the order in which they are locked.
func byID(organizations map[string]*LockedOrganization) []*LockedOrganization {
	return slices.SortedFunc(maps.Values(organizations), func(a, b *LockedOrganization) int { return cmp.Compare(a.ID, b.ID) })
}

// Transaction returns the transaction that the writes share.
func (w *Work) Transaction() *engine.Tx { return w.Tx }

// IsLocked reports whether this transaction has locked an organization's row.
func (w *Work) IsLocked(id string) bool { return w.organizations[id] != nil }

// Organization returns a locked organization. If its next billing cycle is due at now and the
// trusted clock agrees, the cycle begins. Organization returns ErrNotFound.
func (w *Work) Organization(id string, now time.Time) (*LockedOrganization, error) {
	o, ok := w.organizations[id]
	if !ok {
		return nil, fmt.Errorf("organization %s: %w", id, ErrNotFound)
	}
	if engine.Millis(now) >= o.CycleResetsAt {
		if now, err := w.Clock.Decisive(now); err == nil && engine.Millis(now) >= o.CycleResetsAt {
			w.renew(o, now)
		}
	}
	return o, nil
}

// owns reports whether a job still belongs to its node.
func (w *Work) owns(job *Job) bool { return w.owned[ownedJob{job.ID, job.Node}] }

// Insert adds a job whose status is QUEUED or PROCESSING.
func (w *Work) Insert(o *LockedOrganization, job *Job) {
	job.Priority = max(1, job.Priority)
	if job.Status == earshot.StatusQueued {
		o.Queued++
	} else {
		w.hold(o, job)
	}
	w.takeKey(job)
	w.inserted = append(w.inserted, job)
}

// hold takes a slot and holds the maximum cost of the job.
func (w *Work) hold(o *LockedOrganization, job *Job) {
	o.Running++
	o.Held += job.MaxCost
	w.holdBudget(job)
}

// end charges a job, releases its slot and held credits, and moves it to the finished jobs.
func (w *Work) end(o *LockedOrganization, job *Job, end *Settlement, now time.Time) error {
	// A slow clock must not move the end out of the current cycle; nor must a fast one whose
	// time is not trusted to begin the next cycle.
	at := min(max(engine.Millis(now), o.CycleStartedAt), o.CycleResetsAt-1)
	task := &Task{Job: *job, Charged: &end.Charge, FinishedAt: time.UnixMilli(at), Packed: end.Result, owner: job.Node}
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
	w.releaseBudget(job, held, end.Charge, task.FinishedAt)
	if end.Status == earshot.StatusCompleted {
		o.CycleUsed += end.Charge
		o.Balance -= end.Charge // the finished job serves as the ledger entry
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
		w.Deliveries = append(w.Deliveries, NewDelivery(job, *job.WebhookURL, task.FinishedAt))
	}
	w.uses = append(w.uses, outbound.UsesOf(job.Organization, job.Provider, task.FinishedAt, end.Uses)...)
	delete(w.owned, ownedJob{job.ID, job.Node}) // a job ends only once
	return nil
}

// free releases the idempotency key of a failed call, so that the client can repeat the call
// with the same key.
func (w *Work) free(job *Job) {
	key := taskKey{job.Organization, *job.IdempotencyKey}
	w.freed = append(w.freed, &keyedTask{key, job.ID})
	if w.keys[key] == job.ID {
		delete(w.keys, key)
	}
}

// Store writes all decisions.
func (w *Work) Store(ctx context.Context) error {
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"change organizations", w.storeOrganizations},
		{"put tasks back", func(ctx context.Context) error { return engine.Each(ctx, w.Tx, assignJobs, w.returned, nil) }},
		{"insert jobs", func(ctx context.Context) error { return engine.Each(ctx, w.Tx, insertJobs, w.inserted, nil) }},
		// Before the insertion, since a job of this transaction may have taken a freed key.
		{"free idempotency keys", func(ctx context.Context) error { return engine.Each(ctx, w.Tx, deleteKeys, w.freed, nil) }},
		{"insert idempotency keys", w.storeKeys},
		{"finish jobs", w.storeEnded},
		{"enter into the ledger", func(ctx context.Context) error { return engine.Each(ctx, w.Tx, insertEntries, w.entries, nil) }},
		{"count usage", w.countUsage},
		{"count statistics", w.countStats},
		{"insert captures", func(ctx context.Context) error { return engine.Each(ctx, w.Tx, insertCaptures, w.captures, nil) }},
		{"plan deliveries", w.storeDeliveries},
		{"change the budgets of keys", w.storeBudgets},
		{"store purchases", w.storePurchases},
		{"book charges", func(ctx context.Context) error { return outbound.Book(ctx, w.Tx, w.charges) }},
		{"count requests to upstreams", func(ctx context.Context) error { return outbound.CountUses(ctx, w.Tx, w.uses) }},
		{"write the audit log", func(ctx context.Context) error { return engine.Each(ctx, w.Tx, insertAudit, w.audited, nil) }},
		{"store shadow pairs", func(ctx context.Context) error { return outbound.SaveShadowPairs(ctx, w.Tx, w.shadowPairs) }},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// storeEnded moves ended jobs from jobs to finished.
func (w *Work) storeEnded(ctx context.Context) error {
	switch {
	case w.Dialect.Sharded:
		if err := engine.Each(ctx, w.Tx, copyEnded, w.ended, nil); err != nil {
			return err
		}
		return engine.EachFound(ctx, w.Tx, takeEnded, w.ended)
	case w.Dialect.Arrays:
		return engine.Each(ctx, w.Tx, moveEnded, w.ended, nil)
	}
	if err := engine.Each(ctx, w.Tx, takeEnded, w.ended, nil); err != nil {
		return err
	}
	return engine.Each(ctx, w.Tx, insertFinished, w.ended, nil)
}

var (
	// changing are the columns of an organization that its jobs and its cycle change.
	changing = []string{
		"running", "queued", "held", "balance", "events", "cycle_started_at", "cycle_resets_at", "cycle_grant", "cycle_used",
	}
	updateOrganizations = engine.NewStatement(append(organizationColumns(append([]string{"id"}, changing...)...),
		engine.Field("served", "boolean", func(o *LockedOrganization) *bool { return &o.served })), func(in engine.Input) string {
		return `UPDATE organizations SET ` + in.Assign(changing...) + `,
			served_at = organizations.served_at + CAST(` + in.Value("served") + ` AS integer) * (` + in.Now + ` - organizations.served_at)
			` + in.Where("organizations", "id")
	})
)

// storeOrganizations writes the organizations that changed.
func (w *Work) storeOrganizations(ctx context.Context) error {
	changed := slices.DeleteFunc(byID(w.organizations), func(o *LockedOrganization) bool { return o.Organization == o.before && !o.served })
	if w.Dialect.Sharded {
		return engine.EachFound(ctx, w.Tx, updateOrganizations, changed)
	}
	return engine.Each(ctx, w.Tx, updateOrganizations, changed, nil)
}
