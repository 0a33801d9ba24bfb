package api

import (
	"errors"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// maxDefinition is how long a tracker's definition may be.
const maxDefinition = 8 << 20

func (s *Server) trackers(c *call) error {
	list, err := s.Trackers.List(c.r.Context(), c.principal.OrganizationID, s.Store.Now())
	if err != nil {
		return err
	}
	return c.json(list)
}

// trackerName is the tracker that the path names.
func (c *call) trackerName() string { return c.r.PathValue("name") }

func (s *Server) tracker(c *call) error {
	t, err := s.Trackers.Get(c.r.Context(), c.principal.OrganizationID, c.trackerName(), s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(t)
}

// applyTracker stores a definition, or tells what it would change.
func (s *Server) applyTracker(c *call) error {
	var q earshot.TrackerQuery
	if err := c.query(&q); err != nil {
		return err
	}
	if !schema.IsTrackerName(c.trackerName()) {
		return schema.Invalid("name", "%s", schema.TrackerNameRule)
	}
	body, err := c.body(maxDefinition)
	if err != nil {
		return err
	}
	applied, err := s.Trackers.Apply(c.r.Context(), c.principal.OrganizationID, c.trackerName(), body, c.isYAML(), q.DryRun, s.Store.Now())
	if errors.Is(err, store.ErrChanged) {
		return errTrackerChanged(c.trackerName())
	}
	if err != nil {
		return err
	}
	return c.json(applied)
}

func errTrackerChanged(name string) error {
	return &earshot.Error{
		Code: earshot.CodeConflict, Message: "somebody else changes this tracker at the same moment; look at it and try again",
		Details: earshot.ConflictDetails{ID: name},
	}
}

func (s *Server) patchTracker(c *call) error {
	var body earshot.TrackerPatch
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	t, err := s.Trackers.SetState(c.r.Context(), c.principal.OrganizationID, c.trackerName(), body.State, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(t)
}

func (s *Server) deleteTracker(c *call) error {
	if err := s.Store.DeleteTracker(c.r.Context(), c.principal.OrganizationID, c.trackerName(), s.Store.Now()); err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(earshot.TrackerDeleted{Name: c.trackerName()})
}

// makeDemo makes a tracker with a history that is made up. Without a body it has the usual
// length.
func (s *Server) makeDemo(c *call) error {
	if !schema.IsTrackerName(c.trackerName()) {
		return schema.Invalid("name", "%s", schema.TrackerNameRule)
	}
	var body earshot.DemoRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	made, err := s.Trackers.MakeDemo(c.r.Context(), c.principal.OrganizationID, c.trackerName(), body, s.Store.Now())
	if errors.Is(err, store.ErrChanged) {
		return errTrackerChanged(c.trackerName())
	}
	if err != nil {
		return err
	}
	return c.json(made)
}

func (s *Server) startSweep(c *call) error {
	var body earshot.SweepRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	started, err := s.Trackers.RunNow(c.r.Context(), c.principal.OrganizationID, c.trackerName(), body, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(started)
}

func (s *Server) sweeps(c *call) error {
	var q earshot.SweepQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	page, err := s.Trackers.Sweeps(c.r.Context(), c.principal.OrganizationID, c.trackerName(), q.State, before, q.Limit)
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(page)
}

func (s *Server) sweep(c *call) error {
	id := c.r.PathValue("id")
	sweep, err := s.Trackers.Sweep(c.r.Context(), c.principal.OrganizationID, c.trackerName(), id)
	if err != nil {
		return notFoundAs(err, "sweep", id)
	}
	return c.json(sweep)
}

func (s *Server) cancelSweep(c *call) error {
	id := c.r.PathValue("id")
	canceled, err := s.Trackers.Cancel(c.r.Context(), c.principal.OrganizationID, c.trackerName(), id, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "sweep", id)
	}
	return c.json(canceled)
}

func (s *Server) answers(c *call) error {
	var q earshot.AnswerQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	from, until := moments(q.From, q.To)
	page, err := s.Reports.Answers(c.r.Context(), c.principal.OrganizationID, c.trackerName(), &q.AnswerFilter, from, until, before, q.Limit)
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(page)
}

func (s *Server) answer(c *call) error {
	id := c.r.PathValue("id")
	answer, err := s.Reports.Answer(c.r.Context(), c.principal.OrganizationID, c.trackerName(), id)
	if err != nil {
		return notFoundAs(err, "answer", id)
	}
	return c.json(answer)
}

// span is moments that are refused where the second is not after the first.
func span(from, to string) (start, end time.Time, err error) {
	start, end = moments(from, to)
	if !start.IsZero() && !end.IsZero() && !start.Before(end) {
		return start, end, schema.Invalid("to", "must be after from")
	}
	return start, end, nil
}

// moments is the time from one moment to another, which is excluded; a day counts whole,
// in UTC. The texts were checked when the query was read.
func moments(from, to string) (start, end time.Time) {
	if from != "" {
		start, _, _ = schema.ParseMoment(from)
	}
	if to != "" {
		var isDay bool
		if end, isDay, _ = schema.ParseMoment(to); isDay {
			end = end.Add(24 * time.Hour)
		}
	}
	return start, end
}
