package api

import (
	"context"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/schema"
)

// maxDays is how many days one answer about usage can cover.
const maxDays = 366

// usage tells what the organization's jobs came to, by day and provider.
func (s *Server) usage(c *call) error {
	var q earshot.UsageQuery
	if err := c.query(&q); err != nil {
		return err
	}
	o, err := s.Store.Organization(c.r.Context(), c.principal.OrganizationID, s.Store.Now())
	if err != nil {
		return err
	}
	from, err := day("from", q.From, time.UnixMilli(o.CycleStartedAt))
	if err != nil {
		return err
	}
	to, err := day("to", q.To, s.Store.Now())
	if err != nil {
		return err
	}
	switch {
	case to.Before(from):
		return schema.Invalid("to", "must not be before from")
	case to.Sub(from) >= maxDays*24*time.Hour:
		return schema.Invalid("from", "must be less than %d days before to", maxDays)
	}
	usage, err := s.Store.Usage(c.r.Context(), o.ID, from, to)
	if err != nil {
		return err
	}
	return c.json(earshot.Usage{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly), Usage: usage})
}

// day reads a date; absent means the day of byDefault.
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

// statsTime bounds one reading of the statistics.
const statsTime = 30 * time.Second

// stats tells what the organization's jobs of the last hours came to, this one
// included.
func (s *Server) stats(c *call) error {
	var q earshot.StatsQuery
	if err := c.query(&q); err != nil {
		return err
	}
	// An hour can be hundreds of rows for each provider, so one reading serves all who
	// wait for it, and must not end with the first.
	organization, from := c.principal.OrganizationID, s.Store.Now().Add(-time.Duration(q.Hours-1)*time.Hour)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), statsTime)
	defer cancel()
	found, err, _ := s.statistics.Do(fmt.Sprint(q.Hours, organization), func() (any, error) { return s.Store.Stats(ctx, organization, from) })
	if err != nil {
		return err
	}
	rows, _ := found.([]earshot.HourStats) // what Stats returns
	return c.json(earshot.Stats{Hours: rows})
}
