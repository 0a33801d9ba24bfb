package job

import (
	"context"
	"errors"
	"time"

	"earshot/internal/store"
)

// tidyEvery keeps the batches of removals small.
const tidyEvery = time.Minute

// orphanAge is when a capture without a record is no longer one that is just
// being settled.
const orphanAge = time.Hour

// tidy removes what is past its time.
func (r *Runner) tidy(ctx context.Context) error {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for {
		if err := r.tidyOnce(ctx, time.Now()); err != nil && ctx.Err() == nil {
			r.Log.Error("tidying up failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (r *Runner) tidyOnce(ctx context.Context, now time.Time) error {
	return errors.Join(r.dropFinished(ctx, now), r.dropCaptures(ctx, now), r.dropOrphans(ctx, now))
}

func (r *Runner) dropFinished(ctx context.Context, now time.Time) error {
	for ctx.Err() == nil {
		n, err := r.Store.DeleteFinished(now.Add(-r.Retention))
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// dropCaptures removes pages before their record, so that an interruption
// leaves a record that is tried again, never a page that nobody knows of.
func (r *Runner) dropCaptures(ctx context.Context, now time.Time) error {
	expired, err := r.Store.ExpiredCaptures(ctx, now)
	if err != nil {
		return err
	}
	for _, id := range expired {
		if err := r.Captures.Delete(id); err != nil {
			return err
		}
		if err := r.Store.DeleteCapture(id); err != nil {
			return err
		}
	}
	return nil
}

// dropOrphans removes pages whose job never settled.
func (r *Runner) dropOrphans(ctx context.Context, now time.Time) error {
	old, err := r.Captures.Older(now.Add(-orphanAge))
	if err != nil {
		return err
	}
	for _, id := range old {
		_, err := r.Store.Capture(ctx, id, now)
		if errors.Is(err, store.ErrNotFound) {
			err = r.Captures.Delete(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
