package purchase

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
func (d *Desk) ListUpstreams(ctx context.Context, organization string) (*earshot.Upstreams, error) {
	now := d.Store.Now()
	stats, err := d.outbound.UpstreamStats(ctx, organization, now.Add(-time.Hour))
	if err != nil {
		return nil, err
	}
	spent, err := d.outbound.UpstreamUsage(ctx, organization, now, now)
	if err != nil {
		return nil, err
	}
	orders, err := d.outbound.OpenOrders(ctx, organization)
	if err != nil {
		return nil, err
	}
	accounts, err := d.outbound.Accounts(ctx, now)
	if err != nil {
		return nil, err
	}
	list := &earshot.Upstreams{}
	for _, p := range d.Catalogue.Providers() {
		about := p.Definition()
		one := earshot.ProviderUpstreams{Provider: about.Name}
		for _, client := range d.Of(about.Name) {
			u := d.describe(about.Name, client, stats, accounts[client.Name()])
			u.OpenTickets = orders[client.Name()]
			for _, day := range spent {
				if day.Upstream == client.Name() && day.Provider == about.Name {
					u.SpentTodayUSD = day.USD
				}
			}
			one.Upstreams = append(one.Upstreams, u)
		}
		one.Upstreams = append(one.Upstreams, d.notConfigured(about, one.Upstreams)...)
		list.Providers = append(list.Providers, one)
	}
	return list, nil
}

func (d *Desk) describe(name string, client *upstream.Client, stats []outbound.UpstreamStats, account outbound.UpstreamAccount) earshot.Upstream {
	u := earshot.Upstream{Name: client.Name(), Surface: client.Surface(), State: earshot.UpstreamReady}
	ceiling := client.Ceiling()
	switch {
	case ceiling > 0 && account.Booked+account.Reserved+int64(client.Price(name).Request) > int64(ceiling):
		u.State = earshot.UpstreamCeiling
	case client.Stopped() != nil || d.circuits.isOpen(circuit{provider: name, upstream: client.Name()}):
		u.State = earshot.UpstreamCircuitOpen
	}
	if u.Model = client.Model(); u.Model != "" {
		end := provider.FindModelEnd(strings.TrimPrefix(client.Name(), "api:"), u.Model, "", d.Store.Now())
		u.ModelState, u.ModelEndsOn = end.State, end.On
	}
	if price := client.Price(name).Request; price > 0 {
		u.PriceUSD = new(price.Float())
	}
	if ceiling > 0 {
		u.CeilingUSD = new(ceiling.Float())
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
func (d *Desk) notConfigured(about provider.Definition, listed []earshot.Upstream) (further []earshot.Upstream) {
	add := func(name string, surface earshot.Surface) {
		if !slices.ContainsFunc(listed, func(u earshot.Upstream) bool { return u.Name == name }) {
			further = append(further, earshot.Upstream{Name: name, Surface: surface, State: earshot.UpstreamNotConfigured})
		}
	}
	for _, api := range about.APIs {
		add("api:"+api.Name, earshot.SurfaceAPI)
	}
	for name, vendor := range d.Vendors {
		if _, offered := vendor.Definition().Serves[about.Name]; offered {
			add("via:"+name, earshot.SurfaceVendor)
		}
	}
	slices.SortFunc(further, func(a, b earshot.Upstream) int { return strings.Compare(a.Name, b.Name) })
	return further
}

// maxDear is how many times the price of the dearest upstream a call or task may cost: an answer, and as
// much again for requests that were charged in vain.
const maxDear = 2

// cost returns what the answer to a request costs the operator: at the first upstream if all goes well, and
// at most. Buying stops before it would cost more.
func (d *Desk) cost(name string, request provider.Request) (usual, most upstream.USD) {
	parts := provider.PartsOf(request)
	for i, client := range d.For(name, provider.ModelOf(request)) {
		price := client.Price(name).Of(parts)
		if i == 0 {
			usual = price
		}
		most = max(most, maxDear*price)
	}
	return usual, most
}

// QuoteUpstream returns what the answer to a request of a provider is expected to cost the operator.
func (d *Desk) QuoteUpstream(name string, request provider.Request) *earshot.QuoteUpstream {
	clients := d.For(name, provider.ModelOf(request))
	if len(clients) == 0 {
		return nil
	}
	usual, most := d.cost(name, request)
	return &earshot.QuoteUpstream{Name: clients[0].Name(), USD: usual.Float(), USDAtMost: most.Float()}
}

// Covers returns why no upstream of a provider can serve a request, or nil. The error is a
// *provider.Uncovered of the first vendor.
func (d *Desk) Covers(name string, request provider.Request) (why error) {
	for _, client := range d.For(name, provider.ModelOf(request)) {
		if client.Via() == "" {
			return nil
		}
		err := d.Vendors.Covers(request, client.Via())
		if err == nil {
			return nil
		}
		if why == nil {
			why = err
		}
	}
	return why
}
