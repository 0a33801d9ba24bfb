package purchase

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// attempt is one attempt of a call or task.
type attempt struct {
	upstream.Visit
	clients []*upstream.Client // to ask, in this order
	place   string             // from which to ask: a country, or a country and a state
	basket  *basket            // nil if nothing is paid for
	turn    *share.Turn
	uses    []outbound.Use // filled: one for each upstream that answered or failed
}

var errNoUpstream = errors.New("no upstream is configured")

// try asks the upstreams in turn until one answers. It returns at once after *upstream.Pending or any
// other error that is not a *upstream.Failure. If all upstreams fail, it returns the failure of the last
// one, which is final only if all failures are. An attempt with an order that may still be answered
// begins with the upstream of the order.
func (d *Desk) try(ctx context.Context, a *attempt, ask func(*upstream.Session) error) error {
	clients := a.clients
	if name := a.basket.waiting(); name != "" {
		if i := slices.IndexFunc(clients, func(c *upstream.Client) bool { return c.Name() == name }); i > 0 {
			clients = clients[i:]
		}
	}
	if len(clients) == 0 {
		return &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errNoUpstream, Final: true}
	}
	var failures []*upstream.Failure
	for i, client := range clients {
		last := i == len(clients)-1
		err := d.tryOne(ctx, client, a, last, ask)
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok {
			return err // nil after an answer; other errors end the attempt
		}
		failures = append(failures, failure)
		if !last {
			d.Log.Info("trying the next upstream", "provider", a.Provider, "failed", client.Name(), "place", a.place, "error", failure)
		}
	}
	return combine(failures)
}

// tryOne asks one upstream. It waits for the upstream's limits only if no other upstream follows.
func (d *Desk) tryOne(ctx context.Context, client *upstream.Client, a *attempt, last bool, ask func(*upstream.Session) error) error {
	if name := a.basket.waiting(); name != "" && name == client.Name() { // it only polls, which is neither limited nor a test of the upstream
		return d.visit(client, a, false, func(s *upstream.Session) error {
			err := ask(s)
			if failure, failed := errors.AsType[*upstream.Failure](err); err == nil || failed {
				d.circuits.note(circuit{a.Provider, client.Name(), a.place}, failure)
			}
			return err
		})
	}
	if failure := d.overCeiling(ctx, client); failure != nil {
		return failure
	}
	leave, err := client.TryEnter(a.Account)
	if err != nil && last {
		leave, err = client.Enter(ctx, a.Account, a.turn)
	} else if err != nil {
		return upstream.Fail(earshot.ReasonUnavailable, "%s: %w", client.Name(), err)
	}
	if err != nil {
		return err
	}
	defer leave()
	if client.Surface() == earshot.SurfaceLab { // no circuit breaker: prompts make the lab fail
		return d.visit(client, a, true, ask)
	}
	route := circuit{a.Provider, client.Name(), a.place}
	if failure := client.Stopped(); failure != nil {
		return failure
	}
	if failure := d.circuits.allow(route); failure != nil {
		return failure
	}
	err = d.visit(client, a, true, ask)
	failure, failed := errors.AsType[*upstream.Failure](err)
	pending, waits := errors.AsType[*upstream.Pending](err)
	switch {
	case err == nil || failed:
		d.circuits.note(route, failure)
	case waits: // the order was accepted, or its submission failed
		d.circuits.note(route, pending.Cause)
	}
	return err
}

// overCeiling returns a failure if the daily ceiling of an upstream is reached, so that nobody waits for
// the upstream's other limits in vain. Reserving decides.
func (d *Desk) overCeiling(ctx context.Context, client *upstream.Client) *upstream.Failure {
	if client.Ceiling() == 0 || d.Store == nil {
		return nil
	}
	accounts, err := d.outbound.Accounts(ctx, d.now())
	if account := accounts[client.Name()]; err != nil || account.Booked+account.Reserved < int64(client.Ceiling()) {
		return nil //nolint:nilerr // reserving will fail as well
	}
	return notBought(client.Name(), store.ErrCeiling)
}

// visit runs an attempt through one upstream and adds how it ended to a.uses.
func (d *Desk) visit(client *upstream.Client, a *attempt, entered bool, ask func(*upstream.Session) error) error {
	v := a.Visit
	v.Entered = entered
	if client.Paid() && a.basket != nil {
		v.Buyer = a.basket
	}
	began := time.Now()
	bought := a.basket.bought(client.Name())
	before, estimatedBefore := a.basket.charged(client.Name())
	err := ask(client.Open(v))
	failure, failed := errors.AsType[*upstream.Failure](err)
	if err != nil && !failed || failed && failure.Skipped && a.basket.bought(client.Name()) == bought || client.Surface() == earshot.SurfaceLab {
		return err // not ended, not asked, or free
	}
	after, estimated := a.basket.charged(client.Name())
	use := outbound.Use{Upstream: client.Name(), Paid: client.Paid(), Took: time.Since(began), Charged: after - before, Estimated: estimated > estimatedBefore}
	if p := a.basket.lastOrder(client.Name()); p != nil {
		use.Took = d.now().Sub(p.SentAt)
	}
	if failed {
		use.Reason = failure.Reason
	}
	a.uses = append(a.uses, use)
	return err
}

// combine merges the failures of all upstreams. It returns a copy of the last failure. The
// copy is final only if all failures are final, and its RetryAfter is the shortest of the
// failures that are not final.
func combine(failures []*upstream.Failure) *upstream.Failure {
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
