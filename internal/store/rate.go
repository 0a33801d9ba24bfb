package store

import (
	"context"
	"fmt"
	"time"
)

// CountRequests adds n requests to the organization's window, which opens with
// its first request and lasts for length, and tells how many are in it then.
// All nodes share the window, by the database's clock. PostgreSQL only: on
// SQLite one process sees every request and counts in memory.
func (s *Store) CountRequests(ctx context.Context, organization string, n int, length time.Duration) (used int, err error) {
	// The table is unlogged, so the commit waits for no disk.
	err = s.writes.QueryRowContext(ctx, `
		INSERT INTO rate_windows AS w (organization, opened_at, used) VALUES ($1, `+s.dialect.now+`, $2)
		ON CONFLICT (organization) DO UPDATE SET
			used      = excluded.used + CASE WHEN abs(excluded.opened_at - w.opened_at) >= $3 THEN 0 ELSE w.used END,
			opened_at = CASE WHEN abs(excluded.opened_at - w.opened_at) >= $3 THEN excluded.opened_at ELSE w.opened_at END
		RETURNING used`, organization, n, length.Milliseconds()).Scan(&used)
	if err != nil {
		return 0, fmt.Errorf("count requests of organization %s: %w", organization, err)
	}
	return used, nil
}
