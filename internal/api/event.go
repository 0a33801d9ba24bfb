package api

import (
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/strictjson"
)

// latest is the cursor that leaves out everything that has been.
const latest = "latest"

// events lists ended tasks in the order in which they ended.
func (s *Server) events(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	limit, err := pageLimit(q.Get("limit"))
	if err != nil {
		return err
	}
	cursor := q.Get("cursor")
	if cursor == latest {
		o, err := s.Store.Organization(c.r.Context(), c.principal.OrganizationID, c.started)
		if err != nil {
			return err
		}
		return c.json(earshot.EventPage{NextCursor: new(strconv.FormatInt(o.Events, 10))})
	}
	after := int64(0)
	page := earshot.EventPage{}
	if cursor != "" {
		if after, err = strconv.ParseInt(cursor, 10, 64); err != nil || after < 0 {
			return strictjson.Invalid("cursor", "must be the nextCursor of another page, or %s", latest)
		}
		page.NextCursor = &cursor
	}
	tasks, err := s.Store.Events(c.r.Context(), c.principal.OrganizationID, after, limit)
	if err != nil {
		return err
	}
	for _, task := range tasks {
		page.Events = append(page.Events, s.Jobs.Record(task))
		page.NextCursor = new(strconv.FormatInt(task.Event, 10))
	}
	return c.json(page)
}

// deliveries lists webhooks, that of the newest task first.
func (s *Server) deliveries(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	filter := store.DeliveryFilter{State: q.Get("state")}
	if q.Has("state") && !slices.Contains([]string{"pending", "delivered", "failed"}, filter.State) {
		return strictjson.Invalid("state", "must be one of pending, delivered, failed")
	}
	if filter.Limit, filter.Before, err = pageByID(q); err != nil {
		return err
	}
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

// delivery tells how the webhook of one task stands.
func (s *Server) delivery(c *call) error {
	id := c.r.PathValue("id")
	d, err := s.Store.Delivery(c.r.Context(), c.principal.OrganizationID, id)
	if err != nil {
		return notFoundAs(err, id)
	}
	return c.json(describe(d))
}

// resend plans one more series of tries of a webhook.
func (s *Server) resend(c *call) error {
	id := c.r.PathValue("id")
	d, err := s.Store.Resend(c.r.Context(), c.principal.OrganizationID, id, c.started)
	if err != nil {
		return notFoundAs(err, id)
	}
	s.Planned()
	return c.json(struct {
		Success  bool             `json:"success"`
		Delivery earshot.Delivery `json:"delivery"`
	}{true, describe(d)})
}
