package job

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/provider/health"
	"earshot/internal/upstream/capture"
)

const (
	// tidyEvery keeps the batches of removals small.
	tidyEvery = time.Minute
	// minKept is how long a job is kept after its end, however long it waited before.
	minKept = time.Hour
	// statsKept is longer than the 24 hours that statistics can be asked for, since
	// the clocks of nodes differ.
	statsKept = 26 * time.Hour
	// sweepEvery is rare, since a sweep lists all captures to find few or none.
	sweepEvery = time.Hour
	// orphanAge is the age at which the record of a capture, if there ever was one, has
	// certainly expired. The hour allows for a bucket whose clock differs.
	orphanAge = capture.Lifetime + time.Hour
	// deletesAtOnce makes up for the latency of a bucket.
	deletesAtOnce = 8
)

// every does something now and at each interval until ctx ends, but not while the
// clock is not trusted: what is removed cannot come back. Nodes that do it at once
// only do the same work twice.
func (r *Runner) every(ctx context.Context, interval time.Duration, do func(ctx context.Context, now time.Time) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		now, err := r.Store.TrustedNow()
		if err == nil {
			err = do(ctx, now)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Error("tidying up failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// ticketsKept is how long closed tickets are kept: as long as most vendors keep results,
// to look up what they charged.
const ticketsKept = 30 * 24 * time.Hour

// tidy removes what is past its time, and writes what was noted in memory.
func (r *Runner) tidy(ctx context.Context, now time.Time) error {
	return errors.Join(r.Store.WriteKeyUses(), r.dropFinished(ctx, now), r.dropBatches(ctx, now), r.dropStats(ctx, now), r.dropCaptures(ctx, now),
		r.Store.DeleteFieldCounts(now.Add(-health.Retention)), r.Store.DeleteTickets(now.Add(-ticketsKept)), r.Store.DeleteUpstreamStats(now.Add(-statsKept)))
}

func (r *Runner) dropFinished(ctx context.Context, now time.Time) error {
	for ctx.Err() == nil {
		n, err := r.Store.DeleteFinished(ctx, now.Add(-r.Retention), now.Add(-min(r.Retention, minKept)))
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

func (r *Runner) dropBatches(ctx context.Context, now time.Time) error {
	for ctx.Err() == nil {
		n, err := r.Store.DeleteBatches(ctx, now.Add(-r.Retention))
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

func (r *Runner) dropStats(ctx context.Context, now time.Time) error {
	for ctx.Err() == nil {
		n, err := r.Store.DeleteStats(ctx, now.Add(-statsKept))
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

func (r *Runner) dropCaptures(ctx context.Context, now time.Time) error {
	for ctx.Err() == nil {
		expired, err := r.Store.ExpiredCaptures(ctx, now)
		if err != nil || len(expired) == 0 {
			return err
		}
		if err := r.dropEach(ctx, expired); err != nil {
			return err
		}
	}
	return nil
}

// dropEach removes pages before their record, so that an interruption leaves a
// record that is tried again, never a page that nobody knows of.
func (r *Runner) dropEach(ctx context.Context, ids []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(deletesAtOnce)
	for _, id := range ids {
		group.Go(func() error {
			if err := r.Captures.Delete(ctx, id); err != nil {
				return err
			}
			return r.Store.DeleteCapture(id)
		})
	}
	return group.Wait()
}

// dropOrphans removes pages whose job never settled.
func (r *Runner) dropOrphans(ctx context.Context, now time.Time) error {
	for id, err := range r.Captures.Older(ctx, now.Add(-orphanAge)) {
		if err == nil {
			err = r.Captures.Delete(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
