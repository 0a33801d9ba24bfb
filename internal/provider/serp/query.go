package serp

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// PageSize is the number of results on a page.
const PageSize = 10

// Query is a search on the engine's result pages.
type Query struct {
	Target
	Text  string
	Pages int
	First int               // results to skip before the first page
	Extra map[string]string // additional parameters, such as the vertical
}

// Page returns the request for result page n, from 1.
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
	return WithBrowserSteps(q.request("/search", params), resultsShown)
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

// language returns the interface language, by default the language of the country.
func (t Target) language() string {
	return cmp.Or(t.Locale.Language, geo.Language(t.Locale.Country))
}
