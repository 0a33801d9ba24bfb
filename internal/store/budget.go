package store

import (
	"context"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/store/engine"
)

// keyBudget is a row of key_budgets: how much a key may spend, and how much it has spent. It is
// read and changed only while the row of its organization is locked.
type keyBudget struct {
	organization string
	keyID        string
	perDay       int64 // 0 for no limit
	perMonth     int64
	day          int64 // since 1970, UTC
	dayUsed      int64
	monthUsed    int64
	held         int64
	since        int64
}

var (
	budgetsTable = engine.NewTable("key_budgets",
		engine.Field("organization", "uuid", func(b *keyBudget) *string { return &b.organization }),
		engine.TextField("key_id", func(b *keyBudget) *string { return &b.keyID }),
		engine.IntField("per_day", func(b *keyBudget) *int64 { return &b.perDay }),
		engine.IntField("per_month", func(b *keyBudget) *int64 { return &b.perMonth }),
		engine.IntField("day", func(b *keyBudget) *int64 { return &b.day }),
		engine.IntField("day_used", func(b *keyBudget) *int64 { return &b.dayUsed }),
		engine.IntField("month_used", func(b *keyBudget) *int64 { return &b.monthUsed }),
		engine.IntField("held", func(b *keyBudget) *int64 { return &b.held }),
		engine.IntField("since", func(b *keyBudget) *int64 { return &b.since }))
	upsertBudgets = budgetsTable.Insert(`ON CONFLICT (organization, key_id) DO UPDATE SET per_day = excluded.per_day, per_month = excluded.per_month,
		day = excluded.day, day_used = excluded.day_used, month_used = excluded.month_used, held = excluded.held`)
	selectBudgets = budgetsTable.Select("organization", "key_id")
)

// lockedBudget is a budget in a transaction.
type lockedBudget struct {
	keyBudget
	before keyBudget
}

// readBudgets reads the budgets of the keys of jobs whose organizations are locked. The number of other
// keys with a budget, many of which may be revoked, does not matter.
func (w *Work) readBudgets(ctx context.Context, jobs ...*Job) error {
	var asked []*keyBudget
	for _, job := range jobs {
		key := taskKey{job.Organization, job.KeyID}
		o, known := w.organizations[job.Organization]
		if _, read := w.budgets[key]; !read && known && o.KeyBudgets > 0 {
			w.budgets[key] = nil
			asked = append(asked, &keyBudget{organization: job.Organization, keyID: job.KeyID})
		}
	}
	var found []*keyBudget
	if err := engine.Each(ctx, w.Tx, selectBudgets, asked, engine.Collect(budgetsTable, &found)); err != nil {
		return fmt.Errorf("read the budgets of keys: %w", err)
	}
	for _, b := range found {
		w.budgets[taskKey{b.organization, b.keyID}] = &lockedBudget{*b, *b}
	}
	return nil
}

// storeBudgets writes the budgets that changed.
func (w *Work) storeBudgets(ctx context.Context) error {
	var changed []*keyBudget
	for _, b := range w.budgets {
		if b != nil && b.keyBudget != b.before {
			changed = append(changed, &b.keyBudget)
		}
	}
	return engine.Each(ctx, w.Tx, upsertBudgets, changed, nil)
}

// budget returns the budget of a job's key, or nil if it has none. If now is on a later day and
// the trusted clock agrees, the budget begins that day. readBudgets must have read it.
func (w *Work) budget(job *Job, now time.Time) *lockedBudget {
	b, read := w.budgets[taskKey{job.Organization, job.KeyID}]
	if !read && w.organizations[job.Organization].KeyBudgets > 0 {
		panic("store: the budget of a job's key was not read")
	}
	if b == nil || engine.Millis(now)/dayMillis <= b.day {
		return b
	}
	if now, err := w.Clock.Decisive(now); err == nil {
		b.begin(engine.Millis(now) / dayMillis)
	}
	return b
}

// begin resets the counters for a new day.
func (b *keyBudget) begin(day int64) {
	if day <= b.day {
		return
	}
	if monthStart(day) != monthStart(b.day) {
		b.monthUsed = 0
	}
	b.day, b.dayUsed = day, 0
}

// monthStart returns the beginning of the month of a day.
func monthStart(day int64) time.Time {
	at := time.UnixMilli(day * dayMillis).UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// checkBudget returns the reason why a job would exceed a budget of its key, or nil. waits
// reports whether the job would fit if the running jobs of the key were not charged.
func (w *Work) checkBudget(job *Job, now time.Time) (waits bool, why error) {
	b := w.budget(job, now)
	if b == nil {
		return false, nil
	}
	for _, limit := range []struct {
		period        string
		ceiling, used int64
		resets        time.Time
	}{
		{"day", b.perDay, b.dayUsed, time.UnixMilli((b.day + 1) * dayMillis)},
		{"month", b.perMonth, b.monthUsed, monthStart(b.day).AddDate(0, 1, 0)},
	} {
		if limit.ceiling == 0 || limit.used+b.held+job.MaxCost <= limit.ceiling {
			continue
		}
		resets := earshot.Timestamp{Time: limit.resets}
		why = &earshot.Error{
			Code: earshot.CodeKeyBudget,
			Message: fmt.Sprintf("the key %s may spend %d credits a %s: %d are spent, %d are held for running jobs, and this can cost %d; the budget resets at %s",
				b.keyID, limit.ceiling, limit.period, limit.used, b.held, job.MaxCost, limit.resets.UTC().Format(time.RFC3339)),
			Details: earshot.KeyBudgetDetails{
				KeyID: b.keyID, Period: limit.period, Ceiling: limit.ceiling, Used: limit.used, Held: b.held, Required: job.MaxCost, ResetsAt: resets,
			},
		}
		if waits = limit.used+job.MaxCost <= limit.ceiling; !waits {
			return false, why
		}
	}
	return waits, why
}

// holdBudget holds the maximum cost of a job. releaseBudget releases the held credits and adds the
// charge.
func (w *Work) holdBudget(job *Job) {
	if b := w.budgets[taskKey{job.Organization, job.KeyID}]; b != nil {
		b.held += job.MaxCost
	}
}

func (w *Work) releaseBudget(job *Job, held, charged int64, now time.Time) {
	if b := w.budget(job, now); b != nil {
		b.held -= held
		b.dayUsed += charged
		b.monthUsed += charged
	}
}

// Budget returns the budgets of a key whose organization is locked; 0 is no limit.
func (w *Work) Budget(ctx context.Context, organization, id string) (perDay, perMonth int64, err error) {
	err = w.readBudgets(ctx, &Job{Organization: organization, KeyID: id})
	if b := w.budgets[taskKey{organization, id}]; b != nil {
		return b.perDay, b.perMonth, err
	}
	return 0, 0, err
}

// SetBudget changes the budgets of a key whose organization is locked.
func (w *Work) SetBudget(ctx context.Context, organization, id string, perDay, perMonth int64, now time.Time) error {
	key := taskKey{organization, id}
	if err := w.readBudgets(ctx, &Job{Organization: organization, KeyID: id}); err != nil {
		return err
	}
	known := w.budgets[key]
	switch {
	case known == nil && perDay == 0 && perMonth == 0:
		return nil
	case perDay == 0 && perMonth == 0:
		w.budgets[key] = nil
		if _, err := w.ExecContext(ctx, `DELETE FROM key_budgets WHERE organization = $1 AND key_id = $2`, organization, id); err != nil {
			return err
		}
		return w.countBudgets(ctx, organization, -1)
	case known != nil:
		known.perDay, known.perMonth = perDay, perMonth
		return nil
	}
	// Running jobs of the key hold credits already. Jobs that this transaction begins or ends are
	// not stored yet.
	held, err := engine.FindValues[int64](ctx, w, `SELECT COALESCE(SUM(most), 0) FROM jobs WHERE organization = $1 AND key_id = $2 AND status = 'PROCESSING'`, organization, id)
	if err != nil {
		return err
	}
	b := &lockedBudget{keyBudget: keyBudget{organization: organization, keyID: id, perDay: perDay, perMonth: perMonth, day: engine.Millis(now) / dayMillis, held: held[0], since: engine.Millis(now)}}
	for _, job := range w.inserted {
		if job.Organization == organization && job.KeyID == id && job.Status == earshot.StatusProcessing {
			b.held += job.MaxCost
		}
	}
	for _, task := range w.ended {
		if task.Organization == organization && task.KeyID == id {
			b.held -= task.MaxCost
		}
	}
	w.budgets[key] = b
	return w.countBudgets(ctx, organization, 1)
}

// countBudgets changes the number of keys of an organization that have a budget.
func (w *Work) countBudgets(ctx context.Context, organization string, more int) error {
	w.organizations[organization].KeyBudgets += more
	_, err := w.ExecContext(ctx, `UPDATE organizations SET key_budgets = key_budgets + $2 WHERE id = $1`, organization, more)
	return err
}

// KeyBudgets returns the budgets of an organization's keys by the id of the key.
func (s *Store) KeyBudgets(ctx context.Context, organization string, now time.Time) (map[string]*earshot.KeyBudget, error) {
	found, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, budgetsTable, `WHERE organization = $1`, organization)
	if err != nil {
		return nil, fmt.Errorf("read the budgets of keys: %w", err)
	}
	budgets := make(map[string]*earshot.KeyBudget, len(found))
	for _, b := range found {
		b.begin(engine.Millis(now) / dayMillis)
		budgets[b.keyID] = &earshot.KeyBudget{CreditsPerDay: b.perDay, CreditsPerMonth: b.perMonth, UsedToday: b.dayUsed, UsedThisMonth: b.monthUsed, Held: b.held}
	}
	return budgets, nil
}
