package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/provider/health"
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream"
)

// lastStart is how long after its arrival a call may still start an attempt. A call also
// waits at most this long for a vendor's ticket.
const lastStart = 5 * time.Minute

// maxPaid is how many requests of a job may time out at upstreams that the operator
// pays. A request that timed out was probably charged.
const maxPaid = 2

// outcome is the result of a job's attempts.
type outcome struct {
	attempts int
	result   json.RawMessage
	bill     provider.Bill
	capture  *store.Capture
	served   [][]byte // documents that a failed attempt fetched
	uses     []upstream.Use
	pending  *upstream.Pending // set while a vendor has not answered: err is nil, and the job must not be settled
	err      error
}

// assignment is a job that this node runs. It is passed by reference to keep stacks
// small, because thousands of jobs may wait at once.
type assignment struct {
	job     *store.Job
	watched []string // fields of the result, see provider.Definition
	request provider.Request
	turn    *share.Turn
	*purchases
}

// purchases holds the tickets and the requests to upstreams of a job so far.
type purchases struct {
	tickets *upstream.Tickets // nil until readTickets, and for providers without a vendor
	uses    []upstream.Use
	counted int // number of uses that are stored already
}

// paidTimeouts returns how many requests timed out at upstreams that the operator pays.
func (p *purchases) paidTimeouts() (n int) {
	for _, use := range p.uses {
		if use.Paid && use.Reason == earshot.ReasonTimeout {
			n++
		}
	}
	return n
}

// attempt makes attempts until one succeeds, one fails with a final error, no attempt is
// left, or a task has to wait for a vendor. If another node ran the job before, the count
// of attempts continues.
func (r *Runner) attempt(ctx context.Context, a *assignment) *outcome {
	if err := r.readTickets(ctx, a); err != nil {
		return &outcome{attempts: a.job.Attempts, err: errUnavailable(err)}
	}
	o := r.attempts(ctx, a)
	o.uses = a.uses[a.counted:]
	return o
}

func (r *Runner) attempts(ctx context.Context, a *assignment) *outcome {
	var waited time.Duration // time spent waiting for upstreams that were skipped
	for n := max(1, a.job.Attempts); ; n++ {
		if n > len(r.Backoff)+1 {
			if !a.onlyPolls() {
				return &outcome{attempts: len(r.Backoff) + 1, err: errTakenOver(n - 1)}
			}
			n = len(r.Backoff) + 1 // polling submits nothing, so it goes on however often the job was taken over
		}
		if n > 1 && n != a.job.Attempts {
			r.noteAttempt(a.job, n)
			a.job.Attempts = n
		}
		o, err := r.attemptOnce(ctx, a, n)
		o.attempts = n
		if err == nil {
			return o
		}
		if pending, ok := errors.AsType[*upstream.Pending](err); ok && ctx.Err() == nil {
			if a.job.Mode == store.ModeAsync {
				o.pending = pending
				return o
			}
			if time.Since(a.job.CreatedAt)+pending.After > lastStart {
				o.err = errAttemptsFailed(a, upstream.Fail(earshot.ReasonTimeout, "the vendor has not answered yet"))
				return o
			}
			if !r.pause(ctx, a, pending.After) {
				o.err = endedEarly(ctx)
				return o
			}
			n-- // a poll does not count as an attempt
			continue
		}
		failure, isUpstream := errors.AsType[*upstream.Failure](err)
		if ctx.Err() != nil {
			o.err = endedEarly(ctx)
			return o
		}
		if !isUpstream {
			o.err = err
			return o
		}
		if failure.Skipped && waited+failure.RetryAfter <= lastStart {
			waited += failure.RetryAfter
			n-- // no upstream was asked, so the attempt does not count
		}
		wait, again := r.wait(max(n, 1), a.job, failure)
		if !again || a.paidTimeouts() >= maxPaid {
			o.err = errAttemptsFailed(a, failure)
			if failure.Reason == earshot.ReasonUnreadable {
				o.capture = r.preserve(ctx, a, o.served)
			}
			return o
		}
		if !r.pause(ctx, a, wait) {
			o.err = endedEarly(ctx)
			return o
		}
	}
}

// pause gives back the turn, waits, and takes a turn again. It returns false if ctx has
// ended.
func (r *Runner) pause(ctx context.Context, a *assignment, wait time.Duration) bool {
	a.turn.Pause()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return a.turn.Resume(ctx) == nil && ctx.Err() == nil
}

// noteAttempt stores the number of the attempt, for clients that poll the task and for
// a node that takes the task over. An error is only logged: the attempt is made anyway.
func (r *Runner) noteAttempt(job *store.Job, n int) {
	if job.Mode != store.ModeAsync {
		return
	}
	if err := r.Store.NoteAttempt(job, n); err != nil {
		r.Log.Warn("storing the number of an attempt failed", "job", job.ID, "error", err)
	}
}

// wait returns how long to wait after the failure of attempt n, and whether another
// attempt may be made. The wait is the upstream's Retry-After, but at least the backoff.
// Only calls have a deadline for their last attempt, because their clients wait.
func (r *Runner) wait(n int, job *store.Job, failure *upstream.Failure) (wait time.Duration, again bool) {
	if n > len(r.Backoff) || failure.Final {
		return 0, false
	}
	wait = max(jitter(r.Backoff[n-1]), failure.RetryAfter)
	return wait, job.Mode == store.ModeAsync || time.Since(job.CreatedAt)+wait <= lastStart
}

// attemptOnce makes one attempt, which asks one upstream after the other. After an
// *upstream.Failure another attempt can succeed; any other error is final.
func (r *Runner) attemptOnce(ctx context.Context, a *assignment, n int) (o *outcome, err error) {
	ctx, span := trace.Start(ctx, "attempt")
	span.Int(trace.Attempt, n)
	span.String(trace.Provider, a.job.Provider)
	defer func() { endAttempt(span, err) }()
	o = new(outcome)
	captureID := account.NewCaptureID()
	try := &upstream.Attempt{
		Provider: a.job.Provider, Account: a.job.Organization, Turn: a.turn, Place: a.request.Locale().Place(), Number: n, CaptureURL: r.CaptureURL + "/" + captureID,
		Sample: sampleOf(a.job), Tickets: a.tickets, Model: provider.ModelOf(a.request), NoFallback: r.refusesFallback(a.job),
	}
	defer func() { a.uses = append(a.uses, try.Uses...) }()
	err = r.Upstreams.Try(ctx, try, func(session *upstream.Session) (err error) {
		span.String(trace.Upstream, session.Upstream()) // the last upstream overwrites the earlier ones
		o, err = r.askThrough(ctx, session, a, captureID)
		return err
	})
	if _, pending := errors.AsType[*upstream.Pending](err); err != nil && !pending {
		r.Log.Info("attempt failed", "request", a.job.ID, "provider", a.job.Provider, "attempt", n, "error", err)
	}
	return o, err
}

// sampleOf returns the sample that the lab answers a tracker's task with, so that answers
// vary by day and task. It is "" for other jobs, which get the lab's fixed answer.
func sampleOf(job *store.Job) string {
	if job.Tracker == "" {
		return ""
	}
	return job.CreatedAt.UTC().Format(time.DateOnly) + "/" + job.ID
}

// askThrough asks one upstream. It handles the answer in another function, so that the
// stacks of thousands of waiting calls stay small.
func (r *Runner) askThrough(ctx context.Context, session *upstream.Session, a *assignment, captureID string) (*outcome, error) {
	started := time.Now()
	answer, err := r.ask(ctx, a.job.ID, a.request, session)
	r.Metrics.attempted(a.job.Provider, session.Upstream(), started, err)
	return r.answered(ctx, session, a, captureID, answer, err)
}

// answered returns the outcome of an answer or of an error.
func (r *Runner) answered(ctx context.Context, session *upstream.Session, a *assignment, captureID string, answer *provider.Outcome, err error) (*outcome, error) {
	name := a.job.Provider
	document := health.Document{Provider: name, Surface: session.Surface(), Watched: a.watched, Asked: string(a.job.Request), Layout: session.Layout, Pages: session.Fetched()}
	if err != nil {
		if failure, ok := errors.AsType[*upstream.Failure](err); ok && failure.Reason == earshot.ReasonUnreadable {
			r.Health.Unreadable(document, time.Now())
		}
		return &outcome{served: session.Fetched()}, err
	}
	if answer == nil {
		return &outcome{}, fmt.Errorf("%s returned neither an answer nor an error", name)
	}
	o := &outcome{bill: answer.Bill}
	if o.result, err = json.Marshal(answer.Result); err != nil {
		return &outcome{}, fmt.Errorf("encode the result of %s: %w", name, err)
	}
	r.Health.Answer(document, o.result, time.Now())
	if pages := session.Kept(); len(pages) > 0 {
		a.turn.Pause()
		err := r.Captures.Put(ctx, captureID, pages)
		if err != nil {
			return &outcome{}, err
		}
		if err := a.turn.Resume(ctx); err != nil {
			r.discard(ctx, &store.Capture{ID: captureID})
			return &outcome{}, err
		}
		o.capture = &store.Capture{ID: captureID, Pages: len(pages)}
	}
	return o, nil
}

// preserve stores documents that could not be parsed as a capture, from which the
// operator can make a test case.
func (r *Runner) preserve(ctx context.Context, a *assignment, documents [][]byte) *store.Capture {
	if len(documents) == 0 {
		return nil
	}
	preserved := &store.Capture{ID: account.NewCaptureID(), Pages: len(documents)}
	if err := r.Captures.Put(ctx, preserved.ID, documents); err != nil {
		r.Log.Warn("storing a document that could not be parsed failed", "job", a.job.ID, "error", err)
		return nil
	}
	r.Log.Warn("a document could not be parsed and was stored as a capture", "job", a.job.ID, "provider", a.job.Provider, "capture", r.CaptureURL+"/"+preserved.ID)
	return preserved
}

// ask runs the provider with the timeout of an attempt. It recovers from panics, so that
// one page that a parser cannot handle does not end the node's other jobs.
func (r *Runner) ask(ctx context.Context, id string, request provider.Request, session *upstream.Session) (answer *provider.Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, session.Time(r.AttemptTime))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("a provider panicked", "request", id, "panic", p, "stack", string(debug.Stack()))
			err = upstream.Fail(earshot.ReasonUnreadable, "%w", upstream.ErrPanicked)
		}
	}()
	answer, err = r.Vendors.Ask(ctx, request, session)
	if errors.Is(err, upstream.ErrPanicked) {
		r.Log.Error("a provider panicked", "request", id, "error", err)
	}
	if _, failed := errors.AsType[*upstream.Failure](err); !failed && errors.Is(err, context.DeadlineExceeded) {
		err = upstream.Fail(earshot.ReasonTimeout, "%w", err) // the provider may return the context's error itself
	}
	return answer, err
}

// errAttemptsFailed returns the error of a job that has no attempt left.
func errAttemptsFailed(a *assignment, failure *upstream.Failure) error {
	name, paid := a.job.Provider, 0
	for _, use := range a.uses {
		if use.Paid {
			paid++
		}
	}
	message := fmt.Sprintf("%s gave no usable answer (%s)", name, failure.Reason)
	if failure.Setting == upstream.SettingModel { // the operator can change it
		message += ": " + failure.Err.Error()
	}
	return &earshot.Error{
		Code:    earshot.CodeUpstream,
		Message: message,
		Details: earshot.UpstreamDetails{Service: name, Reason: failure.Reason, PaidAttempts: paid},
		Err:     failure,
	}
}

// endedEarly returns the error of a job whose context has ended.
func endedEarly(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrStopping) || errors.Is(cause, errDeclared) {
		return errUnavailable(cause)
	}
	return &earshot.Error{Code: earshot.CodeCanceled, Message: "the request was canceled", Err: cause}
}

// jitter returns wait, changed by up to 20 % at random, so that jobs that failed at the
// same time do not retry at the same time.
func jitter(wait time.Duration) time.Duration {
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}
