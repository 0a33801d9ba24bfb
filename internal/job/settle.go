package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream/capture"
)

// cost returns the credits for a bill of a provider in a mode.
func (r *Runner) cost(name, mode string, bill provider.Bill) int64 {
	if mode == store.ModeSync {
		bill = bill.With(provider.ItemSync)
	}
	return r.Catalogue.Cost(name, bill)
}

// settlement returns the settlement of a job with an outcome.
func (r *Runner) settlement(job *store.Job, run *outcome) store.Settlement {
	end := store.Settlement{Job: job, Status: earshot.StatusFailed, Attempts: run.attempts, Capture: run.capture, Uses: usesOf(run.uses)}
	if end.Capture != nil {
		end.Capture.ExpiresAt = r.Store.Now().Add(capture.Lifetime)
	}
	if run.err != nil {
		end.Error = clientError(run.err)
		return end
	}
	end.Status = earshot.StatusCompleted
	end.Charge = min(job.MaxCost, r.cost(job.Provider, job.Mode, run.bill))
	end.Result = run.result
	return end
}

// settle settles a job. It retries while the database is unreachable: until giveUp, or
// without limit if giveUp is zero. It stops trying when the node stops, because another
// node then releases the job. If the job was not settled, settle deletes its capture. The
// error is ErrUnknownOutcome if any try may have settled the job.
func (r *Runner) settle(ctx context.Context, node *incarnation, end store.Settlement, giveUp time.Time) (*account.Organization, error) {
	unknown := false
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		_, span := trace.Start(ctx, "store.settle")
		span.String(trace.Outcome, string(end.Status))
		organization, err := r.Store.Settle(end, r.Store.Now())
		endSpan(span, err)
		if err == nil {
			r.ended(&end, organization)
			return organization, nil
		}
		unknown = unknown || errors.Is(err, store.ErrUnknownOutcome)
		final := errors.Is(err, store.ErrLost) || (!giveUp.IsZero() && time.Now().Add(wait).After(giveUp))
		if !final {
			r.Log.Warn("settling failed, trying again", "job", end.Job.ID, "error", err)
			select {
			case <-time.After(wait):
				continue
			case <-node.ctx.Done():
			}
		}
		r.Metrics.ended(&end, err)
		r.discard(ctx, end.Capture)
		if unknown && !errors.Is(err, store.ErrLost) {
			err = fmt.Errorf("%w, and then: %s", store.ErrUnknownOutcome, err.Error())
		}
		return nil, err
	}
}

// ended counts a settled job. It wakes the scheduler if the organization has queued tasks,
// and the sender of webhooks if the job has a webhook.
func (r *Runner) ended(end *store.Settlement, organization *account.Organization) {
	r.Metrics.ended(end, nil)
	r.spending.add(end.Uses)
	r.startShadows(end)
	if organization.Queued > 0 { // a slot is free
		r.Wake()
	}
	if end.Job.WebhookURL != nil && r.Planned != nil {
		r.Planned()
	}
}

// discardTime is short so that it does not delay a node that stops. dropOrphans deletes
// captures that are left.
const discardTime = 2 * time.Second

// discard deletes a capture that has no row in the database, even if ctx has ended.
func (r *Runner) discard(ctx context.Context, capture *store.Capture) {
	if capture == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	if err := r.Captures.Delete(ctx, capture.ID); err != nil {
		r.Log.Warn("deleting a capture without a row in the database failed", "error", err)
	}
}

func errUnavailable(cause error) *earshot.Error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node cannot accept or finish the call now, try again", Err: cause}
}

// clientError returns the error that a client may see.
func clientError(err error) *earshot.Error {
	if e, ok := errors.AsType[*earshot.Error](err); ok {
		return e
	}
	return &earshot.Error{Code: earshot.CodeInternal, Message: "internal error", Err: fmt.Errorf("job: %w", err)}
}
