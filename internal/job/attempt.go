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

// lastStart is how long after its arrival a call may still start an attempt, and how
// long it waits for a vendor's ticket.
const lastStart = 5 * time.Minute

// maxPaid is how many attempts of a job may time out at upstreams that the operator
// pays: a request that timed out was probably charged.
const maxPaid = 2

// outcome is the result of a job's attempts.
type outcome struct {
	attempts int
	result   json.RawMessage
	bill     provider.Bill
	capture  *store.Capture
	served   [][]byte // documents that a failed attempt got
	uses     []upstream.Use
	pending  *upstream.Pending // a vendor has not answered yet: err is nil, and nothing is settled
	err      error
}

// assignment is a job that this node runs. It is passed by reference: thousands may
// wait, and their stacks count.
type assignment struct {
	job     *store.Job
	watched []string // fields of the result, see provider.Definition
	request provider.Request
	turn    *share.Turn
	*purchases
}

// purchases is what a job has asked of upstreams so far.
type purchases struct {
	tickets *upstream.Tickets // nil until a vendor may be asked
	uses    []upstream.Use
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

// attempt makes attempts until one succeeds, one fails finally, no more may be made, or a
// task has to wait for a vendor. It continues the count of a node that ran the job before.
func (r *Runner) attempt(ctx context.Context, a *assignment) *outcome {
	if err := r.readTickets(ctx, a); err != nil {
		return &outcome{attempts: a.job.Attempts, err: errUnavailable(err)}
	}
	o := r.attempts(ctx, a)
	o.uses = a.uses
	return o
}

func (r *Runner) attempts(ctx context.Context, a *assignment) *outcome {
	var waited time.Duration // for upstreams that were skipped
	for n := max(1, a.job.Attempts); ; n++ {
		if n > len(r.Backoff)+1 {
			if !a.hasOpenTicket() {
				return &outcome{attempts: len(r.Backoff) + 1, err: errTakenOver(n - 1)}
			}
			n = len(r.Backoff) + 1 // polling starts nothing, however often the job was taken over
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
			n-- // a poll is no attempt
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
			n-- // nothing was asked, so it does not count
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

// pause waits without a turn. It returns false when ctx ended.
func (r *Runner) pause(ctx context.Context, a *assignment, wait time.Duration) bool {
	a.turn.Pause()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return a.turn.Resume(ctx) == nil && ctx.Err() == nil
}

// noteAttempt stores the number of the attempt, for clients that poll the task and for
// a node that takes it over. If that fails, the attempt is made all the same.
func (r *Runner) noteAttempt(job *store.Job, n int) {
	if job.Mode != store.ModeAsync {
		return
	}
	if err := r.Store.NoteAttempt(job, n); err != nil {
		r.Log.Warn("an attempt was not noted", "job", job.ID, "error", err)
	}
}

// wait returns how long to wait after the failure of attempt n, and whether another
// attempt may be made at all: as long as the upstream asks for, and at least the
// backoff. Only calls, whose clients wait, have a deadline for their last attempt.
func (r *Runner) wait(n int, job *store.Job, failure *upstream.Failure) (wait time.Duration, again bool) {
	if n > len(r.Backoff) || failure.Final {
		return 0, false
	}
	wait = max(jitter(r.Backoff[n-1]), failure.RetryAfter)
	return wait, job.Mode == store.ModeAsync || time.Since(job.CreatedAt)+wait <= lastStart
}

// attemptOnce makes one attempt, through one upstream after the other. After an
// *upstream.Failure another attempt makes sense; any other error is final.
func (r *Runner) attemptOnce(ctx context.Context, a *assignment, n int) (o *outcome, err error) {
	ctx, span := trace.Start(ctx, "attempt")
	span.Int(trace.Attempt, n)
	span.String(trace.Provider, a.job.Provider)
	defer func() { endAttempt(span, err) }()
	o = new(outcome)
	captureID := account.NewCaptureID()
	try := &upstream.Attempt{
		Provider: a.job.Provider, Account: a.job.Organization, Turn: a.turn, Place: a.request.Locale().Place(), Number: n, CaptureURL: r.CaptureURL + "/" + captureID,
		Sample: sampleOf(a.job), Tickets: a.tickets, NoFallback: r.refusesFallback(a.job),
	}
	defer func() { a.uses = append(a.uses, try.Uses...) }()
	err = r.Upstreams.Try(ctx, try, func(session *upstream.Session) (err error) {
		span.String(trace.Upstream, session.Upstream()) // the last one is the one that counts
		o, err = r.askThrough(ctx, session, a, captureID)
		return err
	})
	if _, pending := errors.AsType[*upstream.Pending](err); err != nil && !pending {
		r.Log.Info("attempt failed", "request", a.job.ID, "provider", a.job.Provider, "attempt", n, "error", err)
	}
	return o, err
}

// sampleOf tells the lab which of the answers of a day a tracker's task is. Other jobs
// get the one answer that a question has there.
func sampleOf(job *store.Job) string {
	if job.Tracker == "" {
		return ""
	}
	return job.CreatedAt.UTC().Format(time.DateOnly) + "/" + job.ID
}

// askThrough asks through one upstream. What comes after the wait for it has a frame of
// its own, which thousands of waiting calls do without.
func (r *Runner) askThrough(ctx context.Context, session *upstream.Session, a *assignment, captureID string) (*outcome, error) {
	started := time.Now()
	answer, err := r.ask(ctx, a.job.ID, a.request, session)
	r.Metrics.attempted(a.job.Provider, session.Upstream(), started, err)
	return r.answered(ctx, session, a, captureID, answer, err)
}

// answered makes the outcome of an answer, or of the error in place of it.
func (r *Runner) answered(ctx context.Context, session *upstream.Session, a *assignment, captureID string, answer *provider.Outcome, err error) (*outcome, error) {
	name := a.job.Provider
	document := health.Document{Provider: name, Surface: session.Surface(), Watched: a.watched, Asked: string(a.job.Request)}
	if err != nil {
		if failure, ok := errors.AsType[*upstream.Failure](err); ok && failure.Reason == earshot.ReasonUnreadable {
			r.Health.Unreadable(document, time.Now())
		}
		return &outcome{served: session.Fetched()}, err
	}
	if answer == nil {
		return &outcome{}, fmt.Errorf("%s gave neither an answer nor an error", name)
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

// preserve stores documents that were not understood as a capture, from which the
// operator can make a test case.
func (r *Runner) preserve(ctx context.Context, a *assignment, documents [][]byte) *store.Capture {
	if len(documents) == 0 {
		return nil
	}
	preserved := &store.Capture{ID: account.NewCaptureID(), Pages: len(documents)}
	if err := r.Captures.Put(ctx, preserved.ID, documents); err != nil {
		r.Log.Warn("a document that was not understood could not be kept", "job", a.job.ID, "error", err)
		return nil
	}
	r.Log.Warn("a document was not understood and is kept", "job", a.job.ID, "provider", a.job.Provider, "capture", r.CaptureURL+"/"+preserved.ID)
	return preserved
}

// ask runs the provider within the attempt's time. It recovers from panics, so that
// one page that a parser cannot handle does not end the node's other jobs.
func (r *Runner) ask(ctx context.Context, id string, request provider.Request, session *upstream.Session) (answer *provider.Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, session.Time(r.AttemptTime))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("a provider panicked", "request", id, "panic", p, "stack", string(debug.Stack()))
			err = upstream.Fail(earshot.ReasonUnreadable, "the parser panicked")
		}
	}()
	answer, err = r.Vendors.Ask(ctx, request, session)
	if errors.Is(err, context.DeadlineExceeded) && !isFailure(err) {
		err = upstream.Fail(earshot.ReasonTimeout, "%w", err) // whoever noticed it first
	}
	return answer, err
}

func isFailure(err error) bool {
	_, ok := errors.AsType[*upstream.Failure](err)
	return ok
}

// errAttemptsFailed is the error of a job that has no attempt left.
func errAttemptsFailed(a *assignment, failure *upstream.Failure) error {
	name, paid := a.job.Provider, 0
	for _, use := range a.uses {
		if use.Paid {
			paid++
		}
	}
	return &earshot.Error{
		Code:    earshot.CodeUpstream,
		Message: fmt.Sprintf("%s gave no usable answer (%s)", name, failure.Reason),
		Details: earshot.UpstreamDetails{Service: name, Reason: failure.Reason, PaidAttempts: paid},
		Err:     failure,
	}
}

// endedEarly is the error of a job whose context ended.
func endedEarly(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrStopping) || errors.Is(cause, errDeclared) {
		return errUnavailable(cause)
	}
	return &earshot.Error{Code: earshot.CodeCanceled, Message: "the request was canceled", Err: cause}
}

// jitter spreads waits by a fifth either way, so that jobs which failed
// together do not come back together.
func jitter(wait time.Duration) time.Duration {
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}
