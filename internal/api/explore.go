package api

import "earshot"

func (s *Server) diffAnswers(c *call) error { return numbers(c, s.Reports.Diff) }

func (s *Server) discoverNames(c *call) error { return numbers(c, s.Reports.Discover) }

// tryNames tells what names would find. It changes nothing, so that whoever may read
// answers may do it.
func (s *Server) tryNames(c *call) error {
	var trial earshot.NameTrial
	in, err := c.decode(&trial)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	tried, err := s.Reports.TryNames(c.r.Context(), c.principal.OrganizationID, c.trackerName(), &trial)
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(tried)
}
