package job

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
)

// Task is an asynchronous job that Submit queues.
type Task struct {
	ID             string // a UUIDv7
	Provider       provider.Definition
	Request        provider.Request
	Payload        []byte // the request as it was sent
	Priority       int
	IdempotencyKey *string
	WebhookURL     *string
}

// Submit queues tasks. It returns the stored job of each task, and for each task the error
// with which it was refused, or nil. size is the number of tasks in the client's request,
// including invalid tasks that are not in tasks. answer returns the response to store under the
// request's Idempotency-Key, or nil for an error; it may be nil without a key.
func (r *Runner) Submit(principal *account.Principal, tasks []Task, size int, now time.Time, answer func([]store.Job, []error) any) (queued []store.Job, refusals []error, err error) {
	if r.Draining() {
		return nil, nil, errUnavailable(purchase.ErrStopping)
	}
	queued = r.jobs(principal, tasks, now)
	refusals, err = r.Store.Submit(principal.OrganizationID, queued, size, now, func(ctx context.Context, w *store.Work, refusals []error) error {
		return keepAnswer(ctx, w, principal, func() any { return answer(queued, refusals) }, now)
	})
	if err != nil {
		return nil, nil, err
	}
	r.Wake()
	return queued, refusals, nil
}

// keepAnswer stores the response to a request with an idempotency key.
func keepAnswer(ctx context.Context, w *store.Work, p *account.Principal, answer func() any, now time.Time) error {
	if p.Once == nil {
		return nil
	}
	p.Once.Answer = answer()
	return w.KeepAnswer(ctx, p.Once, now)
}

// jobs returns tasks in the form in which they are stored.
func (r *Runner) jobs(principal *account.Principal, tasks []Task, now time.Time) (jobs []store.Job) {
	for _, task := range tasks {
		jobs = append(jobs, store.Job{
			ID:             task.ID,
			Organization:   principal.OrganizationID,
			KeyID:          principal.KeyID,
			Provider:       task.Provider.Name,
			Mode:           store.ModeAsync,
			Status:         earshot.StatusQueued,
			Request:        task.Payload,
			MaxCost:        r.Price(task.Provider, task.Request),
			CreatedAt:      now,
			Priority:       task.Priority,
			IdempotencyKey: task.IdempotencyKey,
			WebhookURL:     task.WebhookURL,
		})
	}
	return jobs
}

// Price returns the maximum cost of a task.
func (r *Runner) Price(def provider.Definition, request provider.Request) int64 {
	return r.cost(def.Name, store.ModeAsync, request.Bill())
}

// order is a task that this node performs.
type order struct {
	node *incarnation
	job  *store.Job
	ctx  context.Context // the context of the node, with the span of the task
	span trace.Span
	// call is what was bought for the task so far; nil until its first attempt.
	call *purchase.Call
}

// perform runs a task that this node owns, from its next attempt to its end. It does not
// wait for the settlement, after which finished is called. If the node stops or is declared
// dead, the task is not settled, so that another node takes it over.
func (r *Runner) perform(o *order) {
	run := r.buy(o)
	if run.Wait > 0 {
		r.countUses(o, run)
		r.park(o, run.Wait)
		return
	}
	if run.Err != nil && o.ctx.Err() != nil {
		r.countUses(o, run)
		r.finished(o, run.Err)
		return
	}
	r.settleTask(o, r.settlement(o.job, run), run.Err)
}

// buy returns the outcome of a task. A panic fails the task.
func (r *Runner) buy(o *order) (run *purchase.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("a task panicked", "job", o.job.ID, "panic", p, "stack", string(debug.Stack()))
			run = &purchase.Outcome{Attempts: o.job.Attempts, Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	if o.call == nil {
		def, request, err := r.Desk.Decode(o.job)
		if err != nil {
			return &purchase.Outcome{Attempts: o.job.Attempts, Err: err}
		}
		o.call = &purchase.Call{Job: o.job, Watched: def.HealthFields, Request: request}
	}
	o.call.Turn = r.Turns.Later(o.job.Organization)
	defer o.call.Turn.End()
	return r.Desk.Buy(o.ctx, o.call)
}

// park releases the worker of a task whose vendor has not answered yet, and performs the
// task again after wait. This node still owns the task. If the node dies, another node
// takes the task over and continues with the order.
func (r *Runner) park(o *order, wait time.Duration) {
	endSpan(o.span, nil)
	o.ctx = nil
	r.parked.Add(1)
	r.places.Release(o.job.Organization, 1)
	time.AfterFunc(wait, func() { r.unpark(o) })
	r.running.Done()
	r.wakeScheduler()
}

// unpark performs a parked task again, unless the node has stopped or was declared dead.
func (r *Runner) unpark(o *order) {
	r.parked.Add(-1)
	if o.node.ctx.Err() != nil || !r.enter() {
		r.forget(o)
		return
	}
	defer r.running.Done()
	r.run(o, time.Time{})
}

// countUses stores the requests to upstreams of a task that does not end now: it may end on another
// node, which does not know them.
func (r *Runner) countUses(o *order, run *purchase.Outcome) {
	if len(run.Uses) == 0 {
		return
	}
	if err := r.Store.CountUses(o.job, run.Uses); err != nil {
		r.Log.Warn("counting requests to upstreams failed", "job", o.job.ID, "error", err)
	}
}

// settleTask settles a task. failure is why the task failed, or nil.
func (r *Runner) settleTask(o *order, end store.Settlement, failure error) {
	_, span := trace.Start(o.ctx, "store.settle")
	span.String(trace.Outcome, string(end.Status))
	r.Store.SettleLater(end, r.Store.Now(), func(organization *account.Organization, err error) {
		endSpan(span, err)
		if err == nil {
			defer r.finished(o, failure) // also after a panic
			r.ended(&end, organization)
			return
		}
		r.running.Go(func() {
			_, err := r.settle(o.ctx, o.node, end, time.Time{})
			if err != nil {
				r.Log.Warn("settling a task failed; another node takes it over", "job", o.job.ID, "error", err)
				failure = err
			}
			r.finished(o, failure)
		})
	})
}

// Record returns a task in the form of the API, without its webhook.
func (r *Runner) Record(t *store.Task) earshot.TaskRecord {
	record := earshot.TaskRecord{
		Task: earshot.Task{
			ID:             t.ID,
			TaskType:       r.Catalogue.Definition(t.Provider).TaskType,
			Status:         t.Status,
			Priority:       t.Priority,
			Payload:        t.Request,
			IdempotencyKey: t.IdempotencyKey,
			CreatedAt:      earshot.Timestamp{Time: t.CreatedAt},
			StartedAt:      earshot.When(t.StartedAt),
			FinishedAt:     earshot.When(t.FinishedAt),
			Attempts:       min(t.Attempts, r.Desk.Attempts()), // the last takeover may exceed the limit; it makes no attempt
		},
		Credits: earshot.TaskCredits{CreditsToCharge: t.MaxCost, CreditsCharged: t.Charged},
		Result:  t.Result,
		Late:    isLate(t),
		Error:   t.Error,
	}
	record.Task.LatencyMs = latency(t)
	return record
}

// latency returns the time from start to end of a job in milliseconds, or nil if the job
// has not started or not ended.
func latency(t *store.Task) *int64 {
	if t.FinishedAt.IsZero() || t.StartedAt.IsZero() {
		return nil
	}
	return new(max(0, t.FinishedAt.Sub(t.StartedAt).Milliseconds()))
}

// Request returns a call or a task in the form of the API's list of requests.
func (r *Runner) Request(t *store.Task) earshot.RequestRecord {
	return earshot.RequestRecord{
		ID:             t.ID,
		Mode:           earshot.Mode(t.Mode),
		Provider:       t.Provider,
		Status:         t.Status,
		Payload:        t.Request,
		IdempotencyKey: t.IdempotencyKey,
		CreatedAt:      earshot.Timestamp{Time: t.CreatedAt},
		StartedAt:      earshot.When(t.StartedAt),
		FinishedAt:     earshot.When(t.FinishedAt),
		LatencyMs:      latency(t),
		Attempts:       min(t.Attempts, r.Desk.Attempts()), // as in Record
		Credits:        earshot.TaskCredits{CreditsToCharge: t.MaxCost, CreditsCharged: t.Charged},
		Tracker:        t.Tracker,
		Result:         t.Result,
		Late:           isLate(t),
		Error:          t.Error,
	}
}

// isLate reports whether the result of a task arrived after the task had failed.
func isLate(t *store.Task) bool { return t.Status == earshot.StatusFailed && len(t.Result) > 0 }
