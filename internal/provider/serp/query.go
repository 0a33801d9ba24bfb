package serp

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// PageSize is how many results a page has.
const PageSize = 10

// Query is a search, as the engine's result pages take it.
type Query struct {
	Target
	Text  string
	Pages int
	First int               // results to pass over before the first page
	Extra map[string]string // further parameters, such as the vertical
}

// Page is the request for result page n, from 1.
func (q Query) Page(n int) *upstream.Request {
	params := url.Values{
		"q":  {q.Text},
		"gl": {strings.ToLower(q.Locale.Country)},
		"hl": {q.language()},
	}
	if start := q.First + (n-1)*PageSize; start > 0 {
		params.Set("start", strconv.Itoa(start))
	}
	if q.Place != "" {
		params.Set("uule", q.Place)
	}
	for name, value := range q.Extra {
		params.Set(name, value)
	}
	return Visited(q.request("/search", params), resultsShown)
}

// Part is the request for a piece of a page that the engine serves on demand, at
// a path with parameters that the page told.
func (t Target) Part(path string, params url.Values) *upstream.Request {
	return t.request(path, params)
}

func (t Target) request(path string, params url.Values) *upstream.Request {
	return &upstream.Request{
		Site:   Site,
		Path:   path,
		Query:  params,
		Header: http.Header{"User-Agent": {t.UserAgent()}},
		Locale: t.Locale,
		Phone:  phones[t.Device],
	}
}

// UserAgent is how a browser of the device names itself.
func (t Target) UserAgent() string { return userAgent(t.Device) }

// language is the interface's language: the one asked for, or the country's.
func (t Target) language() string {
	if t.Locale.Language != "" {
		return t.Locale.Language
	}
	return geo.Language(t.Locale.Country)
}
