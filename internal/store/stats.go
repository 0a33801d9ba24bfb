package store

import (
	"context"
	"fmt"
	"time"

	"earshot"
)

const hourMillis = int64(time.Hour / time.Millisecond)

// roundedMs rounds how long a job took down by less than 5 %, so that an hour of
// any number of jobs is at most some 900 rows. What takes more than half an hour
// was left by a node that died.
const roundedMs = `CASE
	WHEN ms < 0 THEN 0
	WHEN ms < 200 THEN ms
	WHEN ms < 2000 THEN ms / 10 * 10
	WHEN ms < 20000 THEN ms / 100 * 100
	WHEN ms < 200000 THEN ms / 1000 * 1000
	WHEN ms < 2000000 THEN ms / 10000 * 10000
	WHEN ms >= 2000000 THEN 2000000 END`

// Stats is what an organization's jobs came to that ended from the hour of a
// moment on and are still kept, by hour and provider.
func (s *Store) Stats(ctx context.Context, organization string, from time.Time) (stats []earshot.HourStats, err error) {
	var current *hourSum
	finish := func() {
		if current != nil {
			stats = append(stats, current.stats())
		}
	}
	err = s.reports.find(ctx, func(r scanner) error {
		var one hourSum
		var took *int64
		var jobs, failed int64
		if err := r.Scan(&one.hour, &one.provider, &took, &jobs, &failed); err != nil {
			return err
		}
		if current == nil || current.hour != one.hour || current.provider != one.provider {
			finish()
			current = &one
		}
		current.add(took, jobs, failed)
		return nil
	}, `
		SELECT hour, provider, `+roundedMs+` AS took, COUNT(*), SUM(failed) FROM (
			SELECT finished_at / 3600000 AS hour, provider, finished_at - started_at AS ms, CASE status WHEN 'COMPLETED' THEN 0 ELSE 1 END AS failed
			FROM finished WHERE organization = $1 AND finished_at >= $2) AS jobs
		GROUP BY hour, provider, took ORDER BY hour, provider, took`, organization, millis(from)/hourMillis*hourMillis)
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	finish()
	return stats, nil
}

// hourSum adds up what one provider did in one hour.
type hourSum struct {
	hour         int64 // since 1970
	provider     string
	jobs, failed int64
	started      int64
	times        []timeCount // the shortest first
}

// timeCount is how many jobs took that long.
type timeCount struct{ ms, jobs int64 }

// add counts jobs that took equally long, or were never started.
func (h *hourSum) add(took *int64, jobs, failed int64) {
	h.jobs, h.failed = h.jobs+jobs, h.failed+failed
	if took != nil {
		h.started += jobs
		h.times = append(h.times, timeCount{*took, jobs})
	}
}

func (h *hourSum) stats() earshot.HourStats {
	return earshot.HourStats{
		At: earshot.At(h.hour * hourMillis), Provider: h.provider, Jobs: h.jobs, Failed: h.failed,
		P50Ms: h.percentile(50), P95Ms: h.percentile(95),
	}
}

// percentile is how long the slowest of the fastest p percent took.
func (h *hourSum) percentile(p int64) *int64 {
	rank, seen := (h.started*p+99)/100, int64(0)
	for _, t := range h.times {
		if seen += t.jobs; seen >= rank {
			return &t.ms
		}
	}
	return nil
}

// Load is how much the database has to do, over all organizations.
type Load struct {
	Queued  int64
	Running int64
	// OldestTransaction is how long the oldest one has been open: while it is,
	// nothing that was updated since can be cleaned up. 0 on SQLite.
	OldestTransaction time.Duration
}

// Load reads how much there is to do.
func (s *Store) Load(ctx context.Context) (l Load, err error) {
	err = s.reports.QueryRowContext(ctx, `SELECT COALESCE(SUM(queued), 0), COALESCE(SUM(running), 0) FROM organizations`).Scan(&l.Queued, &l.Running)
	if err == nil && !s.dialect.exclusive {
		var seconds float64
		err = s.reports.QueryRowContext(ctx, `
			SELECT COALESCE(MAX(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&seconds)
		l.OldestTransaction = time.Duration(seconds * float64(time.Second))
	}
	if err != nil {
		return l, fmt.Errorf("read the load: %w", err)
	}
	return l, nil
}
