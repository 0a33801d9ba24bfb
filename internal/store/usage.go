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

type usageDay struct {
	organization string
	day          int64 // since 1970, UTC
	provider     string
}

type useSum struct{ completed, failed, charged int64 }

// use counts an ended job.
func (w *work) use(job *Job, end Settlement, at int64) {
	day := usageDay{job.Organization, at / dayMillis, job.Provider}
	sum := w.days[day]
	if sum == nil {
		sum = &useSum{}
		w.days[day] = sum
	}
	if end.Status == earshot.StatusCompleted {
		sum.completed++
	} else {
		sum.failed++
	}
	sum.charged += end.Charge
}

func (w *work) storeUsage(ctx context.Context) error {
	days := slices.SortedFunc(maps.Keys(w.days), func(a, b usageDay) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.day, b.day), cmp.Compare(a.provider, b.provider))
	})
	return w.each(ctx, table(len(days)).
		uuid("organization", func(i int) string { return days[i].organization }).
		int("day", func(i int) int64 { return days[i].day }).
		text("provider", func(i int) string { return days[i].provider }).
		int("completed", func(i int) int64 { return w.days[days[i]].completed }).
		int("failed", func(i int) int64 { return w.days[days[i]].failed }).
		int("charged", func(i int) int64 { return w.days[days[i]].charged }), `
		INSERT INTO usage (organization, day, provider, completed, failed, charged)
		SELECT organization, day, provider, completed, failed, charged FROM $rows WHERE true
		ON CONFLICT (organization, day, provider) DO UPDATE SET
			completed = usage.completed + excluded.completed, failed = usage.failed + excluded.failed, charged = usage.charged + excluded.charged`, nil)
}

// Usage tells what an organization's jobs came to, by day and provider, from one
// day to another, both included.
func (s *Store) Usage(ctx context.Context, organization string, from, to time.Time) (usage []earshot.DayUsage, err error) {
	err = s.find(ctx, func(r scanner) error {
		var one earshot.DayUsage
		var day int64
		err := r.Scan(&day, &one.Provider, &one.Completed, &one.Failed, &one.CreditsCharged)
		one.Date = time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly)
		usage = append(usage, one)
		return err
	}, `
		SELECT day, provider, completed, failed, charged FROM usage
		WHERE organization = $1 AND day >= $2 AND day <= $3 ORDER BY day, provider`, organization, millis(from)/dayMillis, millis(to)/dayMillis)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return usage, nil
}
