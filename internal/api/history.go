package api

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/track/answers"
)

func requestOperations() []Operation {
	return []Operation{
		special(Operation{Method: "GET", Path: "/v1/requests", Scope: account.ScopeRead, Response: earshot.RequestPage{}, Client: Method{Name: "Requests"}}, (*Server).requests),
		operation(Operation{Method: "GET", Path: "/v1/requests/{id}", Scope: account.ScopeRead, Finds: "call or task", Client: Method{Name: "Request", Takes: []string{}}}, (*Server).request),
		operation(Operation{Method: "POST", Path: "/v1/requests/{id}/retry", Scope: account.ScopeTasks, Finds: "call or task", Unaudited: submitsWork, Client: Method{Name: "RetryRequest"}}, (*Server).retryRequest),
	}
}

// request returns one call or task with its result.
func (s *Server) request(c *call, q earshot.RequestReadQuery, _ none) (*earshot.RequestRecord, error) {
	found, err := s.Store.Request(c.context(), c.organization(), c.subject())
	if err != nil {
		return nil, err
	}
	record := s.Jobs.Request(found)
	if q.Names && found.Result != nil {
		if record.Names, err = answers.NamesIn(found.Result, textOf(found.Request)); err != nil {
			return nil, err
		}
	}
	if q.BrandsOf != "" && found.Result != nil {
		record.Found, err = s.Trackers.Find(c.context(), c.organization(), q.BrandsOf, found.Result, textOf(found.Request))
	}
	return &record, notFoundAs(err, "tracker", q.BrandsOf)
}

// requests lists calls and tasks, newest first. A page reads a limited number of rows, so
// with a filter it may have fewer items than its limit.
func (s *Server) requests(c *call, q earshot.RequestQuery, _ none) error {
	filter, err := s.requestFilter(c, q)
	if err != nil {
		return err
	}
	page := s.Store.Requests(c.context(), c.organization(), filter)
	return c.list("requests", page, func(t *store.Task) any { return s.Jobs.Request(t) })
}

func (s *Server) requestFilter(c *call, q earshot.RequestQuery) (filter history.RequestFilter, err error) {
	filter.Limit, filter.Alone = q.Limit, q.Alone
	if filter.Before, err = idCursor(q.Cursor); err != nil {
		return filter, err
	}
	if err := schema.OneOf("provider", q.Provider, s.Catalogue.Names()); err != nil {
		return filter, err
	}
	if q.Country != "" {
		if err := checkCountry(q.Country); err != nil {
			return filter, err
		}
	}
	if err := s.checkTracker(c, q.Tracker); err != nil {
		return filter, err
	}
	filter.Batch = strings.ToLower(q.Batch) // ids are stored in lower case
	if filter.From, filter.Until, err = span(q.From, q.To); err != nil {
		return filter, err
	}
	q.Text = lowerASCII(q.Text)
	filter.Match = func(t *store.Task) bool { return s.matches(&q, t) }
	return filter, nil
}

// checkTracker returns an error unless the organization has a tracker or its name is "".
func (s *Server) checkTracker(c *call, name string) error {
	if name == "" {
		return nil
	}
	all, err := s.Trackers.Store.Trackers(c.context(), c.organization())
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	return cmp.Or(err, schema.Known("tracker", name, "organization", names))
}

// matches reports whether a call or task matches a query. The cheapest tests come first.
func (s *Server) matches(q *earshot.RequestQuery, t *store.Task) bool {
	return (q.Mode == "" || string(q.Mode) == t.Mode) &&
		(q.Status == "" || q.Status == t.Status) &&
		(q.Provider == "" || q.Provider == t.Provider) &&
		(q.Tracker == "" || q.Tracker == t.Tracker) &&
		(q.ErrorReason == "" || q.ErrorReason == reasonOf(t.Error)) &&
		(q.Text == "" || strings.Contains(lowerASCII(textOf(t.Request)), q.Text)) &&
		(q.Country == "" || q.Country == s.countryOf(t))
}

// reasonOf returns why the provider gave no usable answer, or "" for another failure.
func reasonOf(failure json.RawMessage) earshot.Reason {
	var stored struct {
		Details earshot.UpstreamDetails `json:"details"`
	}
	if failure == nil || json.Unmarshal(failure, &stored) != nil { // details of another shape have no reason
		return ""
	}
	return stored.Details.Reason
}

// textOf returns the prompt or the query of a request, which may be in its URL.
func textOf(request []byte) string {
	var stored struct{ Prompt, Query, URL string }
	if json.Unmarshal(request, &stored) != nil {
		return ""
	}
	if stored.URL == "" {
		return stored.Prompt + stored.Query
	}
	address, err := url.Parse(stored.URL)
	if err != nil {
		return ""
	}
	return address.Query().Get("q")
}

// countryOf returns the country of a request, or "" if its provider is no longer offered.
func (s *Server) countryOf(t *store.Task) string {
	asked, err := s.Catalogue.Provider(t.Provider)
	if err != nil {
		return ""
	}
	request, err := provider.ParseRequest(asked, t.Request)
	if err != nil { // the rules may have changed since
		return ""
	}
	return request.Locale().Country
}

// lowerASCII converts A to Z to lower case. It does not change other letters, whose case
// depends on the language.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, text)
}
