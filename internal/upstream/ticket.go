package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"earshot"
)

// TicketState is the state of a ticket.
type TicketState = string

// The states of a ticket.
const (
	// TicketSubmitting is stored before the question is submitted. A ticket that stays in
	// this state was interrupted: the vendor may or may not have accepted the question.
	TicketSubmitting TicketState = "submitting"
	// TicketOpen means that the vendor accepted the question and has not answered yet.
	TicketOpen TicketState = "open"
	// TicketAnswered means that the vendor has the answer. Polling returns it again.
	TicketAnswered TicketState = "answered"
	// TicketFailed means that the vendor refused the question or failed to answer it. The
	// job may submit the question again.
	TicketFailed TicketState = "failed"
	// TicketAbandoned means that the deadline passed without an answer. The vendor may
	// still charge for it.
	TicketAbandoned TicketState = "abandoned"
	// TicketUncertain means that it is unknown whether the vendor accepted the question and
	// charges for it. The job does not submit the question again.
	TicketUncertain TicketState = "uncertain"
)

// Ticket is a question that was submitted to a vendor that answers later.
type Ticket struct {
	Number      int    // counts the submissions of the job, from 1
	Key         string // sent to vendors that accept an idempotency key or a tag
	Upstream    string
	ID          string // chosen by the vendor; "" until the submission is confirmed
	State       TicketState
	SubmittedAt time.Time
	Deadline    time.Time
}

// Pending reports whether the vendor may still answer the ticket.
func (t *Ticket) Pending() bool { return t.State == TicketSubmitting || t.State == TicketOpen }

// Tickets holds the tickets of one job, oldest first.
type Tickets struct {
	Job  string
	List []*Ticket
	// Save stores a ticket durably. It fails when the job no longer belongs to this node.
	Save func(context.Context, *Ticket) error

	charged int64 // micro-USD that the vendor reported when it accepted the pending ticket
}

// Pending returns the ticket that waits for an answer, or nil. A job has at most one.
func (t *Tickets) Pending() *Ticket {
	if t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.List, (*Ticket).Pending); i >= 0 {
		return t.List[i]
	}
	return nil
}

// last returns the newest ticket of an upstream, or nil.
func (t *Tickets) last(upstream string) *Ticket {
	for _, ticket := range slices.Backward(t.List) {
		if ticket.Upstream == upstream {
			return ticket
		}
	}
	return nil
}

// change sets the state of a ticket and stores it.
func (t *Tickets) change(ctx context.Context, ticket *Ticket, state TicketState) error {
	before := ticket.State
	ticket.State = state
	if err := t.Save(ctx, ticket); err != nil {
		ticket.State = before
		return err
	}
	return nil
}

// Pending is the error of an attempt whose vendor has not answered yet. The job polls
// again later and asks no other upstream in the meantime.
type Pending struct {
	After time.Duration
	// Cause is why a submission ended without a clear answer; the next attempt repeats it
	// with the same key. Nil if the vendor accepted the question.
	Cause *Failure
}

func (p *Pending) Error() string {
	return fmt.Sprintf("the vendor has not answered yet, poll again in %s", p.After)
}

// ErrNotReady is the error of Async.Poll while the vendor works on the question.
var ErrNotReady = errors.New("the vendor is still working on the question")

// Async describes how to ask a vendor that answers later.
type Async struct {
	// Wait is how long the vendor may take before its ticket is abandoned.
	Wait time.Duration
	// Every is the shortest time between two polls.
	Every time.Duration
	// Submit sends the question and returns the vendor's id. The vendor gets key if it
	// accepts an idempotency key or a tag.
	Submit func(ctx context.Context, key string) (id string, err error)
	// Find returns the id of a question that may have been submitted with key at about
	// that time, or "" if the vendor did not accept it. Nil if the vendor offers no such
	// lookup.
	Find func(ctx context.Context, key string, submitted time.Time) (id string, err error)
	// FindAfter is how long after a submission Find can be relied on.
	FindAfter time.Duration
	// Idempotent says that a second submission with the same key is neither accepted nor
	// charged again. The vendor may return the id of the first one, or answer with 409.
	Idempotent bool
	// Poll reads the answer. It returns ErrNotReady while the vendor works on it.
	Poll func(ctx context.Context, id string) error
	// Cancel ends the work on a question whose ticket is abandoned, for vendors that limit
	// open questions. The ticket is abandoned even if Cancel fails. May be nil.
	Cancel func(ctx context.Context, id string) error
}

// Redeem asks a vendor that answers later. It submits the question unless the job already
// has a ticket, and then polls once. It returns nil when Poll read the answer,
// *Pending while the vendor works on it, and *Failure when the vendor refused or failed.
func (s *Session) Redeem(ctx context.Context, a *Async) error {
	ticket := s.tickets.last(s.client.name)
	switch {
	case ticket == nil || ticket.State == TicketFailed:
		number := len(s.tickets.List) + 1
		ticket = &Ticket{
			Number: number, Key: fmt.Sprintf("%s-%d", s.tickets.Job, number), Upstream: s.client.name, State: TicketSubmitting,
			SubmittedAt: time.Now(), Deadline: time.Now().Add(a.Wait),
		}
		if err := s.tickets.Save(ctx, ticket); err != nil {
			return fmt.Errorf("store the ticket: %w", err)
		}
		s.tickets.List = append(s.tickets.List, ticket)
		if err := s.submit(ctx, a, ticket); err != nil {
			return err
		}
	case ticket.State == TicketSubmitting:
		if err := s.resubmit(ctx, a, ticket); err != nil {
			return err
		}
	case ticket.State == TicketAbandoned, ticket.State == TicketUncertain:
		return &Failure{Reason: earshot.ReasonTimeout, Final: true, Err: fmt.Errorf("ticket %s is %s and may have been charged", ticket.Key, ticket.State)}
	}
	s.submitted = ticket.SubmittedAt
	return s.poll(ctx, a, ticket)
}

// submit sends the question of a stored ticket. It does not stop when the job's client
// leaves, because nobody would know whether the vendor accepted the question. After an
// error that leaves this open, the ticket is uncertain, unless the vendor recognizes
// repetitions: then the next attempt repeats the submission.
func (s *Session) submit(ctx context.Context, a *Async, ticket *Ticket) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTime)
	defer cancel()
	id, err := a.Submit(ctx, ticket.Key)
	if err == nil {
		ticket.ID = id
		return s.tickets.change(ctx, ticket, TicketOpen)
	}
	failure, ok := errors.AsType[*Failure](err)
	switch {
	case ok && failure.Status == http.StatusConflict && a.Idempotent && a.Find == nil:
		failure.Final = true // the vendor has the question and does not return its id
		return errors.Join(err, s.tickets.change(ctx, ticket, TicketUncertain))
	case ok && failure.Refused:
		return errors.Join(err, s.tickets.change(ctx, ticket, TicketFailed))
	case a.Idempotent || a.Find != nil:
		return s.wait(ctx, a, ticket, failure)
	default:
		return errors.Join(err, s.tickets.change(ctx, ticket, TicketUncertain))
	}
}

// submitTime is how long a vendor may take to accept a question.
const submitTime = time.Minute

// resubmit continues a submission that was interrupted.
func (s *Session) resubmit(ctx context.Context, a *Async, ticket *Ticket) error {
	if a.Find != nil {
		if early := time.Until(ticket.SubmittedAt.Add(a.FindAfter)); early > 0 {
			return &Pending{After: early}
		}
		id, err := a.Find(ctx, ticket.Key, ticket.SubmittedAt)
		if failure, ok := errors.AsType[*Failure](err); ok && ctx.Err() == nil {
			return s.wait(ctx, a, ticket, failure)
		}
		if err != nil {
			return err
		}
		if id != "" {
			ticket.ID = id
			return s.tickets.change(ctx, ticket, TicketOpen)
		}
	}
	if a.Find == nil && !a.Idempotent {
		failure := &Failure{Reason: earshot.ReasonUnavailable, Final: true, Err: fmt.Errorf("the submission of ticket %s was interrupted; it may have been charged and is not repeated", ticket.Key)}
		if err := s.tickets.change(ctx, ticket, TicketUncertain); err != nil {
			return err
		}
		return failure
	}
	ticket.SubmittedAt = time.Now() // Find looks for the latest submission
	if err := s.tickets.Save(ctx, ticket); err != nil {
		return fmt.Errorf("store the ticket: %w", err)
	}
	return s.submit(ctx, a, ticket)
}

const maxPollGap = 30 * time.Second

func (s *Session) poll(ctx context.Context, a *Async, ticket *Ticket) error {
	err := a.Poll(ctx, ticket.ID)
	failure, failed := errors.AsType[*Failure](err)
	switch {
	case err == nil:
		if ticket.State == TicketAnswered {
			return nil
		}
		return s.tickets.change(ctx, ticket, TicketAnswered)
	case failed && failure.NoAnswer:
		return errors.Join(err, s.tickets.change(ctx, ticket, TicketFailed))
	case failed && failure.Reason == earshot.ReasonUnreadable:
		failure.Final = true // the vendor would send the same answer again
		return errors.Join(err, s.tickets.change(ctx, ticket, TicketAnswered))
	case ctx.Err() != nil:
		return err
	case errors.Is(err, ErrNotReady), failed: // a poll that fails is repeated: it costs nothing
		waits := s.wait(ctx, a, ticket, failure)
		if pending, ok := errors.AsType[*Pending](waits); ok {
			pending.Cause = nil // the vendor accepted the question
		}
		return waits
	default:
		return err
	}
}

// wait returns *Pending, or abandons the ticket if its deadline has passed. The failure is
// why the vendor could not be asked; nil if it could.
func (s *Session) wait(ctx context.Context, a *Async, ticket *Ticket, failure *Failure) error {
	if time.Now().After(ticket.Deadline) {
		if err := s.tickets.change(ctx, ticket, TicketAbandoned); err != nil {
			return err
		}
		if a.Cancel != nil && ticket.ID != "" {
			_ = a.Cancel(ctx, ticket.ID) // the vendor may charge for the question in either case
		}
		return &Failure{Reason: earshot.ReasonTimeout, Final: true, Err: fmt.Errorf("ticket %s was not answered within %s", ticket.Key, a.Wait)}
	}
	gap := max(a.Every, min(maxPollGap, time.Since(ticket.SubmittedAt)/8))
	if failure != nil {
		gap = max(gap, failure.RetryAfter)
	}
	return &Pending{After: gap, Cause: failure}
}

// refusedBy reports whether an answer with an error status means that the upstream did
// not accept the request. A gateway's error leaves that open.
func refusedBy(status int) bool {
	return status >= http.StatusBadRequest && status != http.StatusBadGateway && status != http.StatusGatewayTimeout && status != http.StatusRequestTimeout
}
