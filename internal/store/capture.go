package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Capture is the record of stored pages.
type Capture struct {
	ID        string
	Pages     int
	ExpiresAt time.Time
}

// captured is a capture and the job that made it.
type captured struct {
	Capture
	job Job
}

func (w *work) storeCaptures(ctx context.Context) error {
	all := w.captured
	return w.each(ctx, table(len(all)).
		text("id", func(i int) string { return all[i].ID }).
		uuid("organization", func(i int) string { return all[i].job.Organization }).
		uuid("job", func(i int) string { return all[i].job.ID }).
		int("pages", func(i int) int64 { return int64(all[i].Pages) }).
		int("expires_at", func(i int) int64 { return millis(all[i].ExpiresAt) }), `
		INSERT INTO captures (id, organization, job, pages, expires_at) SELECT id, organization, job, pages, expires_at FROM $rows`, nil)
}

// Capture finds a capture that has not expired. Returns ErrNotFound.
func (s *Store) Capture(ctx context.Context, id string, now time.Time) (Capture, error) {
	c := Capture{ID: id}
	var expires int64
	err := s.reads.QueryRowContext(ctx, `SELECT pages, expires_at FROM captures WHERE id = $1 AND expires_at > $2`, id, millis(now)).
		Scan(&c.Pages, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return c, fmt.Errorf("capture: %w", ErrNotFound)
	}
	if err != nil {
		return c, fmt.Errorf("capture: %w", err)
	}
	c.ExpiresAt = time.UnixMilli(expires)
	return c, nil
}

// ExpiredCaptures are ids of captures past their time, some at once.
func (s *Store) ExpiredCaptures(ctx context.Context, now time.Time) ([]string, error) {
	var ids []string
	err := find(ctx, s.reads, func(r scanner) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM captures WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`, millis(now), pruneBatch)
	if err != nil {
		return nil, fmt.Errorf("find expired captures: %w", err)
	}
	return ids, nil
}

// DeleteCapture removes the record of a capture whose pages are gone.
func (s *Store) DeleteCapture(id string) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM captures WHERE id = $1`, id); err != nil {
			return fmt.Errorf("delete capture: %w", err)
		}
		return nil
	})
}
