package api

import (
	"fmt"

	"earshot"
)

// exportTracker sends a table of a tracker row by row. What cannot be completed breaks
// the connection.
func (s *Server) exportTracker(c *call) error {
	var q earshot.ExportQuery
	if err := c.query(&q); err != nil {
		return err
	}
	from, until, err := span(q.From, q.To)
	if err != nil {
		return err
	}
	table, err := s.Trackers.Export(c.r.Context(), c.principal.OrganizationID, c.trackerName(), &q, from, until, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	media, ending := "application/x-ndjson", "ndjson"
	if table.Header != nil {
		media, ending = "text/csv; charset=utf-8; header=present", "csv"
	}
	if q.Table == "" {
		q.Table = "answers"
	}
	c.w.Header().Set("Content-Type", media)
	c.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.%s"`, c.trackerName(), q.Table, ending))
	if !c.part(table.Header) {
		return c.left()
	}
	for line, err := range table.Lines {
		if err != nil && c.r.Context().Err() == nil {
			return err
		}
		if err != nil || !c.part(line) {
			return c.left()
		}
	}
	return nil
}

// left ends the response to a client that has left. Should it be there after all, since
// it is the node that stops, it must see that there was more to come.
func (c *call) left() error {
	c.cut()
	c.status = statusClientGone
	return nil
}
