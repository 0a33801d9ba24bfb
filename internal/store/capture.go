package store

import (
	"context"
	"fmt"
	"time"

	"earshot"
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
	err := s.first(ctx, func(r scanner) error { return r.Scan(&c.Pages, &expires) },
		`SELECT pages, expires_at FROM captures WHERE id = $1 AND expires_at > $2`, id, millis(now))
	if err != nil {
		return c, fmt.Errorf("capture: %w", err)
	}
	c.ExpiresAt = time.UnixMilli(expires)
	return c, nil
}

// ExpiredCaptures are ids of captures past their time, some at once.
func (s *Store) ExpiredCaptures(ctx context.Context, now time.Time) ([]string, error) {
	var ids []string
	err := s.find(ctx, func(r scanner) error {
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

// CapturedJob is a capture and the job that made it, as it ended.
type CapturedJob struct {
	Capture
	Job    Job
	Status earshot.Status
	Result []byte // of a task; that of a call is not kept
}

// CapturedJobs are the captures that are kept, with their jobs.
func (s *Store) CapturedJobs(ctx context.Context, now time.Time) (all []CapturedJob, err error) {
	err = s.find(ctx, func(r scanner) error {
		var c CapturedJob
		var expires int64
		var packed []byte
		err := r.Scan(&c.ID, &c.Pages, &expires, &c.Job.ID, &c.Job.Organization, &c.Job.Provider, &c.Job.Mode, &c.Job.Request, &c.Status, &packed)
		if err != nil {
			return err
		}
		c.ExpiresAt = time.UnixMilli(expires)
		c.Result, err = unpack(packed)
		all = append(all, c)
		return err
	}, `
		SELECT c.id, c.pages, c.expires_at, f.id, f.organization, f.provider, f.mode, f.request, f.status, f.result
		FROM captures c JOIN finished f ON f.organization = c.organization AND f.id = c.job
		WHERE c.expires_at > $1 ORDER BY f.id`, millis(now))
	if err != nil {
		return nil, fmt.Errorf("list captures: %w", err)
	}
	return all, nil
}
