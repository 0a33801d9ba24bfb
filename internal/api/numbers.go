package api

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/store"
)

func (s *Server) trackerMetrics(c *call) error {
	return numbers(c, s.Reports.Metrics)
}

func (s *Server) trackerSources(c *call) error {
	return numbers(c, s.Reports.Sources)
}

func (s *Server) compareTracker(c *call) error {
	return numbers(c, func(ctx context.Context, organization, name string, q *earshot.CompareQuery) (*earshot.CompareReport, error) {
		return s.Reports.Compare(ctx, organization, name, q, s.Store.Now())
	})
}

// numbers answers a query for numbers of a tracker.
func numbers[Q, R any](c *call, read func(ctx context.Context, organization, name string, q *Q) (*R, error)) error {
	q := new(Q)
	if err := c.query(q); err != nil {
		return err
	}
	report, err := read(c.r.Context(), c.principal.OrganizationID, c.trackerName(), q)
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(report)
}

func (s *Server) trackerRules(c *call) error {
	rules, err := s.Trackers.Rules(c.r.Context(), c.principal.OrganizationID, c.trackerName())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(rules)
}

// reanalyseTracker has kept answers analysed again.
func (s *Server) reanalyseTracker(c *call) error {
	started, err := s.Trackers.Reanalyse(c.r.Context(), c.principal.OrganizationID, c.trackerName(), s.Store.Now())
	if errors.Is(err, store.ErrChanged) { // at this moment, by somebody else
		return errPastShare("somebody else changes this tracker at the same moment, try again")
	}
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(started)
}
