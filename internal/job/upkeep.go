package job

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/purchase"
	"earshot/internal/store"
	"earshot/internal/upstream/capture"
)

const (
	// tidyEvery is the interval of tidy. It is short, so that each run deletes few rows.
	tidyEvery = time.Minute
	// minKept is how long a job is kept after its end, even if Retention is over.
	minKept = time.Hour
	// statsKept is how long statistics are kept: longer than the 24 hours that clients
	// can request, because the clocks of nodes differ.
	statsKept = 26 * time.Hour
	// sweepEvery is the interval of dropOrphans, which lists all captures to find few
	// orphans.
	sweepEvery = time.Hour
	// orphanAge is the age at which the row of a capture has certainly expired. The
	// additional hour allows for a bucket whose clock differs.
	orphanAge = capture.Lifetime + time.Hour
	// deletesAtOnce is how many captures are deleted in parallel, because of the latency
	// of a bucket.
	deletesAtOnce = 8
)

// every calls do now and at each interval until ctx ends. It skips calls while the clock
// is not trusted, because a deletion cannot be undone. Several nodes may do the same work
// at once; that is harmless.
func (r *Runner) every(ctx context.Context, interval time.Duration, do func(ctx context.Context, now time.Time) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		now, err := r.Store.TrustedNow()
		if err == nil {
			err = do(ctx, now)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Error("maintenance failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// views of share links.
func (r *Runner) tidy(ctx context.Context, now time.Time) error {
	expired := now.Add(-r.Retention)
	return errors.Join(
		r.tidyAccounts(ctx, now),
		untilNone(ctx, func() (int, error) {
			return r.Store.DeleteFinished(ctx, expired, now.Add(-min(r.Retention, minKept)))
		}),
		untilNone(ctx, func() (int, error) { return r.Store.DeleteBatches(ctx, expired) }),
		untilNone(ctx, func() (int, error) { return r.Store.DeleteKeyedRequests(expired) }),
		untilNone(ctx, func() (int, error) { return r.Store.DeleteStats(ctx, now.Add(-statsKept)) }),
		untilNone(ctx, func() (int, error) { return r.Store.DeleteAudit(now.Add(-store.AuditTime)) }),
		untilNone(ctx, func() (int, error) { return r.dropCaptures(ctx, now) }),
		r.outbound.DeleteKeptPages(now.Add(-purchase.PagesKept)),
		untilNone(ctx, func() (int, error) { return r.outbound.DeletePurchases(expired) }),
		r.outbound.DeleteUpstreamStats(now.Add(-statsKept)), r.outbound.DeleteShadowPairs(now.Add(-purchase.ShadowPairsKept)))
}

func (r *Runner) tidyAccounts(ctx context.Context, now time.Time) error {
	err := r.Orgs.WriteKeyUses()
	if r.Tidy != nil {
		err = errors.Join(err, r.Tidy(ctx, now))
	}
	return err
}

// untilNone calls remove, which deletes a batch of rows and returns their number, until it has
// deleted nothing or ctx ends.
func untilNone(ctx context.Context, remove func() (int, error)) error {
	for ctx.Err() == nil {
		n, err := remove()
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// dropCaptures deletes a batch of expired captures and returns their number.
func (r *Runner) dropCaptures(ctx context.Context, now time.Time) (int, error) {
	expired, err := r.Store.ExpiredCaptures(ctx, now)
	if err != nil {
		return 0, err
	}
	return len(expired), r.dropEach(ctx, expired)
}

// dropEach deletes the pages of each capture before its row. After an interruption the row
// is still there, so that the next run tries again.
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

// dropOrphans deletes captures whose job was never settled, so that they have no row, and pages that
// were kept long enough for the operator.
func (r *Runner) dropOrphans(ctx context.Context, now time.Time) error {
	err := dropOlder(ctx, r.Captures, now.Add(-orphanAge))
	if r.Kept != nil {
		err = errors.Join(err, dropOlder(ctx, r.Kept, now.Add(-purchase.PagesKept)))
	}
	return err
}

// dropOlder deletes captures that were stored before a time.
func dropOlder(ctx context.Context, from capture.Store, than time.Time) error {
	for id, err := range from.Older(ctx, than) {
		if err == nil {
			err = from.Delete(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
