package store

import (
	"context"
	"fmt"
	"time"
)

// Load is how much the database has to do, over all organizations.
type Load struct {
	Queued  int64
	Running int64
	// OldestTransaction is how long the oldest one has been open: while it is,
	// nothing that was updated since can be cleaned up. 0 on SQLite.
	OldestTransaction time.Duration
}

// Load tells how much there is to do.
func (s *Store) Load(ctx context.Context) (l Load, err error) {
	err = s.reads.QueryRowContext(ctx, `SELECT COALESCE(SUM(queued), 0), COALESCE(SUM(running), 0) FROM organizations`).Scan(&l.Queued, &l.Running)
	if err == nil && !s.dialect.exclusive {
		var seconds float64
		err = s.reads.QueryRowContext(ctx, `
			SELECT COALESCE(MAX(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&seconds)
		l.OldestTransaction = time.Duration(seconds * float64(time.Second))
	}
	if err != nil {
		return l, fmt.Errorf("read the load: %w", err)
	}
	return l, nil
}
