package purchase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream"
)

// lastStart is how long after its arrival a call may still start an attempt. A call also
// waits at most this long for an order.
const lastStart = 5 * time.Minute

// Call is a call or task for which an answer is bought. It is passed by reference to keep stacks
// small, because thousands of calls may wait at once.
type Call struct {
	Job     *store.Job
	Watched []string // fields of the result, see provider.Definition
	Request provider.Request
	Turn    *share.Turn

	basket *basket        // nil until something is paid for
	uses   []outbound.Use // of upstreams so far
	told   int            // number of uses that an Outcome had
}

// Outcome is the result of Buy.
type Outcome struct {
	Attempts int
	Result   json.RawMessage
	Bill     provider.Bill
	Capture  *store.Capture
	Uses     []outbound.Use // since the last outcome of the call
	// Wait is set if an order has no answer yet: the task must not be settled, but bought again after
	// this time. Only tasks wait in this way.
	Wait time.Duration
	Err  error

	served [][]byte // documents that a failed attempt fetched
}

// Attempts returns the largest number of attempts.
func (d *Desk) Attempts() int { return len(d.Backoff) + 1 }

// Buy makes attempts until one succeeds, one fails with a final error, no attempt is
// left, or a task has to wait for an order. If another node ran the job before, the count
// of attempts continues.
func (d *Desk) Buy(ctx context.Context, c *Call) *Outcome {
	if err := d.openBasket(ctx, c); err != nil {
		return &Outcome{Attempts: c.Job.Attempts, Err: errUnavailable(err)}
	}
	o := d.attempts(ctx, c)
	o.Uses = c.uses[c.told:]
	c.told = len(c.uses)
	return o
}

// openBasket reads what was bought for a call or task before, if it may be asked for money. It tries
// again while the database cannot be reached.
func (d *Desk) openBasket(ctx context.Context, c *Call) error {
	paid := func(client *upstream.Client) bool { return client.Paid() }
	if c.basket != nil || !slices.ContainsFunc(d.Of(c.Job.Provider), paid) {
		return nil
	}
	for {
		basket, err := d.open(ctx, stored{desk: d, job: c.Job}, c.Job, c.Request)
		if err == nil {
			c.basket = basket
			return nil
		}
		d.Log.Warn("reading purchases failed, trying again", "request", c.Job.ID, "error", err)
		if !pause(ctx, c.Turn, time.Second) {
			return err
		}
	}
}

func (d *Desk) attempts(ctx context.Context, c *Call) *Outcome {
	var waited time.Duration // time spent waiting for upstreams that were skipped
	for n := max(1, c.Job.Attempts); ; n++ {
		if n > d.Attempts() {
			if c.basket.waiting() == "" && !c.basket.hasAnswer() {
				return &Outcome{Attempts: d.Attempts(), Err: errTakenOver(n - 1)}
			}
			n = d.Attempts() // polling and reading buy nothing, so they go on however often the job was taken over
		}
		if n > 1 && n != c.Job.Attempts {
			d.noteAttempt(c.Job, n)
			c.Job.Attempts = n
		}
		o, err := d.attempt(ctx, c, n)
		o.Attempts = n
		if err == nil {
			return o
		}
		if ctx.Err() != nil {
			o.Err = EndedEarly(ctx)
			return o
		}
		var wait time.Duration
		failure, isFailure := errors.AsType[*upstream.Failure](err)
		pending, isPending := errors.AsType[*upstream.Pending](err)
		switch {
		case isPending && c.Job.Mode == store.ModeAsync:
			o.Wait = max(pending.After, time.Millisecond)
			return o
		case isPending:
			if d.now().Sub(c.Job.CreatedAt)+pending.After > lastStart {
				o.Err = d.errFailed(c, upstream.Fail(earshot.ReasonTimeout, "the vendor has not answered yet"))
				return o
			}
			wait = pending.After
			n-- // a poll does not count as an attempt
		case !isFailure:
			o.Err = err
			return o
		default:
			if failure.Skipped && waited+failure.RetryAfter <= lastStart {
				waited += failure.RetryAfter
				n-- // no upstream was asked, so the attempt does not count
			}
			var again bool
			if wait, again = d.wait(max(n, 1), c.Job, failure); !again || d.isSpent(c) {
				o.Err = d.errFailed(c, failure)
				if failure.Reason == earshot.ReasonUnreadable {
					o.Capture = d.preserve(ctx, c, o.served)
				}
				return o
			}
		}
		if !pause(ctx, c.Turn, wait) {
			o.Err = EndedEarly(ctx)
			return o
		}
	}
}

// pause gives back the turn, waits, and takes a turn again. It returns false if ctx has
// ended.
func pause(ctx context.Context, turn *share.Turn, wait time.Duration) bool {
	turn.Pause()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return turn.Resume(ctx) == nil && ctx.Err() == nil
}

// noteAttempt stores the number of the attempt, for clients that poll the task and for
// a node that takes the task over. An error is only logged: the attempt is made anyway.
func (d *Desk) noteAttempt(job *store.Job, n int) {
	if job.Mode != store.ModeAsync {
		return
	}
	if err := d.Store.NoteAttempt(job, n); err != nil {
		d.Log.Warn("storing the number of an attempt failed", "job", job.ID, "error", err)
	}
}

// wait returns how long to wait after the failure of attempt n, and whether another
// attempt may be made. The wait is the upstream's Retry-After, but at least the backoff.
// Only calls have a deadline for their last attempt, because their clients wait.
func (d *Desk) wait(n int, job *store.Job, failure *upstream.Failure) (wait time.Duration, again bool) {
	if n > len(d.Backoff) || failure.Final {
		return 0, false
	}
	wait = max(jitter(d.Backoff[n-1]), failure.RetryAfter)
	return wait, job.Mode == store.ModeAsync || d.now().Sub(job.CreatedAt)+wait <= lastStart
}

// isSpent reports whether another attempt would ask nobody: nothing more is bought, and nothing is free.
func (d *Desk) isSpent(c *Call) bool {
	free := func(client *upstream.Client) bool { return !client.Paid() }
	return c.basket.isSpent() && c.basket.waiting() == "" && !slices.ContainsFunc(d.Of(c.Job.Provider), free)
}

// attempt makes one attempt, which asks one upstream after the other. After an
// *upstream.Failure another attempt can succeed; after *upstream.Pending it polls; any other error is final.
func (d *Desk) attempt(ctx context.Context, c *Call, n int) (o *Outcome, err error) {
	ctx, span := trace.Start(ctx, "attempt")
	span.Int(trace.Attempt, n)
	span.String(trace.Provider, c.Job.Provider)
	defer func() {
		outcome := upstream.Outcome(err)
		span.String(trace.Outcome, outcome)
		if err != nil {
			span.Fail(outcome)
		}
		span.End()
	}()
	o = new(Outcome)
	captureID := account.NewCaptureID()
	a := d.newAttempt(ctx, c, captureID, n)
	defer func() { c.uses = append(c.uses, a.uses...) }()
	err = d.try(ctx, a, func(session *upstream.Session) (err error) {
		span.String(trace.Upstream, session.Upstream()) // the last upstream overwrites the earlier ones
		o, err = d.askThrough(ctx, session, c, captureID)
		return err
	})
	if _, pending := errors.AsType[*upstream.Pending](err); err != nil && !pending {
		d.Log.Info("attempt failed", "request", c.Job.ID, "provider", c.Job.Provider, "attempt", n, "error", err)
	}
	return o, err
}

// newAttempt returns attempt n of a call.
func (d *Desk) newAttempt(ctx context.Context, c *Call, captureID string, n int) *attempt {
	clients := d.For(c.Job.Provider, provider.ModelOf(c.Request))
	if len(clients) > 1 && refusesFallback(c.Job.Request) {
		clients = clients[:1]
	}
	return &attempt{
		Visit: upstream.Visit{
			Provider: c.Job.Provider, Account: c.Job.Organization, Turn: c.Turn, Job: ctx, Attempt: n, CaptureURL: d.CaptureURL + "/" + captureID, Sample: sampleOf(c.Job),
		},
		clients: clients, place: c.Request.Locale().Place(), basket: c.basket, turn: c.Turn,
	}
}

// refusesFallback reports whether a request says that only the first upstream may be asked.
func refusesFallback(request []byte) bool {
	var options struct {
		Fallback *bool `json:"fallback"`
	}
	err := json.Unmarshal(request, &options)
	return err == nil && options.Fallback != nil && !*options.Fallback
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
func (d *Desk) askThrough(ctx context.Context, session *upstream.Session, c *Call, captureID string) (*Outcome, error) {
	started := time.Now()
	answer, err := d.ask(ctx, c.Job.ID, c.Request, session)
	if d.Attempted != nil {
		d.Attempted(c.Job.Provider, session.Upstream(), time.Since(started), err)
	}
	return d.answered(ctx, session, c, captureID, answer, err)
}

// answered returns the outcome of an answer or of an error.
func (d *Desk) answered(ctx context.Context, session *upstream.Session, c *Call, captureID string, answer *provider.Outcome, err error) (*Outcome, error) {
	name := c.Job.Provider
	if err != nil {
		if failure, ok := errors.AsType[*upstream.Failure](err); ok && failure.Reason == earshot.ReasonUnreadable {
			d.Parsing.unreadable(c, session, time.Now())
		}
		return &Outcome{served: session.Fetched()}, err
	}
	if answer == nil {
		return &Outcome{}, fmt.Errorf("%s returned neither an answer nor an error", name)
	}
	o := &Outcome{Bill: answer.Bill}
	if o.Result, err = json.Marshal(answer.Result); err != nil {
		return &Outcome{}, fmt.Errorf("encode the result of %s: %w", name, err)
	}
	d.Parsing.answered(c, session, o.Result)
	if pages := session.Kept(); len(pages) > 0 {
		c.Turn.Pause()
		err := d.Captures.Put(ctx, captureID, pages)
		if err != nil {
			return &Outcome{}, err
		}
		o.Capture = &store.Capture{ID: captureID, Pages: len(pages)}
		if err := c.Turn.Resume(ctx); err != nil {
			d.Discard(ctx, o.Capture)
			return &Outcome{}, err
		}
	}
	return o, nil
}

// discardTime is short so that it does not delay a node that stops. Upkeep deletes
// captures that are left.
const discardTime = 2 * time.Second

// Discard deletes a capture that has no row in the database, even if ctx has ended.
func (d *Desk) Discard(ctx context.Context, capture *store.Capture) {
	if capture == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	if err := d.Captures.Delete(ctx, capture.ID); err != nil {
		d.Log.Warn("deleting a capture without a row in the database failed", "error", err)
	}
}

// preserve stores documents that could not be parsed as a capture, from which the
// operator can make a test case.
func (d *Desk) preserve(ctx context.Context, c *Call, documents [][]byte) *store.Capture {
	if len(documents) == 0 {
		return nil
	}
	preserved := &store.Capture{ID: account.NewCaptureID(), Pages: len(documents)}
	if err := d.Captures.Put(ctx, preserved.ID, documents); err != nil {
		d.Log.Warn("storing a document that could not be parsed failed", "job", c.Job.ID, "error", err)
		return nil
	}
	d.Log.Warn("a document could not be parsed and was stored as a capture", "job", c.Job.ID, "provider", c.Job.Provider, "capture", d.CaptureURL+"/"+preserved.ID)
	return preserved
}

// ask runs the provider with the timeout of an attempt. It recovers from panics, so that
// one page that a parser cannot handle does not end the node's other jobs.
func (d *Desk) ask(ctx context.Context, id string, request provider.Request, session *upstream.Session) (answer *provider.Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, session.Time(d.AttemptTime))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			d.Log.Error("a provider panicked", "request", id, "panic", p, "stack", string(debug.Stack()))
			err = upstream.Fail(earshot.ReasonUnreadable, "%w", upstream.ErrPanicked)
		}
	}()
	answer, err = d.Vendors.Ask(ctx, request, session)
	if errors.Is(err, upstream.ErrPanicked) {
		d.Log.Error("a provider panicked", "request", id, "error", err)
	}
	if _, failed := errors.AsType[*upstream.Failure](err); !failed && errors.Is(err, context.DeadlineExceeded) {
		err = upstream.Fail(earshot.ReasonTimeout, "%w", err) // the provider may return the context's error itself
	}
	return answer, err
}

// errFailed returns the error of a call or task that has no attempt left.
func (d *Desk) errFailed(c *Call, failure *upstream.Failure) error {
	name, paid := c.Job.Provider, 0
	for _, use := range c.uses {
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

// ErrStopping is the cause when a node refuses or ends jobs because it stops, and ErrDeclared when it
// was declared dead.
var (
	ErrStopping = errors.New("the node is stopping")
	ErrDeclared = errors.New("the node was declared dead")
)

// EndedEarly returns the error of a job whose context has ended.
func EndedEarly(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrStopping) || errors.Is(cause, ErrDeclared) {
		return errUnavailable(cause)
	}
	return &earshot.Error{Code: earshot.CodeCanceled, Message: "the request was canceled", Err: cause}
}

func errUnavailable(cause error) *earshot.Error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node cannot accept or finish the call now, try again", Err: cause}
}

// errTakenOver returns the error of a task whose nodes died too often.
func errTakenOver(attempts int) error {
	return &earshot.Error{
		Code: earshot.CodeInternal, Message: fmt.Sprintf("the task was started %d times, and each time its node died", attempts),
		Err: errors.New("taken over too often"),
	}
}

// jitter returns wait, changed by up to 20 % at random, so that jobs that failed at the
// same time do not retry at the same time.
func jitter(wait time.Duration) time.Duration {
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}
