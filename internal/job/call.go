package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/store"
)

// Call is a synchronous job to be run.
type Call struct {
	ID         string // a UUIDv7; the job's id
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
		ID:           call.ID,
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
	settled := false
	defer func() {
		if !settled { // a panic, or a database that is away
			r.abandon(node, job)
		}
	}()

	ctx, leave := node.join(ctx)
	defer leave()
	run := r.attempt(ctx, job.ID, call)
	if run.err == nil && ctx.Err() != nil { // nobody waits for the answer
		r.discard(ctx, run.capture)
		run = outcome{attempts: run.attempts, err: endedEarly(ctx)}
	}
	end := store.Settlement{Job: job, Status: earshot.StatusFailed, Attempts: run.attempts}
	if run.err == nil {
		end.Status = earshot.StatusCompleted
		end.Charge = min(job.Most, r.Catalogue.Cost(job.Provider, run.bill.With(provider.ItemSync)))
		end.Capture = run.capture
	} else {
		end.Error = clientError(run.err)
	}
	organization, err = r.settle(node, end)
	r.Metrics.ended(job, end, err)
	settled = err == nil || errors.Is(err, store.ErrLost)
	if err != nil {
		r.discard(ctx, run.capture)
		if settled {
			err = errUnavailable(err)
		}
		return nil, Receipt{}, err
	}
	// The count was taken as this call left.
	receipt := Receipt{Organization: organization, Running: organization.Running + 1, Charged: end.Charge}
	return run.result, receipt, run.err
}

// settleTime is how long a call waits for a database that is away before its
// client gets an error instead of an answer.
const settleTime = 30 * time.Second

// settle ends a job, trying again while the database is away. A node that stops
// does not wait for it: what it leaves behind is found.
func (r *Runner) settle(node *incarnation, end store.Settlement) (*account.Organization, error) {
	giveUp := time.Now().Add(settleTime)
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		organization, err := r.Store.Settle(end, time.Now())
		if err == nil || errors.Is(err, store.ErrLost) || time.Now().Add(wait).After(giveUp) {
			return organization, err
		}
		r.Log.Warn("settling failed, trying again", "request", end.Job.ID, "error", err)
		select {
		case <-time.After(wait):
		case <-node.ctx.Done():
			return nil, err
		}
	}
}

// abandon makes sure, in the background, that a job whose state is unknown ends
// and gives back what it took. What a stopping node leaves undone is done when
// its jobs are found lost.
func (r *Runner) abandon(node *incarnation, job store.Job) {
	r.running.Go(func() {
		end := store.Settlement{Job: job, Status: earshot.StatusFailed, Error: clientError(errors.New("abandoned"))}
		for node.ctx.Err() == nil {
			if _, err := r.settle(node, end); err == nil || errors.Is(err, store.ErrLost) {
				return
			}
		}
	})
}

// discardTime is short, for a node that stops; the sweep finds what is left.
const discardTime = 2 * time.Second

// discard removes a capture that got no record, also when the client has left.
func (r *Runner) discard(ctx context.Context, capture *store.Capture) {
	if capture == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	if err := r.Captures.Delete(ctx, capture.ID); err != nil {
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
