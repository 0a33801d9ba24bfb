package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// pruneBatch keeps the transactions of house-keeping short.
const pruneBatch = 500

// DeleteFinished removes jobs that were created and ended before the given times,
// with their keys and deliveries, some at once. Those whose webhook is still to be
// sent stay. It tells how many there were: as long as there are any, call it
// again.
func (s *Store) DeleteFinished(ctx context.Context, created, ended time.Time) (int, error) {
	type job struct {
		use
		id  string
		key *string
	}
	var old []job
	err := s.find(ctx, func(r scanner) error {
		var one job
		var finished int64
		err := r.Scan(&one.organization, &one.id, &one.key, &one.provider, &one.status, &one.charged, &finished)
		one.day = finished / dayMillis
		old = append(old, one)
		return err
	}, `
		SELECT f.organization, f.id, f.idempotency_key, f.provider, f.status, f.charged, f.finished_at
		FROM organizations o JOIN finished f ON f.organization = o.id AND f.id < $1
		WHERE f.finished_at < $2 AND NOT EXISTS (
			SELECT 1 FROM deliveries d WHERE d.organization = f.organization AND d.job = f.id AND d.due_at IS NOT NULL)
		LIMIT $3`, firstID(created), millis(ended), pruneBatch)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	owners := func() *rows {
		return table(len(old)).uuid("organization", func(i int) string { return old[i].organization })
	}
	id := func(i int) string { return old[i].id }
	err = s.execute(func(ctx context.Context, tx *tx) error {
		// Another node may be at it, too: each job is counted by whoever removes it.
		gone := map[string]bool{}
		err := tx.removed(ctx, owners().uuid("id", id), `DELETE FROM finished WHERE $match`, id, func(id string) { gone[id] = true })
		if err != nil {
			return fmt.Errorf("delete finished jobs: %w", err)
		}
		var uses []use
		for _, one := range old {
			if gone[one.id] {
				uses = append(uses, one.use)
			}
		}
		if err := tx.addUsage(ctx, uses); err != nil {
			return err
		}
		err = tx.each(ctx, owners().maybeText("key", func(i int) *string { return old[i].key }).uuid("job", id),
			`DELETE FROM idempotency_keys WHERE $match`, nil)
		if err != nil {
			return fmt.Errorf("free idempotency keys: %w", err)
		}
		receivers := map[receiver]bool{}
		err = tx.each(ctx, owners().uuid("job", id), `DELETE FROM deliveries WHERE $match RETURNING organization, origin`, func(r scanner) error {
			var one receiver
			err := r.Scan(&one.organization, &one.origin)
			receivers[one] = true
			return err
		})
		if err != nil {
			return fmt.Errorf("delete deliveries: %w", err)
		}
		return tx.forget(ctx, receivers)
	})
	return len(old), err
}

// firstID is where the ids of a moment begin.
func firstID(t time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, millis(t)))<<16)
	return id.String()
}

// forget removes receivers for which nothing waits. The next delivery makes them
// again.
func (t *tx) forget(ctx context.Context, receivers map[receiver]bool) error {
	var all []receiver
	for r := range receivers {
		all = append(all, r)
	}
	err := t.each(ctx, table(len(all)).
		uuid("organization", func(i int) string { return all[i].organization }).
		text("origin", func(i int) string { return all[i].origin }), `
		DELETE FROM receivers WHERE $match AND due_at IS NULL AND leased_until = 0`, nil)
	if err != nil {
		return fmt.Errorf("forget receivers: %w", err)
	}
	return nil
}
