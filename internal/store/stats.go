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
	"earshot/internal/store/latency"
)

const hourMillis = int64(time.Hour / time.Millisecond)

// neverStarted replaces the latency of jobs that ended without having started.
const neverStarted = -1

// statsKey identifies the jobs of an organization that ended in the same hour (counted since
// 1970), with the same provider and the same rounded latency.
type statsKey struct {
	organization string
	hour         int64
	provider     string
	ms           int64 // rounded, or neverStarted
}

// statsRow counts the jobs of a statsKey.
type statsRow struct {
	statsKey
	jobs   int64
	failed int64
}

var (
	statsTable = engine.NewTable("statistics",
		engine.Field("organization", "uuid", func(r *statsRow) *string { return &r.organization }),
		engine.IntField("hour", func(r *statsRow) *int64 { return &r.hour }),
		engine.TextField("provider", func(r *statsRow) *string { return &r.provider }),
		engine.IntField("ms", func(r *statsRow) *int64 { return &r.ms }),
		engine.IntField("jobs", func(r *statsRow) *int64 { return &r.jobs }),
		engine.IntField("failed", func(r *statsRow) *int64 { return &r.failed }))
	addToStats = statsTable.Insert(`
		ON CONFLICT (organization, hour, provider, ms) DO UPDATE SET
			jobs = statistics.jobs + excluded.jobs, failed = statistics.failed + excluded.failed`)
	statsKeys   = engine.NewTable("statistics", statsTable.Only("organization", "hour", "provider", "ms")...)
	deleteStats = statsKeys.Delete("organization", "hour", "provider", "ms")
)

// countStats counts the jobs that this transaction ends. As in countUsage, the locks on the
// organizations keep other transactions from writing the same rows.
func (w *Work) countStats(ctx context.Context) error {
	sums := map[statsKey]*statsRow{}
	for _, task := range w.ended {
		end := engine.Millis(task.FinishedAt)
		key := statsKey{task.Organization, end / hourMillis, task.Provider, neverStarted}
		if !task.StartedAt.IsZero() {
			key.ms = latency.Round(end - engine.Millis(task.StartedAt))
		}
		sum := sums[key]
		if sum == nil {
			sum = &statsRow{statsKey: key}
			sums[key] = sum
		}
		sum.jobs++
		if task.Status != earshot.StatusCompleted {
			sum.failed++
		}
	}
	rows := slices.SortedFunc(maps.Values(sums), func(a, b *statsRow) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.hour, b.hour), cmp.Compare(a.provider, b.provider), cmp.Compare(a.ms, b.ms))
	})
	return engine.Each(ctx, w.Tx, addToStats, rows, nil)
}

// DeleteStats deletes a batch of the statistics of hours before a time and returns their
// number. Call it again until it returns 0.
func (s *Store) DeleteStats(ctx context.Context, before time.Time) (int, error) {
	n, err := s.sumOverShards(func(p *engine.Shard) (int, error) { return deleteStatsBefore(ctx, p, before) })
	return n, engine.Wrap(err, "delete statistics")
}

func deleteStatsBefore(ctx context.Context, p *engine.Shard, before time.Time) (int, error) {
	var old []*statsRow
	err := p.Lookups.Find(ctx, engine.Collect(statsKeys, &old), `
		SELECT `+statsKeys.List+` FROM organizations o JOIN statistics ON statistics.organization = o.id AND statistics.hour < $1
		LIMIT $2`, engine.Millis(before)/hourMillis, PruneBatch)
	if err == nil && len(old) > 0 {
		err = p.Execute(func(ctx context.Context, tx *engine.Tx) error { return engine.Each(ctx, tx, deleteStats, old, nil) })
	}
	return len(old), err
}

// Stats returns statistics of an organization's jobs by hour and provider, beginning with the
// hour that contains from.
func (s *Store) Stats(ctx context.Context, organization string, from time.Time) (stats []earshot.HourStats, err error) {
	var current *hourSum
	finish := func() {
		if current != nil {
			stats = append(stats, current.stats())
		}
	}
	err = s.ShardOf(organization).Reports.Find(ctx, func(found engine.Scanner) error {
		var row statsRow
		if err := found.Scan(statsTable.Targets(&row)...); err != nil {
			return err
		}
		if current == nil || current.hour != row.hour || current.provider != row.provider {
			finish()
			current = &hourSum{hour: row.hour, provider: row.provider}
		}
		current.add(row)
		return nil
	}, `SELECT `+statsTable.List+` FROM statistics WHERE organization = $1 AND hour >= $2 ORDER BY hour, provider, ms`,
		organization, engine.Millis(from)/hourMillis)
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	finish()
	return stats, nil
}

// hourSum adds up the jobs of one provider in one hour.
type hourSum struct {
	hour         int64 // since 1970
	provider     string
	jobs, failed int64
	times        latency.Times // of jobs that started
}

// add counts the jobs of a row.
func (h *hourSum) add(row statsRow) {
	h.jobs, h.failed = h.jobs+row.jobs, h.failed+row.failed
	if row.ms != neverStarted {
		h.times.Add(row.ms, row.jobs)
	}
}

func (h *hourSum) stats() earshot.HourStats {
	return earshot.HourStats{
		At: earshot.At(h.hour * hourMillis), Provider: h.provider, Jobs: h.jobs, Failed: h.failed,
		P50Ms: h.times.Percentile(50), P95Ms: h.times.Percentile(95),
	}
}

// Load is the amount of work in the database, over all organizations.
type Load struct {
	Queued  int64
	Running int64
	// OldestTransaction is the age of the oldest open transaction. PostgreSQL cannot vacuum rows
	// that were updated since it began. 0 on SQLite.
	OldestTransaction time.Duration
}

// Load returns the current load.
func (s *Store) Load(ctx context.Context) (l Load, err error) {
	loads, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]Load, error) {
		var l Load
		err := p.Reports.QueryRowContext(ctx, `SELECT COALESCE(SUM(queued), 0), COALESCE(SUM(running), 0) FROM organizations`).Scan(&l.Queued, &l.Running)
		return []Load{l}, err
	})
	for _, some := range loads {
		l.Queued, l.Running = l.Queued+some.Queued, l.Running+some.Running
	}
	if err == nil && !s.Dialect.Exclusive {
		var seconds float64
		err = s.Reports.QueryRowContext(ctx, `
			SELECT COALESCE(MAX(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&seconds)
		l.OldestTransaction = time.Duration(seconds * float64(time.Second))
	}
	return l, engine.Wrap(err, "read the load")
}
