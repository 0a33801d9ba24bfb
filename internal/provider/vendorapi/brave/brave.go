// Package brave asks the Brave Search API, an official API for web and news
// searches, and reads its answers.
//
//	brave.go     what it is, and the requests
//	place.go     where a search is run from
//	language.go  in which language
//	ask.go       asking: pages, and what becomes of several
//	read.go      its documents, and the text in them
//	web.go       an answer to a web search
//	panels.go    what such an answer has beside its results
//	news.go      an answer to a news search
//	refusal.go   errors
//
// The API has no ads, no AI overview, no related searches and no shopping: those
// stay absent.
package brave

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

// Site is what upstreams call the API.
const Site = "brave"

// API is the Brave Search API.
var API = provider.API{Name: Site, URL: "https://api.search.brave.com/res/v1", KeyHeader: "X-Subscription-Token", Place: "where the API offers the country"}

const (
	// pageSize is how many results a page has. The API gives more at once, but then
	// a page would mean another thing here than on result pages.
	pageSize = 10
	// maxPages is how far the API turns over pages.
	maxPages = 10
)

// Query is a search, as the providers' requests have it.
type Query struct {
	Text      string
	Locale    geo.Locale
	Place     string            // a place in the country, as geo.EncodeLocation writes it; "" for none
	UserAgent string            // of the device; "" for ours
	First     int               // results to pass over before the first page
	Extra     map[string]string // parameters of result pages, of which tbs and safe count
}

// Web is the request for page n, from 1, of a web search.
func Web(q Query, n int) *upstream.Request {
	request := q.request("/web/search", n)
	request.Query.Set("text_decorations", "false")
	q.locate(request.Header)
	return request
}

// News is the request for page n, from 1, of a news search.
func News(q Query, n int) *upstream.Request { return q.request("/news/search", n) }

func (q Query) request(path string, n int) *upstream.Request {
	header := http.Header{"Accept": {"application/json"}}
	if q.UserAgent != "" {
		header.Set("User-Agent", q.UserAgent)
	}
	return &upstream.Request{Site: Site, Path: path, Query: q.params(n), Header: header, Locale: q.Locale, Refusal: Refusal}
}

func (q Query) params(n int) url.Values {
	params := url.Values{
		"q":      {q.Text},
		"count":  {strconv.Itoa(pageSize)},
		"offset": {strconv.Itoa(q.offset(n))},
	}
	optional := map[string]string{
		"search_lang": searchLanguage(q.Locale),
		"ui_lang":     interfaceLanguage(q.Locale),
		"freshness":   freshness(q.Extra["tbs"]),
		"safesearch":  safeSearch[q.Extra["safe"]],
	}
	if Located(q.Locale) {
		optional["country"] = q.Locale.Country
	}
	for name, value := range optional {
		if value != "" {
			params.Set(name, value)
		}
	}
	return params
}

// offset is how many pages the API passes over; it cannot begin within one.
func (q Query) offset(n int) int { return q.First/pageSize + n - 1 }

// safeSearch is the API's word for the safe of result pages.
var safeSearch = map[string]string{"active": "strict", "off": "off"}

// freshness is the API's word for the age in the tbs of result pages, such as
// qdr:w; "" where it has none.
func freshness(tbs string) string {
	for part := range strings.SplitSeq(tbs, ",") {
		age, found := strings.CutPrefix(part, "qdr:")
		if found && (age == "d" || age == "w" || age == "m" || age == "y") {
			return "p" + age
		}
	}
	return ""
}
