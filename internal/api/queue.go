package api

import (
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// queueStatus tells how the organization's queue and slots stand.
func (s *Server) queueStatus(c *call) error {
	status, err := s.Store.QueueStatus(c.r.Context(), c.principal.OrganizationID)
	if err != nil {
		return err
	}
	return c.json(queueOf(status))
}

func queueOf(status store.QueueStatus) earshot.QueueStatus {
	o := status.Organization
	return earshot.QueueStatus{
		QueuedTasks:       o.Queued,
		ProcessingTasks:   status.Processing,
		PriorityBreakdown: status.Queued,
		Concurrency:       earshot.Concurrency{Used: o.Running, Max: o.Plan.Slots},
		Queue:             earshot.QueueRoom{Max: o.Plan.QueueCapacity, Remaining: max(0, o.Plan.QueueCapacity-o.Queued)},
	}
}

// clear removes every queued task of the organization.
func (s *Server) clear(c *call) error {
	cleared, err := s.Store.Clear(c.principal.OrganizationID, c.started)
	if err != nil {
		return err
	}
	s.Log.Info("a queue was cleared", "request", c.id, "organization", c.principal.OrganizationID, "tasks", cleared)
	return c.json(earshot.QueueCleared{Cleared: cleared})
}

// maxDays is how many days one answer about usage can cover.
const maxDays = 366

// usage tells what the organization's jobs came to, by day and provider.
func (s *Server) usage(c *call) error {
	var q earshot.UsageQuery
	if err := c.query(&q); err != nil {
		return err
	}
	o, err := s.Store.Organization(c.r.Context(), c.principal.OrganizationID, c.started)
	if err != nil {
		return err
	}
	from, err := day("from", q.From, time.UnixMilli(o.CycleStartedAt))
	if err != nil {
		return err
	}
	to, err := day("to", q.To, c.started)
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
