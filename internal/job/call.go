package job

import (
	"context"
	"encoding/json"
	"errors"
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

// Receipt is the state of the organization after a call. Organization is nil when the
// call ended before that was known.
type Receipt struct {
	Organization *account.Organization
	Running      int // slots in use, this call's included if it had one
	Charged      int64
}

// Call runs a job while its client waits. When ctx ends, the job ends with it,
// uncharged. Errors that the client may see are *earshot.Error.
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
		MaxCost:      r.cost(call.Provider, store.ModeSync, call.Request.Bill()),
		Node:         node.id,
		CreatedAt:    call.ReceivedAt,
		StartedAt:    call.ReceivedAt,
	}
	organization, err := r.Store.Begin(job)
	if err != nil {
		if organization == nil { // the store did not refuse it: it may have begun
			r.abandon(node, job)
			return nil, Receipt{}, err
		}
		return nil, Receipt{Organization: organization, Running: organization.Running}, err
	}
	settled := false
	defer func() {
		if !settled { // a panic, or an unreachable database
			r.abandon(node, job)
		}
	}()

	ctx, leave := node.join(ctx)
	defer leave()
	run := r.attempt(ctx, assignment{job, call.Provider, call.Request})
	if run.err == nil && ctx.Err() != nil { // nobody waits for the answer
		r.discard(ctx, run.capture)
		run = outcome{attempts: run.attempts, err: endedEarly(ctx)}
	}
	end := r.settlement(job, call.Provider, run)
	organization, err = r.settle(ctx, node, end, time.Now().Add(settleTime))
	settled = err == nil || errors.Is(err, store.ErrLost)
	if err != nil {
		if settled {
			err = errUnavailable(err)
		}
		return nil, Receipt{}, err
	}
	// The count was taken as this call left.
	receipt := Receipt{Organization: organization, Running: organization.Running + 1, Charged: end.Charge}
	return run.result, receipt, run.err
}

// settleTime is how long a call waits for an unreachable database before its client
// gets an error instead of an answer.
const settleTime = 30 * time.Second

// abandon settles a call whose state is unknown as failed, in the background, so that
// its slot and its credits are released. If the node stops first, the job is released
// with those of lost nodes.
func (r *Runner) abandon(node *incarnation, job store.Job) {
	r.running.Go(func() {
		end := store.Settlement{Job: job, Status: earshot.StatusFailed, Error: clientError(errors.New("abandoned"))}
		_, _ = r.settle(node.ctx, node, end, time.Time{}) // returns when it is settled or the node stops
	})
}
