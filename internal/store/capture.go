package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"earshot/internal/store/engine"
)

// Capture describes the stored pages of a job.
type Capture struct {
	ID        string
	Pages     int
	ExpiresAt time.Time
}

// captureRow is a capture and the job that made it.
type captureRow struct {
	Capture
	organization string
	job          string
}

var (
	capturesTable = engine.NewTable("captures",
		engine.TextField("id", func(c *captureRow) *string { return &c.ID }),
		engine.Field("organization", "uuid", func(c *captureRow) *string { return &c.organization }),
		engine.Field("job", "uuid", func(c *captureRow) *string { return &c.job }),
		engine.IntField("pages", func(c *captureRow) *int { return &c.Pages }),
		engine.TimeField("expires_at", func(c *captureRow) *time.Time { return &c.ExpiresAt }))
	insertCaptures = capturesTable.Insert("")
)

// Capture returns a capture that has not expired. It returns ErrNotFound only if all shards answer.
func (s *Store) Capture(ctx context.Context, id string, now time.Time) (Capture, error) {
	var failed atomic.Pointer[error] // of a shard that does not answer
	found, err := engine.FirstOf(engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*captureRow, error) {
		rows, err := engine.FindRows(ctx, p.Lookups, capturesTable, `WHERE id = $1 AND expires_at > $2`, id, engine.Millis(now))
		if err != nil {
			failed.Store(&err)
		}
		return rows, err
	}))
	if other := failed.Load(); errors.Is(err, ErrNotFound) && other != nil {
		err = *other
	}
	if err != nil {
		return Capture{}, fmt.Errorf("capture: %w", err)
	}
	return found.Capture, nil
}

// ExpiredCaptures returns the ids of a batch of expired captures.
func (s *Store) ExpiredCaptures(ctx context.Context, now time.Time) ([]string, error) {
	ids, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]string, error) {
		return engine.FindValues[string](ctx, p.Lookups,
			`SELECT id FROM captures WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`, engine.Millis(now), PruneBatch)
	})
	return ids, engine.Wrap(err, "find expired captures")
}

// DeleteCapture deletes the record of a capture whose pages were deleted.
func (s *Store) DeleteCapture(id string) error {
	return engine.Wrap(s.RunOnAllShards(`DELETE FROM captures WHERE id = $1`, id), "delete capture")
}
