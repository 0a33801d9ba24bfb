package job

import (
	"context"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// ListUpstreams returns the upstreams of each provider, with their state and how they served
// an organization in the current and the previous hour.
func (r *Runner) ListUpstreams(ctx context.Context, organization string) (*earshot.Upstreams, error) {
	now := r.Store.Now()
	stats, err := r.outbound.UpstreamStats(ctx, organization, now.Add(-time.Hour))
	if err != nil {
		return nil, err
	}
	spent, err := r.outbound.UpstreamUsage(ctx, organization, now, now)
	if err != nil {
		return nil, err
	}
	tickets, err := r.outbound.OpenTickets(ctx, organization)
	if err != nil {
		return nil, err
	}
	list := &earshot.Upstreams{}
	for _, p := range r.Catalogue.Providers() {
		about := p.Definition()
		one := earshot.ProviderUpstreams{Provider: about.Name}
		for _, client := range r.Upstreams.Of(about.Name) {
			u := r.describe(about.Name, client, stats)
			u.OpenTickets = tickets[client.Name()]
			for _, day := range spent {
				if day.Upstream == client.Name() && day.Provider == about.Name {
					u.SpentTodayUSD = day.USD
				}
			}
			one.Upstreams = append(one.Upstreams, u)
		}
		one.Upstreams = append(one.Upstreams, r.notConfigured(about, one.Upstreams)...)
		list.Providers = append(list.Providers, one)
	}
	return list, nil
}

func (r *Runner) describe(name string, client *upstream.Client, stats []outbound.UpstreamStats) earshot.Upstream {
	u := earshot.Upstream{Name: client.Name(), Surface: client.Surface(), State: earshot.UpstreamReady}
	switch {
	case r.Upstreams.OverCeiling(client):
		u.State = earshot.UpstreamCeiling
	case r.Upstreams.CircuitOpen(name, client):
		u.State = earshot.UpstreamCircuitOpen
	}
	if u.Model = client.Model(); u.Model != "" {
		end := provider.FindModelEnd(strings.TrimPrefix(client.Name(), "api:"), u.Model, "", r.Store.Now())
		u.ModelState, u.ModelEndsOn = end.State, end.On
	}
	if price := client.Price(name); price > 0 {
		u.PriceUSD = new(float64(price) / 1e6)
	}
	if ceiling := client.Ceiling(); ceiling > 0 {
		u.CeilingUSD = new(float64(ceiling) / 1e6)
	}
	for _, s := range stats {
		if s.Upstream != client.Name() || s.Provider != name {
			continue
		}
		u.Requests, u.P50Ms, u.P95Ms = s.Answered+s.Failed, s.P50Ms, s.P95Ms
		if u.Requests > 0 {
			u.AnsweredShare = new(float64(s.Answered) / float64(u.Requests))
		}
	}
	return u
}

// notConfigured returns the official APIs and vendors that can serve a provider but are not
// configured for it.
func (r *Runner) notConfigured(about provider.Definition, listed []earshot.Upstream) (further []earshot.Upstream) {
	add := func(name string, surface earshot.Surface) {
		if !slices.ContainsFunc(listed, func(u earshot.Upstream) bool { return u.Name == name }) {
			further = append(further, earshot.Upstream{Name: name, Surface: surface, State: earshot.UpstreamNotConfigured})
		}
	}
	for _, api := range about.APIs {
		add("api:"+api.Name, earshot.SurfaceAPI)
	}
	for name, vendor := range r.Vendors {
		if _, offered := vendor.Definition().Prices[about.Name]; offered {
			add("via:"+name, earshot.SurfaceVendor)
		}
	}
	slices.SortFunc(further, func(a, b earshot.Upstream) int { return strings.Compare(a.Name, b.Name) })
	return further
}

// QuoteUpstream returns what the answer to a request of a provider is expected to cost the operator.
func (r *Runner) QuoteUpstream(name string, request provider.Request) *earshot.QuoteUpstream {
	clients := r.Upstreams.For(name, provider.ModelOf(request))
	if len(clients) == 0 {
		return nil
	}
	quote := &earshot.QuoteUpstream{Name: clients[0].Name(), USD: float64(clients[0].Price(name)) / 1e6}
	for _, client := range clients {
		quote.USDAtMost = max(quote.USDAtMost, float64(client.Price(name))/1e6)
	}
	return quote
}
