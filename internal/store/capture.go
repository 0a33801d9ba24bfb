package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"earshot"
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

// CapturedJob is a capture and the ended job that made it.
type CapturedJob struct {
	Capture
	Job    Job
	Status earshot.Status
	Result []byte // of a task; results of calls are not kept
}

// CapturedJobs returns all captures that have not expired, with their jobs.
func (s *Store) CapturedJobs(ctx context.Context, now time.Time) (all []CapturedJob, err error) {
	add := func(r engine.Scanner) error {
		var c captureRow
		var t Task
		if err := r.Scan(append(capturesTable.Targets(&c), FinishedTable.Targets(&t)...)...); err != nil {
			return err
		}
		result, err := Unpack(t.Packed)
		all = append(all, CapturedJob{Capture: c.Capture, Job: t.Job, Status: t.Status, Result: result})
		return err
	}
	for _, p := range s.Shards {
		err = p.Reports.WithoutLimit(ctx, func(stored engine.Snapshot) error {
			return stored.Find(ctx, add, `
				SELECT `+capturesTable.List+`, `+FinishedTable.List+`
				FROM captures JOIN finished ON finished.organization = captures.organization AND finished.id = captures.job
				WHERE captures.expires_at > $1 ORDER BY finished.id`, engine.Millis(now))
		})
		if err != nil {
			return nil, fmt.Errorf("list captures: %w", err)
		}
	}
	return all, nil
}
