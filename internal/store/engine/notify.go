package engine

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// channel is the PostgreSQL notification channel for new tasks.
const channel = "earshot_tasks"

// Notify tells the other nodes that there may be tasks to start. It does not run inside the
// transaction of a submission, where the notification would delay other commits. On SQLite it
// does nothing.
func (s *DB) Notify(ctx context.Context) error {
	if s.Dialect.Exclusive {
		return nil
	}
	_, err := s.Lookups.ExecContext(ctx, `SELECT pg_notify($1, '')`, channel)
	return Wrap(err, "notify other nodes")
}

// Listen calls notified at once, since notifications may have been missed, and then whenever
// another node may have called Notify. It returns when ctx ends or the connection breaks. On
// SQLite it returns nil at once.
func (s *DB) Listen(ctx context.Context, notified func()) error {
	if s.Dialect.Exclusive {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, s.Listener.Copy())
	if err != nil {
		return fmt.Errorf("listen to other nodes: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return fmt.Errorf("listen to other nodes: %w", err)
	}
	for {
		notified()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return fmt.Errorf("listen to other nodes: %w", err)
		}
	}
}
