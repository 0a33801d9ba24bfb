package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/purchase"
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
func (r *Runner) settlement(job *store.Job, run *purchase.Outcome) store.Settlement {
	end := store.Settlement{Job: job, Status: earshot.StatusFailed, Attempts: run.Attempts, Capture: run.Capture, Result: run.Result, Uses: run.Uses}
	if end.Capture != nil {
		end.Capture.ExpiresAt = r.Store.Now().Add(capture.Lifetime)
	}
	if run.Err != nil {
		end.Error = clientError(run.Err)
		return end
	}
	end.Status = earshot.StatusCompleted
	end.Charge = min(job.MaxCost, r.cost(job.Provider, job.Mode, run.Bill))
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
		final := errors.Is(err, store.ErrLost) || errors.Is(err, store.ErrPanicked) || (!giveUp.IsZero() && time.Now().Add(wait).After(giveUp))
		if !final {
			r.Log.Warn("settling failed, trying again", "job", end.Job.ID, "error", err)
			select {
			case <-time.After(wait):
				continue
			case <-node.ctx.Done():
			}
		}
		r.Metrics.ended(&end, err)
		r.Desk.Discard(ctx, end.Capture)
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
	r.Desk.Compare(end)
	if organization.Queued > 0 { // a slot is free
		r.Wake()
	}
	if end.Job.WebhookURL != nil && r.Planned != nil {
		r.Planned()
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
