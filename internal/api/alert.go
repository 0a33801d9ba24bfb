package api

import (
	"earshot"
	"earshot/internal/schema"
)

func (s *Server) alerts(c *call) error {
	var q earshot.AlertQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	page, err := s.Trackers.Alerts(c.r.Context(), c.principal.OrganizationID, c.trackerName(), &q, before)
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(page)
}

// acknowledgeAlert notes that whoever has the key has seen an alert.
func (s *Server) acknowledgeAlert(c *call) error {
	seen, err := s.Trackers.Acknowledge(c.r.Context(), c.principal.OrganizationID, c.trackerName(), c.r.PathValue("id"), c.principal.KeyID, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "alert", c.r.PathValue("id"))
	}
	return c.json(seen)
}

// testAlerts sends a test to channels and tells how each went. Without a body it is all of
// the tracker's.
func (s *Server) testAlerts(c *call) error {
	var body earshot.AlertTestRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	c.turn.End() // what is left is to wait for receivers
	result, err := s.Trackers.TestAlerts(c.r.Context(), c.principal.OrganizationID, c.trackerName(), body.Channel, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(result)
}

func (s *Server) channels(c *call) error {
	list, err := s.Trackers.Channels(c.r.Context(), c.principal.OrganizationID)
	if err != nil {
		return err
	}
	return c.json(list)
}

func (s *Server) saveChannel(c *call) error {
	name := c.r.PathValue("name")
	if !schema.IsTrackerName(name) {
		return schema.Invalid("name", "%s", schema.TrackerNameRule)
	}
	var body earshot.ChannelRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if in.Err() == nil { // else its fields may not be what they say
		s.Trackers.CheckChannel(in, &body)
	}
	if err := in.Err(); err != nil {
		return err
	}
	saved, err := s.Trackers.SaveChannel(c.r.Context(), c.principal.OrganizationID, name, &body, s.Store.Now())
	if err != nil {
		return err
	}
	s.Log.Info("a channel was saved", "request", c.id, "organization", c.principal.OrganizationID, "channel", name, "by", c.principal.KeyID)
	return c.json(saved)
}

func (s *Server) deleteChannel(c *call) error {
	name := c.r.PathValue("name")
	if err := s.Trackers.DeleteChannel(c.r.Context(), c.principal.OrganizationID, name); err != nil {
		return notFoundAs(err, "channel", name)
	}
	s.Log.Info("a channel was deleted", "request", c.id, "organization", c.principal.OrganizationID, "channel", name, "by", c.principal.KeyID)
	return c.json(earshot.ChannelDeleted{Name: name})
}
