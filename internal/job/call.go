package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/store"
)

// Call is a synchronous job to be run.
type Call struct {
	Principal  *account.Principal
	Provider   provider.Definition
	Request    provider.Request
	Body       []byte // the request as it was sent
	ReceivedAt time.Time
}

// Receipt tells how the organization stands after a call. Organization is nil
// when the call ended before that was known.
type Receipt struct {
	Organization *account.Organization
	Running      int // slots in use, this call's included if it had one
	Charged      int64
}

// Call runs a job while its client waits. When ctx ends, the job ends with it,
// uncharged. Errors are *earshot.Error where the client may know.
func (r *Runner) Call(ctx context.Context, call Call) (json.RawMessage, Receipt, error) {
	if !r.enter() {
		return nil, Receipt{}, errUnavailable(errStopping)
	}
	defer r.running.Done()
	node := r.node.Load()
	job := store.Job{
		ID:           uuid.Must(uuid.NewV7()).String(),
		Organization: call.Principal.OrganizationID,
		KeyID:        call.Principal.KeyID,
		Provider:     call.Provider.Name,
		Mode:         store.ModeSync,
		Request:      call.Body,
		Most:         r.Catalogue.Cost(call.Provider.Name, call.Request.Bill().With(provider.ItemSync)),
		Node:         node.id,
		CreatedAt:    call.ReceivedAt,
	}
	organization, err := r.Store.Begin(job)
	if err != nil {
		if organization == nil { // no refusal: it may have begun
			r.abandon(node, job)
			return nil, Receipt{}, err
		}
		return nil, Receipt{Organization: organization, Running: organization.Running}, err
	}

	ctx, leave := node.join(ctx)
	defer leave()
	run := r.attempt(ctx, call.Provider, call.Request, call.ReceivedAt)
	end := store.Settlement{Job: job, Status: earshot.StatusFailed, Attempts: run.attempts}
	if run.err == nil {
		end.Status = earshot.StatusCompleted
		end.Charge = min(job.Most, r.Catalogue.Cost(job.Provider, run.bill.With(provider.ItemSync)))
		end.Capture = run.capture
	} else {
		end.Error = clientError(run.err)
	}
	organization, err = r.settle(end)
	r.Metrics.ended(job, end, err)
	if err != nil {
		r.discard(run.capture)
		if errors.Is(err, store.ErrLost) {
			return nil, Receipt{}, errUnavailable(err)
		}
		r.abandon(node, job)
		return nil, Receipt{}, err
	}
	// The count was taken as this call left.
	receipt := Receipt{Organization: organization, Running: organization.Running + 1, Charged: end.Charge}
	return run.result, receipt, run.err
}

// settleTime is how long a call waits for a database that is away before its
// client gets an error instead of an answer.
const settleTime = 30 * time.Second

// settle ends a job, trying again while the database is away.
func (r *Runner) settle(end store.Settlement) (*account.Organization, error) {
	giveUp := time.Now().Add(settleTime)
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		organization, err := r.Store.Settle(end, time.Now())
		if err == nil || errors.Is(err, store.ErrLost) || time.Now().Add(wait).After(giveUp) {
			return organization, err
		}
		r.Log.Warn("settling failed, trying again", "job", end.Job.ID, "error", err)
		time.Sleep(wait)
	}
}

// abandon makes sure, in the background, that a job whose state is unknown ends
// and gives back what it took. What a stopping node leaves undone is done when
// its jobs are found lost.
func (r *Runner) abandon(node *incarnation, job store.Job) {
	r.running.Go(func() {
		end := store.Settlement{Job: job, Status: earshot.StatusFailed, Error: clientError(errors.New("abandoned"))}
		for node.ctx.Err() == nil {
			if _, err := r.settle(end); err == nil || errors.Is(err, store.ErrLost) {
				return
			}
		}
	})
}

func (r *Runner) discard(capture *store.Capture) {
	if capture == nil {
		return
	}
	if err := r.Captures.Delete(capture.ID); err != nil {
		r.Log.Warn("a capture without a record was left behind", "error", err)
	}
}

func errUnavailable(cause error) *earshot.Error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node cannot take or finish the call now, try again", Err: cause}
}

// clientError is the error as a client may see it.
func clientError(err error) *earshot.Error {
	var e *earshot.Error
	if errors.As(err, &e) {
		return e
	}
	return &earshot.Error{Code: earshot.CodeInternal, Message: "internal error", Err: fmt.Errorf("job: %w", err)}
}
