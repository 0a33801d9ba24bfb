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

func insertCapture(ctx context.Context, tx *tx, job Job, c Capture) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO captures (id, organization, job, pages, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		c.ID, job.Organization, job.ID, c.Pages, millis(c.ExpiresAt))
	if err != nil {
		return fmt.Errorf("insert capture: %w", err)
	}
	return nil
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

// pruneBatch keeps the transactions of house-keeping short.
const pruneBatch = 500

// ExpiredCaptures are ids of captures past their time, some at once.
func (s *Store) ExpiredCaptures(ctx context.Context, now time.Time) ([]string, error) {
	rows, err := s.reads.QueryContext(ctx, `SELECT id FROM captures WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`, millis(now), pruneBatch)
	if err != nil {
		return nil, fmt.Errorf("find expired captures: %w", err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("find expired captures: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// DeleteCapture removes the record of a capture whose pages are gone.
func (s *Store) DeleteCapture(id string) error {
	return s.write(id, func(ctx context.Context, tx *tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM captures WHERE id = $1`, id); err != nil {
			return fmt.Errorf("delete capture: %w", err)
		}
		return nil
	})
}

// DeleteFinished removes finished jobs that were created before a time, some at
// once. It tells how many: as long as there are any, call it again.
func (s *Store) DeleteFinished(before time.Time) (n int64, err error) {
	err = s.write("", func(ctx context.Context, tx *tx) error {
		result, err := tx.ExecContext(ctx, `
			DELETE FROM finished WHERE id IN (SELECT id FROM finished WHERE created_at < $1 ORDER BY created_at LIMIT $2)`,
			millis(before), pruneBatch)
		if err != nil {
			return fmt.Errorf("delete finished jobs: %w", err)
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}
