package api

import (
	"cmp"
	"strconv"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// latest is the cursor that skips all past events.
const latest = "latest"

// eventOperations returns the operations for live updates, events and webhook deliveries.
func eventOperations() []Operation {
	return []Operation{
		special(Operation{Method: "GET", Path: "/v1/live", Scope: account.ScopeRead, Events: []any{earshot.LiveStatus{}, earshot.LiveTasks{}}}, (*Server).live),
		special(Operation{Method: "GET", Path: "/v1/events", Scope: account.ScopeRead, Response: earshot.EventPage{}, Client: Method{Name: "Events", Takes: []string{"Cursor", "Limit"}}}, (*Server).events),
		operation(Operation{Method: "GET", Path: "/v1/webhooks/deliveries", Scope: account.ScopeRead, Client: Method{Name: "Deliveries", Takes: []string{"State"}}}, (*Server).deliveries),
		operation(Operation{Method: "GET", Path: "/v1/webhooks/deliveries/{id}", Scope: account.ScopeRead, Finds: "webhook", Client: Method{Name: "Delivery"}},
			func(s *Server, c *call, _, _ none) (*earshot.Delivery, error) {
				d, err := s.Store.Delivery(c.context(), c.organization(), c.subject())
				if err != nil {
					return nil, err
				}
				return new(describe(d)), nil
			}),
		operation(Operation{Method: "POST", Path: "/v1/webhooks/deliveries/{id}/resend", Claims: true, Scope: account.ScopeTasks, Finds: "webhook", Unaudited: "the delivery lists its tries", Client: Method{Name: "Resend", Returns: "Delivery"}},
			func(s *Server, c *call, _, _ none) (*earshot.DeliveryResent, error) {
				d, err := s.Store.Resend(c.context(), c.organization(), c.subject(), s.Store.Now())
				if err != nil {
					return nil, err
				}
				s.Planned()
				return &earshot.DeliveryResent{Delivery: describe(d)}, nil
			}),
	}
}

// events lists finished tasks in the order in which they finished.
func (s *Server) events(c *call, q earshot.EventQuery, _ none) error {
	if q.Cursor == latest {
		o, err := s.Orgs.Organization(c.context(), c.organization(), s.Store.Now())
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
	page, err := s.Store.Events(c.context(), c.organization(), after, q.Limit)
	if err != nil {
		return err
	}
	page.Next = cmp.Or(page.Next, q.Cursor)
	return c.list("events", page, func(t *store.Task) any { return s.Jobs.Record(t) })
}

// deliveries lists webhook deliveries, newest first.
func (s *Server) deliveries(c *call, q earshot.DeliveryQuery, _ none) (page earshot.DeliveryPage, err error) {
	before, err := idCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	filter := store.DeliveryFilter{State: string(q.State), Limit: q.Limit + 1, Before: before}
	all, err := s.Store.Deliveries(c.context(), c.organization(), filter)
	all, page.NextCursor = cutPage(all, filter.Limit, func(d *store.Delivery) string { return d.Job })
	for _, d := range all {
		page.Deliveries = append(page.Deliveries, describe(d))
	}
	return page, err
}

func describe(d *store.Delivery) earshot.Delivery {
	return earshot.Delivery{
		ID: d.Job, TaskID: d.Job, URL: d.URL, Delivered: !d.DeliveredAt.IsZero(), DeliveredAt: earshot.When(d.DeliveredAt),
		Attempts: d.Attempts, NextTryAt: earshot.When(d.DueAt), Tries: d.Tries,
	}
}
