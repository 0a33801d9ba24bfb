package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
)

// Call is a synchronous job.
type Call struct {
	ID         string // id of the job, a UUIDv7
	Principal  *account.Principal
	Turn       *share.Turn // given back while the call waits for its upstream; may be nil
	Provider   *provider.Definition
	Request    provider.Request
	Body       []byte // the request as it was sent
	ReceivedAt time.Time
	// IdempotencyKey makes a repeated call return the answer of the first one.
	IdempotencyKey *string
}

// Receipt is the state of the organization after a call. Organization is nil if the
// call ended before the organization was read.
type Receipt struct {
	Organization *account.Organization
	Running      int // slots in use, including the slot of this call if it had one
	Charged      int64
	Replayed     bool // the answer comes from an earlier call with the same key
}

// Call runs a job while its client waits. When ctx ends, the job ends as well and is not
// charged. Errors that the client may see are *earshot.Error.
func (r *Runner) Call(ctx context.Context, call *Call) (json.RawMessage, Receipt, error) {
	if !r.enter() {
		return nil, Receipt{}, errUnavailable(purchase.ErrStopping)
	}
	defer r.running.Done()
	node := r.node.Load()
	job := &store.Job{
		ID:           call.ID,
		Organization: call.Principal.OrganizationID,
		KeyID:        call.Principal.KeyID,
		Provider:     call.Provider.Name,
		Mode:         store.ModeSync,
		Request:      call.Body,
		MaxCost:      r.cost(call.Provider.Name, store.ModeSync, call.Request.Bill()),
		Node:         node.id,
		CreatedAt:    call.ReceivedAt,
		StartedAt:    call.ReceivedAt,

		IdempotencyKey: call.IdempotencyKey,
	}
	organization, earlier, err := r.begin(ctx, job)
	if earlier != nil {
		return earlier.Result, Receipt{Organization: organization, Running: organization.Running, Replayed: true}, nil
	}
	if err != nil {
		if errors.Is(err, store.ErrUnknownOutcome) {
			r.abandon(node, job)
			err = errUnavailable(err) // nothing is charged, whether the job began or not
		}
		if organization == nil { // the store did not refuse the job
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
	run := r.Desk.Buy(ctx, &purchase.Call{Job: job, Watched: call.Provider.HealthFields, Request: call.Request, Turn: call.Turn})
	receipt, err := r.finish(ctx, node, job, run)
	settled = err == nil || errors.Is(err, store.ErrLost)
	if err != nil {
		if settled {
			err = errUnavailable(err)
		}
		return nil, Receipt{}, err
	}
	return run.Result, receipt, run.Err
}

// finish settles a call by the outcome of its attempts.
func (r *Runner) finish(ctx context.Context, node *incarnation, job *store.Job, run *purchase.Outcome) (Receipt, error) {
	if run.Err == nil && ctx.Err() != nil { // nobody waits for the answer; it is kept with the failed call
		r.Desk.Discard(ctx, run.Capture)
		*run = purchase.Outcome{Attempts: run.Attempts, Uses: run.Uses, Result: run.Result, Err: purchase.EndedEarly(ctx)}
	}
	end := r.settlement(job, run)
	organization, err := r.settle(ctx, node, end, time.Now().Add(settleTime))
	if err != nil {
		return Receipt{}, err
	}
	// The stored count no longer includes this call.
	return Receipt{Organization: organization, Running: organization.Running + 1, Charged: end.Charge}, nil
}

// keyTries is how often begin tries again after the idempotency key became free.
const keyTries = 5

// begin starts a call, or returns the earlier call with the same idempotency key, whose
// answer the client gets. Like Store.Begin, it returns an organization if the call was
// refused.
func (r *Runner) begin(ctx context.Context, job *store.Job) (organization *account.Organization, earlier *store.Task, err error) {
	for try := 1; ; try++ {
		_, span := trace.Start(ctx, "store.begin")
		organization, err = r.Store.Begin(*job)
		endSpan(span, err)
		taken, ok := errors.AsType[*store.KeyTakenError](err)
		if !ok {
			return organization, nil, err
		}
		earlier, err = r.Store.Request(ctx, job.Organization, taken.JobID)
		ended := errors.Is(err, store.ErrNotFound) || err == nil && earlier.Mode == store.ModeSync && earlier.Status == earshot.StatusFailed
		switch {
		case ended && try < keyTries: // it ended in the meantime and released the key
			continue
		case ended:
			return organization, nil, errStillRuns(taken.JobID)
		case err != nil:
			return organization, nil, err
		}
		if err := checkRepetition(job, earlier); err != nil {
			return organization, nil, err
		}
		return organization, earlier, nil
	}
}

// checkRepetition returns an error if a call must not get the answer of an earlier job
// with the same idempotency key.
func checkRepetition(job *store.Job, earlier *store.Task) error {
	taken := &earshot.Error{
		Code:    earshot.CodeAlreadyExists,
		Message: "another request was made with this Idempotency-Key",
		Details: earshot.DuplicateDetails{Field: earshot.IdempotencyKeyHeader, Value: *job.IdempotencyKey, RequestID: earlier.ID},
	}
	switch {
	case earlier.Mode == store.ModeAsync:
		taken.Message = "a task has this Idempotency-Key"
		taken.Details = earshot.DuplicateDetails{Field: earshot.IdempotencyKeyHeader, Value: *job.IdempotencyKey, TaskID: earlier.ID, RequestID: earlier.ID}
		return taken
	case earlier.Provider != job.Provider || !sameJSON(earlier.Request, job.Request):
		return taken
	case earlier.Status != earshot.StatusCompleted:
		return errStillRuns(earlier.ID)
	}
	return nil
}

func errStillRuns(id string) error {
	return &earshot.Error{
		Code:    earshot.CodeConflict,
		Message: "a call with this Idempotency-Key still runs; repeat yours later",
		Details: earshot.ConflictDetails{ID: id, Status: earshot.StatusProcessing, RequestID: id},
	}
}

// sameJSON reports whether two JSON texts are equal, apart from white space and the order
// of fields.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var left, right any
	return decodeJSON(a, &left) == nil && decodeJSON(b, &right) == nil && reflect.DeepEqual(left, right)
}

func decodeJSON(text []byte, into *any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// settleTime is how long a call waits for an unreachable database before its client
// gets an error instead of an answer.
const settleTime = 30 * time.Second

// abandon settles a call whose state is unknown as failed, in the background, so that
// its slot and its credits are released. If the node stops first, another node releases
// the job, as it does for every lost node.
func (r *Runner) abandon(node *incarnation, job *store.Job) {
	r.running.Go(func() {
		end := store.Settlement{Job: job, Status: earshot.StatusFailed, Error: clientError(errors.New("abandoned"))}
		_, _ = r.settle(node.ctx, node, end, time.Time{}) // returns when it is settled or the node stops
	})
}
