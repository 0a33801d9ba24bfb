package job

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// readTickets prepares the tickets of a job whose provider has a vendor. A job that
// another node began may have stored tickets; readTickets retries until it can read them.
func (r *Runner) readTickets(ctx context.Context, a *assignment) error {
	if a.tickets != nil || !r.Upstreams.HasVendor(a.job.Provider) {
		return nil
	}
	tickets := &upstream.Tickets{Job: a.job.ID, Save: func(ctx context.Context, t *upstream.Ticket) error { return r.saveTicket(ctx, a.job, t) }}
	for a.job.Attempts > 1 {
		stored, err := r.outbound.Tickets(ctx, a.job.Organization, a.job.ID)
		if err == nil {
			for _, t := range stored {
				tickets.List = append(tickets.List, new(upstream.Ticket(*t)))
			}
			break
		}
		r.Log.Warn("reading tickets failed, trying again", "job", a.job.ID, "error", err)
		if !r.pause(ctx, a, time.Second) {
			return err
		}
	}
	a.tickets = tickets
	return nil
}

// saveTicket stores a ticket. It tries again while the database cannot be reached, because
// the vendor's id would be lost otherwise, and the answer with it.
func (r *Runner) saveTicket(ctx context.Context, job *store.Job, t *upstream.Ticket) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := r.Store.SaveTicket(job, outbound.Ticket(*t))
		if err == nil || errors.Is(err, store.ErrLost) {
			return err
		}
		r.Log.Warn("storing a ticket failed, trying again", "job", job.ID, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// onlyPolls reports whether the job has a ticket whose answer it only has to read.
func (p *purchases) onlyPolls() bool {
	if p.tickets == nil || len(p.tickets.List) == 0 {
		return false
	}
	last := p.tickets.List[len(p.tickets.List)-1]
	return p.tickets.Pending() != nil || last.State == upstream.TicketAnswered
}

// refusesFallback reports whether a request says that only the first upstream may be asked.
func (r *Runner) refusesFallback(job *store.Job) bool {
	if len(r.Upstreams.Of(job.Provider)) < 2 {
		return false
	}
	var options struct {
		Fallback *bool `json:"fallback"`
	}
	err := json.Unmarshal(job.Request, &options)
	return err == nil && options.Fallback != nil && !*options.Fallback
}

// park releases the worker of a task whose vendor has not answered yet, and performs the
// task again after wait. This node still owns the task. If the node dies, another node
// takes the task over and continues with the ticket.
func (r *Runner) park(o *order, wait time.Duration) {
	endSpan(o.span, nil)
	o.ctx = nil
	r.parked.Add(1)
	r.places.Release(o.job.Organization, 1)
	time.AfterFunc(jitter(wait), func() { r.unpark(o) })
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

const (
	// lateEvery is the interval of collecting answers that arrive after their job has ended.
	lateEvery = 10 * time.Second
	// lateBatch is the maximum number of tickets that one round of collecting polls.
	lateBatch = 200
	// roundTime limits such a round, and pollTime the poll of one ticket, since a vendor may hang.
	roundTime = time.Minute
	pollTime  = 30 * time.Second
	// submitting is the maximum duration of the submission of a ticket.
	submitting = 2 * time.Minute
)

// collectLate polls the tickets of jobs that have ended, such as calls that timed out.
// An answer is stored with its job. The job stays failed and is not charged.
func (r *Runner) collectLate(ctx context.Context, _ time.Time) error {
	if r.Workers == 0 {
		return nil
	}
	late, err := r.outbound.LateTickets(ctx, lateBatch)
	if err != nil {
		return err
	}
	byUpstream := map[string][]*outbound.JobTicket{}
	for _, ticket := range late {
		byUpstream[ticket.Upstream] = append(byUpstream[ticket.Upstream], ticket)
	}
	var group errgroup.Group
	for _, tickets := range byUpstream {
		group.Go(func() error { return r.collectAll(ctx, tickets) })
	}
	return group.Wait()
}

// collectAll polls tickets of one upstream until roundTime is over.
func (r *Runner) collectAll(ctx context.Context, tickets []*outbound.JobTicket) error {
	for began := time.Now(); len(tickets) > 0 && time.Since(began) < roundTime; tickets = tickets[1:] {
		ticket := tickets[0]
		err := r.collect(ctx, ticket)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Log.Warn("collecting a late answer failed", "request", ticket.Job, "upstream", ticket.Upstream, "error", err)
		}
	}
	return nil
}

// collect polls one ticket of a job that has ended, and closes the ticket if it can.
func (r *Runner) collect(ctx context.Context, late *outbound.JobTicket) error {
	task, err := r.Store.Request(ctx, late.Organization, late.Job)
	if errors.Is(err, store.ErrNotFound) || err == nil && task.Status == earshot.StatusCompleted {
		late.State = upstream.TicketAbandoned // the answer is not needed any more
		return r.Store.CloseLateTicket(late, nil, task, nil)
	}
	if err != nil {
		return err
	}
	if late.State == upstream.TicketSubmitting {
		if time.Since(late.SubmittedAt) < submitting {
			return nil // the submission may still be under way
		}
		late.State = upstream.TicketUncertain
		return r.Store.CloseLateTicket(late, nil, task, nil)
	}
	ticket := upstream.Ticket(late.Ticket)
	a := &assignment{job: &task.Job, purchases: &purchases{tickets: &upstream.Tickets{
		Job: late.Job, List: []*upstream.Ticket{&ticket}, Save: func(context.Context, *upstream.Ticket) error { return nil },
	}}}
	def, request, err := r.decode(a.job)
	if err != nil { // the service changed since: nobody can read the answer any more
		r.Log.Warn("abandoned a ticket whose request cannot be read any more", "request", late.Job, "error", err)
		late.State = upstream.TicketAbandoned
		return r.Store.CloseLateTicket(late, nil, task, nil)
	}
	a.watched, a.request = def.HealthFields, request
	captureID := account.NewCaptureID()
	try := &upstream.Attempt{
		Provider: a.job.Provider, Account: a.job.Organization, Place: request.Locale().Place(), Number: 1,
		CaptureURL: r.CaptureURL + "/" + captureID, Tickets: a.tickets, Only: late.Upstream,
	}
	var o *outcome
	limited, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	err = r.Upstreams.Try(limited, try, func(session *upstream.Session) (err error) {
		o, err = r.askThrough(limited, session, a, captureID)
		return err
	})
	if ctx.Err() != nil || err != nil && limited.Err() != nil && time.Now().Before(ticket.Deadline) {
		return ctx.Err() // nil: the next round polls again
	}
	if ticket.Pending() { // also when its upstream is no longer configured
		if time.Now().Before(ticket.Deadline) {
			return nil
		}
		ticket.State = upstream.TicketAbandoned
	}
	late.Ticket = outbound.Ticket(ticket)
	var result json.RawMessage
	if err == nil {
		result = o.result
		r.Log.Info("stored an answer that arrived after its job had ended", "request", late.Job, "upstream", late.Upstream)
	}
	return r.Store.CloseLateTicket(late, result, task, usesOf(try.Uses))
}

// usesOf converts uses to the type of the store.
func usesOf(uses []upstream.Use) (stored []outbound.Use) {
	for _, use := range uses {
		stored = append(stored, outbound.Use(use))
	}
	return stored
}
