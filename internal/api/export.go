package api

import (
	"fmt"

	"earshot"
)

// exportTracker sends a table of a tracker row by row. What cannot be completed breaks
// the connection.
func (s *Server) exportTracker(c *call, q earshot.ExportQuery, _ none) error {
	from, until := moments(q.From, q.To) // whether they make sense depends on the table: the days of some are the tracker's
	export, err := s.Reports.Export(c.context(), c.organization(), c.trackerName(), &q, from, until, s.Store.Now())
	if err != nil {
		return err
	}
	if q.Table == "" {
		q.Table = "answers"
	}
	c.w.Header().Set("Content-Type", export.Format.Media())
	c.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.%s"`, c.trackerName(), q.Table, export.Format))
	if !c.part() { // it may have no rows
		return c.left()
	}
	for piece, err := range export.Pieces {
		if err != nil && c.r.Context().Err() == nil {
			return err
		}
		if err != nil || !c.part(piece) {
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
