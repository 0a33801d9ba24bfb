package api

import (
	"context"
	"fmt"
	"time"

	"earshot"
)

// statsTime bounds one reading of the statistics.
const statsTime = 30 * time.Second

// stats tells what the organization's jobs of the last hours came to, this one
// included.
func (s *Server) stats(c *call) error {
	var q earshot.StatsQuery
	if err := c.query(&q); err != nil {
		return err
	}
	// It reads all jobs that are kept, so that one reading serves all who wait for
	// it, and must not end with the first.
	organization, from := c.principal.OrganizationID, c.started.Add(-time.Duration(q.Hours-1)*time.Hour)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), statsTime)
	defer cancel()
	found, err, _ := s.statistics.Do(fmt.Sprint(q.Hours, organization), func() (any, error) { return s.Store.Stats(ctx, organization, from) })
	if err != nil {
		return err
	}
	rows, _ := found.([]earshot.HourStats) // what Stats returns
	return c.json(earshot.Stats{Hours: rows})
}
