package api

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/strictjson"
)

// statsTime bounds one reading of the statistics.
const statsTime = 30 * time.Second

// mostHours is how many hours one answer about the last hours can cover, since
// jobs are not kept much longer.
const mostHours = 24

// stats tells what the organization's jobs of the last hours came to, this one
// included.
func (s *Server) stats(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	hours, err := strconv.Atoi(cmp.Or(q.Get("hours"), strconv.Itoa(mostHours)))
	if err != nil || hours < 1 || hours > mostHours {
		return strictjson.Invalid("hours", "must be an integer from 1 to %d", mostHours)
	}
	// It reads all jobs that are kept, so that one reading serves all who wait for
	// it, and must not end with the first.
	organization, from := c.principal.OrganizationID, c.started.Add(-time.Duration(hours-1)*time.Hour)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), statsTime)
	defer cancel()
	found, err, _ := s.statistics.Do(fmt.Sprint(hours, organization), func() (any, error) { return s.Store.Stats(ctx, organization, from) })
	if err != nil {
		return err
	}
	rows, _ := found.([]earshot.HourStats) // what Stats returns
	return c.json(earshot.Stats{Hours: rows})
}
