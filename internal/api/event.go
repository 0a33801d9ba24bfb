package api

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"earshot"
	"earshot/internal/job"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// latest is the cursor that leaves out everything that has been.
const latest = "latest"

// events lists ended tasks in the order in which they ended.
func (s *Server) events(c *call) error {
	var q earshot.EventQuery
	if err := c.query(&q); err != nil {
		return err
	}
	if q.Cursor == latest {
		o, err := s.Store.Organization(c.r.Context(), c.principal.OrganizationID, s.Store.Now())
		if err != nil {
			return err
		}
		return c.json(earshot.EventPage{NextCursor: new(strconv.FormatInt(o.Events, 10))})
	}
	after := int64(0)
	if q.Cursor != "" {
		var err error
		if after, err = strconv.ParseInt(q.Cursor, 10, 64); err != nil || after < 0 {
			return schema.Invalid("cursor", "must be the nextCursor of another page, or %s", latest)
		}
	}
	last, tasks, err := s.Store.Events(c.r.Context(), c.principal.OrganizationID, after, q.Limit)
	if err != nil {
		return err
	}
	var next *string
	switch {
	case last != after:
		next = new(strconv.FormatInt(last, 10))
	case q.Cursor != "":
		next = &q.Cursor
	}
	return c.eventPage(s.Jobs, tasks, next)
}

// eventPage answers with an earshot.EventPage, a task at a time: however slowly the
// client reads, only the task that it is being sent is in memory.
func (c *call) eventPage(jobs *job.Runner, tasks iter.Seq2[*store.Task, error], next *string) error {
	before := `{"events":[`
	for task, err := range tasks {
		if err != nil && c.status != 0 && c.r.Context().Err() != nil {
			return nil // the client has left
		}
		if err != nil {
			return err
		}
		record, err := json.Marshal(jobs.Record(task))
		if err != nil {
			return fmt.Errorf("encode an event: %w", err)
		}
		if !c.part([]byte(before), record) {
			return nil
		}
		before = ","
	}
	if before == "," {
		before = ""
	}
	cursor, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode the cursor: %w", err)
	}
	c.part([]byte(before+`],"nextCursor":`), cursor, []byte(`}`))
	return nil
}

// deliveries lists webhooks, that of the newest task first.
func (s *Server) deliveries(c *call) error {
	var q earshot.DeliveryQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	filter := store.DeliveryFilter{State: string(q.State), Limit: q.Limit + 1, Before: before}
	all, err := s.Store.Deliveries(c.r.Context(), c.principal.OrganizationID, filter)
	if err != nil {
		return err
	}
	page := earshot.DeliveryPage{}
	all, page.NextCursor = cutPage(all, filter.Limit, func(d *store.Delivery) string { return d.Job })
	for _, d := range all {
		page.Deliveries = append(page.Deliveries, describe(d))
	}
	return c.json(page)
}

func describe(d *store.Delivery) earshot.Delivery {
	return earshot.Delivery{
		ID: d.Job, TaskID: d.Job, URL: d.URL, Delivered: !d.DeliveredAt.IsZero(), DeliveredAt: earshot.When(d.DeliveredAt),
		Attempts: d.Attempts, NextTryAt: earshot.When(d.DueAt), Tries: d.Tries,
	}
}

// delivery shows the webhook of one task.
func (s *Server) delivery(c *call) error {
	id := c.r.PathValue("id")
	d, err := s.Store.Delivery(c.r.Context(), c.principal.OrganizationID, id)
	if err != nil {
		return notFoundAs(err, "webhook", id)
	}
	return c.json(describe(d))
}

// resend plans one more series of tries of a webhook.
func (s *Server) resend(c *call) error {
	id := c.r.PathValue("id")
	d, err := s.Store.Resend(c.r.Context(), c.principal.OrganizationID, id, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "webhook", id)
	}
	s.Planned()
	return c.json(earshot.DeliveryResent{Delivery: describe(d)})
}
