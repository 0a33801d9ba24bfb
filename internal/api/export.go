package api

import (
	"fmt"

	"earshot"
)

// exportTracker streams a table of a tracker. If the export fails, the connection breaks.
func (s *Server) exportTracker(c *call, q earshot.ExportQuery, _ none) error {
	from, until := moments(q.From, q.To) // not validated here: for some tables, days are in the tracker's time zone
	export, err := s.Reports.Export(c.context(), c.organization(), c.trackerName(), &q, from, until, s.Store.Now())
	if err != nil {
		return err
	}
	if q.Table == "" {
		q.Table = "answers"
	}
	c.w.Header().Set("Content-Type", export.Format.Media())
	c.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.%s"`, c.trackerName(), q.Table, export.Format))
	if !c.part() { // begins the response, also without rows
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

// left ends an incomplete response after the client has disconnected or the node stops. It
// breaks the connection, so that a client that is still there notices.
func (c *call) left() error {
	c.cut()
	c.status = statusClientGone
	return nil
}
