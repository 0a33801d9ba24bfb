package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"earshot"
	"earshot/internal/limits/share"
)

// Routes are the upstreams through which each provider is asked, in the order in
// which they are tried. It is safe for concurrent use.
type Routes struct {
	byProvider map[string][]*Client
	log        *slog.Logger
	breakers   breakers
}

// NewRoutes makes routes from a list of upstreams for each provider.
func NewRoutes(byProvider map[string][]*Client, log *slog.Logger) *Routes {
	return &Routes{byProvider: byProvider, log: log}
}

// Of are the upstreams of the provider, in their order.
func (r *Routes) Of(provider string) []*Client { return r.byProvider[provider] }

// Attempt is one attempt of a job.
type Attempt struct {
	Provider   string
	Account    string      // for whom: an organization
	Turn       *share.Turn // given back while it waits for the upstream; may be nil
	Place      string      // to ask from: a country, or a country and a state
	Number     int         // from 1
	CaptureURL string      // below it the pages that are kept will be served
	Sample     string      // has the lab answer as one of many; "" for its one answer. No other upstream sees it
}

// Try asks through the provider's upstreams in turn until one answers. An error that
// is no *Failure ends it at once. When all of them fail, the failure is that of the
// last one, and final only if all are.
func (r *Routes) Try(ctx context.Context, a *Attempt, ask func(*Session) error) error {
	clients := r.byProvider[a.Provider]
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
			r.log.Info("the next upstream is tried", "provider", a.Provider, "upstream", client.name, "place", a.Place, "error", failure)
		}
	}
	return combine(failures)
}

var (
	errNoUpstream = errors.New("no upstream is configured")
	errBusy       = errors.New("its budget is spent for now")
)

func errOpen(upstream string, last *Failure) error {
	return fmt.Errorf("%s is left alone for a while, since it failed: %w", upstream, last.Err)
}

// try asks through one upstream. Where another one follows it does not wait for a
// budget.
func (r *Routes) try(ctx context.Context, client *Client, a *Attempt, last bool, ask func(*Session) error) error {
	session := client.NewSession(a.Number, a.CaptureURL)
	session.provider, session.account, session.sample, session.turn, session.job = a.Provider, a.Account, a.Sample, a.Turn, ctx
	if b := client.budget; b != nil {
		switch {
		case b.tryEnter():
		case !last:
			return Fail(earshot.ReasonUnavailable, "%s: %w", client.name, errBusy)
		default:
			a.Turn.Pause()
			err := b.enter(ctx)
			if err == nil {
				err = a.Turn.Resume(ctx)
			}
			if err != nil {
				return err
			}
		}
		defer b.leave()
		session.prepaid = true
	}
	if client.surface == earshot.SurfaceLab { // its failures are ordered by prompts
		return ask(session)
	}
	route := circuit{a.Provider, client.name, a.Place}
	if failure := r.breakers.allow(route); failure != nil {
		return failure
	}
	err := ask(session)
	failure, failed := errors.AsType[*Failure](err)
	if err == nil || failed {
		r.breakers.note(route, failure)
	}
	return err
}

// combine makes one failure of those of all upstreams: the last one, which is final
// only if all are, with the shortest time after which one of them can be asked again.
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
