package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"earshot"
	"earshot/internal/limits/share"
)

// Routes holds the upstreams through which each provider is asked, in the order in
// which they are tried. It is safe for concurrent use.
type Routes struct {
	byProvider map[string][]*Client
	log        *slog.Logger
	breakers   breakers
	// spent returns what was spent on an upstream today, in micro-USD. Nil means 0.
	spent func(upstream string) int64
}

// NewRoutes returns routes with a list of upstreams for each provider.
func NewRoutes(byProvider map[string][]*Client, log *slog.Logger) *Routes {
	return &Routes{byProvider: byProvider, log: log}
}

// LimitSpending enforces the daily ceilings of upstreams. spent returns what was spent
// on an upstream today, in micro-USD. It must be called before the first attempt.
func (r *Routes) LimitSpending(spent func(upstream string) int64) { r.spent = spent }

// Of returns the upstreams of a provider in the order in which they are tried.
func (r *Routes) Of(provider string) []*Client { return r.byProvider[provider] }

// For returns the upstreams of the provider that answer with a model of the operator's list. The
// model is "" for providers without a choice of models.
func (r *Routes) For(provider, model string) []*Client {
	return slices.DeleteFunc(slices.Clone(r.byProvider[provider]), func(c *Client) bool { return c.entry != "" && c.entry != model })
}

// HasVendor reports whether the provider is asked through a vendor, which may answer
// with tickets.
func (r *Routes) HasVendor(provider string) bool {
	return slices.ContainsFunc(r.byProvider[provider], func(c *Client) bool { return c.via != "" })
}

// Attempt is one attempt of a job.
type Attempt struct {
	Provider   string
	Account    string      // the organization that asks
	Turn       *share.Turn // given back while the attempt waits for the upstream; may be nil
	Place      string      // from which to ask: a country, or a country and a state
	Number     int         // from 1
	CaptureURL string      // base URL of the pages that are kept
	Sample     string      // selects one of many answers of the lab; "" for its fixed answer. Only the lab gets it
	// Tickets are the tickets of the job. Nil if the provider has no vendor.
	Tickets *Tickets
	// Model is the model of the operator's list to ask; "" for providers without a choice.
	Model string
	// NoFallback asks the first upstream only, Only asks the upstream of that name.
	NoFallback bool
	Only       string
	// Uses is filled by Try: one for each upstream that answered or failed.
	Uses []Use
}

// Use is a request to one upstream that has ended.
type Use struct {
	Upstream  string
	Paid      bool           // the operator pays for requests to this upstream
	Reason    earshot.Reason // why it failed; "" if it answered
	Took      time.Duration
	MicroUSD  int64 // what the upstream charged
	Estimated bool  // the upstream did not report the charge; it was computed from the settings
}

// Try asks the provider's upstreams in turn until one answers. It returns at once after
// *Pending or any other error that is not a *Failure. If all upstreams fail, Try returns
// the failure of the last one, which is final only if all failures are. An attempt with a
// pending ticket begins with the ticket's upstream.
func (r *Routes) Try(ctx context.Context, a *Attempt, ask func(*Session) error) error {
	clients := r.For(a.Provider, a.Model)
	if a.NoFallback && len(clients) > 1 {
		clients = clients[:1]
	}
	if a.Only != "" {
		clients = slices.DeleteFunc(slices.Clone(r.byProvider[a.Provider]), func(c *Client) bool { return c.name != a.Only })
	}
	if ticket := a.Tickets.Pending(); ticket != nil {
		if i := slices.IndexFunc(clients, func(c *Client) bool { return c.name == ticket.Upstream }); i > 0 {
			clients = clients[i:]
		}
	}
	if len(clients) == 0 {
		return &Failure{Reason: earshot.ReasonUnavailable, Err: errNoUpstream, Final: true}
	}
	var failures []*Failure
	for i, client := range clients {
		err := r.try(ctx, client, a, i == len(clients)-1, ask)
		failure, ok := errors.AsType[*Failure](err)
		if !ok {
			return err // nil after an answer; other errors end the attempt
		}
		failures = append(failures, failure)
		if i < len(clients)-1 {
			r.log.Info("trying the next upstream", "provider", a.Provider, "failed", client.name, "place", a.Place, "error", failure)
		}
	}
	return combine(failures)
}

var (
	errNoUpstream = errors.New("no upstream is configured")
	errBusy       = errors.New("its limit of concurrent jobs or of calls per minute is reached")
	errCeiling    = errors.New("its daily ceiling is reached")
)

func errOpen(upstream string, last *Failure) error {
	return fmt.Errorf("the circuit of %s is open after failures: %w", upstream, last.Err)
}

// try asks one upstream. It waits for the upstream's budget only if no other upstream follows.
func (r *Routes) try(ctx context.Context, client *Client, a *Attempt, last bool, ask func(*Session) error) error {
	session := newSession(ctx, client, a)
	polls := a.Tickets.Pending() != nil // it was submitted and is paid for
	if !polls && r.OverCeiling(client) {
		return &Failure{Reason: earshot.ReasonUnavailable, Err: fmt.Errorf("%s: %w", client.name, errCeiling), Final: true}
	}
	if b := client.budget; b != nil && !polls {
		leave, ok := b.tryEnter(a.Account)
		if !ok && !last {
			return Fail(earshot.ReasonUnavailable, "%s: %w", client.name, errBusy)
		}
		if !ok {
			var err error
			a.Turn.Pause()
			if leave, err = b.enter(ctx, a.Account); err != nil {
				return err
			}
			if err := a.Turn.Resume(ctx); err != nil {
				leave()
				return err
			}
		}
		defer leave()
	}
	session.prepaid = client.budget != nil
	if client.surface == earshot.SurfaceLab { // no circuit breaker: prompts make the lab fail
		return r.ask(session, a, ask)
	}
	route := circuit{a.Provider, client.name, a.Place}
	if !polls {
		if failure := client.gate.check(client.name); failure != nil {
			return failure
		}
		if failure := r.breakers.allow(route); failure != nil {
			return failure
		}
	}
	err := r.ask(session, a, ask)
	failure, failed := errors.AsType[*Failure](err)
	pending, waits := errors.AsType[*Pending](err)
	switch {
	case err == nil || failed:
		r.breakers.note(route, failure)
	case waits && pending.Cause != nil, waits && !polls: // the submission failed, or it was accepted
		r.breakers.note(route, pending.Cause)
	}
	return err
}

// newSession returns the session of an attempt with one upstream.
func newSession(ctx context.Context, client *Client, a *Attempt) *Session {
	session := client.NewSession(a.Number, a.CaptureURL)
	session.provider, session.account, session.sample, session.turn, session.job = a.Provider, a.Account, a.Sample, a.Turn, ctx
	session.tickets = a.Tickets
	if session.tickets == nil {
		session.tickets = unstoredTickets()
	}
	return session
}

// ErrNotAsked says that an upstream has no capacity for a comparison.
var ErrNotAsked = errors.New("the upstream has no capacity for a comparison")

// TryShadow asks one upstream for a comparison. The upstream need not be in the provider's
// list. Jobs come first: TryShadow does not wait for the upstream's budget and returns
// ErrNotAsked if the budget or the daily ceiling is used up or the circuit is open. How the
// attempt ends does not open or close circuits.
func (r *Routes) TryShadow(ctx context.Context, client *Client, a *Attempt, ask func(*Session) error) error {
	session := newSession(ctx, client, a)
	if polls := a.Tickets.Pending() != nil; !polls {
		route := circuit{a.Provider, client.name, a.Place}
		if r.OverCeiling(client) || r.breakers.isOpen(route) || r.breakers.isOpen(route.everywhere()) {
			return ErrNotAsked
		}
		if b := client.budget; b != nil {
			leave, ok := b.tryEnter(a.Account)
			if !ok {
				return ErrNotAsked
			}
			defer leave()
		}
	}
	session.prepaid = client.budget != nil
	return r.ask(session, a, ask)
}

// ask runs an attempt through one upstream and adds how it ended to a.Uses.
func (r *Routes) ask(session *Session, a *Attempt, ask func(*Session) error) error {
	began := time.Now()
	err := ask(session)
	failure, failed := errors.AsType[*Failure](err)
	if err != nil && !failed || failed && failure.Skipped {
		session.tickets.charged += session.charged // counted when the ticket ends
		return err
	}
	client := session.client
	if client.surface == earshot.SurfaceLab {
		return err // the lab costs nothing
	}
	use := Use{Upstream: client.name, Paid: client.Paid(), Took: time.Since(began), MicroUSD: session.charged + session.tickets.charged}
	session.tickets.charged = 0
	if !session.submitted.IsZero() {
		use.Took = time.Since(session.submitted)
	}
	if failed {
		use.Reason = failure.Reason
	}
	answers := session.billed
	if answers == 0 && (err == nil || use.Reason == earshot.ReasonUnreadable || use.Reason == earshot.ReasonEmpty) {
		answers = 1
	}
	if price := client.Price(a.Provider) * int64(answers); use.MicroUSD == 0 && price > 0 {
		use.MicroUSD, use.Estimated = price, true
	}
	a.Uses = append(a.Uses, use)
	return err
}

// OverCeiling reports whether the daily ceiling of an upstream is reached.
func (r *Routes) OverCeiling(client *Client) bool {
	return client.ceiling > 0 && r.spent != nil && r.spent(client.name) >= client.ceiling
}

// CircuitOpen reports whether the circuit of an upstream is open for all places.
func (r *Routes) CircuitOpen(provider string, client *Client) bool {
	return client.gate.check(client.name) != nil || r.breakers.isOpen(circuit{provider: provider, upstream: client.name})
}

// unstoredTickets returns tickets that are kept in memory only, for attempts without a job.
func unstoredTickets() *Tickets {
	return &Tickets{Job: "check", Save: func(context.Context, *Ticket) error { return nil }}
}

// combine merges the failures of all upstreams. It returns a copy of the last failure. The
// copy is final only if all failures are final, and its RetryAfter is the shortest of the
// failures that are not final.
func combine(failures []*Failure) *Failure {
	all := *failures[len(failures)-1]
	all.Final, all.RetryAfter, all.Skipped = true, 0, true
	for _, f := range failures {
		all.Skipped = all.Skipped && f.Skipped
		if f.Final {
			continue
		}
		if all.Final || f.RetryAfter < all.RetryAfter {
			all.RetryAfter = f.RetryAfter
		}
		all.Final = false
	}
	return &all
}
