package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/engine"
)

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// usageKey identifies an organization's jobs with one provider on one UTC day, counted since 1970.
type usageKey struct {
	organization string
	day          int64
	provider     string
}

// usageRow counts the jobs that ended on a day. It is never deleted.
type usageRow struct {
	usageKey
	completed int64
	failed    int64
	charged   int64
}

var (
	usageTable = engine.NewTable("usage",
		engine.Field("organization", "uuid", func(u *usageRow) *string { return &u.organization }),
		engine.IntField("day", func(u *usageRow) *int64 { return &u.day }),
		engine.TextField("provider", func(u *usageRow) *string { return &u.provider }),
		engine.IntField("completed", func(u *usageRow) *int64 { return &u.completed }),
		engine.IntField("failed", func(u *usageRow) *int64 { return &u.failed }),
		engine.IntField("charged", func(u *usageRow) *int64 { return &u.charged }))
	addToUsage = usageTable.Insert(`
		ON CONFLICT (organization, day, provider) DO UPDATE SET
			completed = usage.completed + excluded.completed, failed = usage.failed + excluded.failed, charged = usage.charged + excluded.charged`)
)

// countUsage counts the jobs that this transaction ends. The locks on the organizations keep
// other transactions from writing the same rows.
func (w *Work) countUsage(ctx context.Context) error {
	sums := map[usageKey]*usageRow{}
	for _, task := range w.ended {
		key := usageKey{task.Organization, engine.Millis(task.FinishedAt) / dayMillis, task.Provider}
		sum := sums[key]
		if sum == nil {
			sum = &usageRow{usageKey: key}
			sums[key] = sum
		}
		if task.Status == earshot.StatusCompleted {
			sum.completed++
		} else {
			sum.failed++
		}
		sum.charged += *task.Charged
	}
	rows := slices.SortedFunc(maps.Values(sums), func(a, b *usageRow) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.day, b.day), cmp.Compare(a.provider, b.provider))
	})
	return engine.Each(ctx, w.Tx, addToUsage, rows, nil)
}

// Usage returns the ended jobs of an organization by day and provider, from one day to
// another, both included.
func (s *Store) Usage(ctx context.Context, organization string, from, to time.Time) (usage []earshot.DayUsage, err error) {
	rows, err := engine.FindRows(ctx, s.ShardOf(organization).Reports, usageTable, `WHERE organization = $1 AND day >= $2 AND day <= $3 ORDER BY day, provider`,
		organization, engine.Millis(from)/dayMillis, engine.Millis(to)/dayMillis)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	for _, row := range rows {
		usage = append(usage, earshot.DayUsage{
			Date: time.UnixMilli(row.day * dayMillis).UTC().Format(time.DateOnly), Provider: row.provider,
			Completed: row.completed, Failed: row.failed, CreditsCharged: row.charged,
		})
	}
	return usage, nil
}
