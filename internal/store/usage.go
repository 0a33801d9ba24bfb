package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
)

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// usageDay is what one provider did for an organization on a day since 1970, UTC.
type usageDay struct {
	organization string
	day          int64
	provider     string
	completed    int64
	failed       int64
	charged      int64
}

var (
	usageTable = newTable("usage",
		field("organization", "uuid", func(u *usageDay) *string { return &u.organization }),
		intField("day", func(u *usageDay) *int64 { return &u.day }),
		textField("provider", func(u *usageDay) *string { return &u.provider }),
		intField("completed", func(u *usageDay) *int64 { return &u.completed }),
		intField("failed", func(u *usageDay) *int64 { return &u.failed }),
		intField("charged", func(u *usageDay) *int64 { return &u.charged }))
	addToUsage = usageTable.insert(`
		ON CONFLICT (organization, day, provider) DO UPDATE SET
			completed = usage.completed + excluded.completed, failed = usage.failed + excluded.failed, charged = usage.charged + excluded.charged`)
)

// addUsage keeps what jobs came to that are about to be forgotten. As long as they
// are kept, they are counted themselves, so that a settle need not.
func (t *tx) addUsage(ctx context.Context, forgotten []*Task) error {
	type key struct {
		organization string
		day          int64
		provider     string
	}
	sums := map[key]*usageDay{}
	for _, task := range forgotten {
		k := key{task.Organization, millis(task.FinishedAt) / dayMillis, task.Provider}
		sum := sums[k]
		if sum == nil {
			sum = &usageDay{organization: k.organization, day: k.day, provider: k.provider}
			sums[k] = sum
		}
		if task.Status == earshot.StatusCompleted {
			sum.completed++
		} else {
			sum.failed++
		}
		sum.charged += *task.Charged
	}
	days := slices.SortedFunc(maps.Values(sums), func(a, b *usageDay) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.day, b.day), cmp.Compare(a.provider, b.provider))
	})
	if err := each(ctx, t, addToUsage, days, nil); err != nil {
		return fmt.Errorf("count usage: %w", err)
	}
	return nil
}

// Usage is what an organization's jobs came to, by day and provider, from one
// day to another, both included: those that are kept and those that were.
func (s *Store) Usage(ctx context.Context, organization string, from, to time.Time) (usage []earshot.DayUsage, err error) {
	err = s.reports.find(ctx, func(r scanner) error {
		var one earshot.DayUsage
		var day int64
		err := r.Scan(&day, &one.Provider, &one.Completed, &one.Failed, &one.CreditsCharged)
		one.Date = time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly)
		usage = append(usage, one)
		return err
	}, `
		SELECT day, provider, CAST(SUM(completed) AS bigint), CAST(SUM(failed) AS bigint), CAST(SUM(charged) AS bigint) FROM (
			SELECT day, provider, completed, failed, charged FROM usage WHERE organization = $1 AND day >= $2 AND day <= $3
			UNION ALL
			SELECT finished_at / 86400000, provider, CASE status WHEN 'COMPLETED' THEN 1 ELSE 0 END, CASE status WHEN 'COMPLETED' THEN 0 ELSE 1 END, charged
			FROM finished WHERE organization = $1 AND finished_at / 86400000 >= $2 AND finished_at / 86400000 <= $3) AS days
		GROUP BY day, provider ORDER BY day, provider`, organization, millis(from)/dayMillis, millis(to)/dayMillis)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return usage, nil
}
