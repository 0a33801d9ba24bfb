package api

import (
	"context"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store/outbound"
)

// maxDays is the maximum range of a usage query.
const maxDays = 366

// usageOperations returns the operations for prices, usage and statistics.
func usageOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "POST", Path: "/v1/quote", Scope: account.ScopeRead, OrList: true, Unaudited: changesNothing}, (*Server).quote),
		operation(Operation{Method: "GET", Path: "/v1/usage", Scope: account.ScopeRead}, (*Server).usage),
		operation(Operation{Method: "GET", Path: "/v1/upstreams", Scope: account.ScopeRead, Client: Method{Name: "Upstreams", Returns: "Providers"}}, func(s *Server, c *call, _, _ none) (*earshot.Upstreams, error) {
			return s.Jobs.Desk.ListUpstreams(c.context(), c.organization())
		}),
		operation(Operation{Method: "GET", Path: "/v1/stats", Scope: account.ScopeRead, Client: Method{Name: "Stats", Takes: []string{"Hours"}, Returns: "Hours"}}, (*Server).stats),
	}
}

// usage returns the number and cost of the organization's jobs by day and provider.
func (s *Server) usage(c *call, q earshot.UsageQuery, _ none) (*earshot.Usage, error) {
	o, err := s.Orgs.Organization(c.context(), c.organization(), s.Store.Now())
	if err != nil {
		return nil, err
	}
	from, err := day("from", q.From, time.UnixMilli(o.CycleStartedAt))
	if err != nil {
		return nil, err
	}
	to, err := day("to", q.To, s.Store.Now())
	if err != nil {
		return nil, err
	}
	switch {
	case to.Before(from):
		return nil, schema.Invalid("to", "must not be before from")
	case to.Sub(from) >= maxDays*24*time.Hour:
		return nil, schema.Invalid("from", "must be less than %d days before to", maxDays)
	}
	usage, err := s.Store.Usage(c.context(), o.ID, from, to)
	if err != nil {
		return nil, err
	}
	upstreams, err := outbound.New(s.Store.DB).UpstreamUsage(c.context(), o.ID, from, to)
	return &earshot.Usage{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly), Usage: usage, Upstreams: upstreams}, err
}

// day parses a date; an empty text means the day of byDefault.
func day(field, text string, byDefault time.Time) (time.Time, error) {
	if text == "" {
		return byDefault.UTC().Truncate(24 * time.Hour), nil
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil || date.Year() < 1970 {
		return time.Time{}, schema.Invalid(field, "must be a date such as 2026-09-08")
	}
	return date, nil
}

// statsTime is the timeout for reading the statistics.
const statsTime = 30 * time.Second

// stats returns the statistics of the organization's jobs of the last hours, including the
// current hour.
func (s *Server) stats(c *call, q earshot.StatsQuery, _ none) (earshot.Stats, error) {
	// An hour can have hundreds of rows for each provider, so one read serves all waiting
	// requests and must not be canceled with the first one.
	organization, from := c.organization(), s.Store.Now().Add(-time.Duration(q.Hours-1)*time.Hour)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.context()), statsTime)
	defer cancel()
	found, err, _ := s.statistics.Do(fmt.Sprint(q.Hours, organization), func() (any, error) { return s.Store.Stats(ctx, organization, from) })
	rows, _ := found.([]earshot.HourStats) // always the type
	return earshot.Stats{Hours: rows}, err
}
