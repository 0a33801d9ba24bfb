package engine

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// channel is where nodes call each other.
const channel = "earshot_tasks"

// Notify calls the other nodes: there may be tasks to start. It has a connection
// of its own, since inside the transaction of a submission it would hold up
// others. On SQLite there is nobody to call.
func (s *DB) Notify(ctx context.Context) error {
	if s.Dialect.Exclusive {
		return nil
	}
	if _, err := s.Lookups.ExecContext(ctx, `SELECT pg_notify($1, '')`, channel); err != nil {
		return fmt.Errorf("notify other nodes: %w", err)
	}
	return nil
}

// Listen calls notified whenever another node may have notified, and at once, since
// it may have done so before. It returns when ctx ends or the connection breaks;
// on SQLite at once, without an error.
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
