// Package brave asks the Brave Search API, an official API for web and news searches, and reads its
// answers.
//
//	brave.go     the API and its requests
//	place.go     the location of a search
//	language.go  the language of a search
//	ask.go       fetching and merging pages
//	read.go      decoding documents and the text in them
//	web.go       reading web search results
//	panels.go    reading news, videos, places and the infobox of a web search
//	news.go      reading news search results
//	refusal.go   errors
//
// The API returns no ads, AI overview, related searches or shopping results: these parts of a
// result stay empty.
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

// Site is the API's name in upstream requests.
const Site = "brave"

// API is Brave's official search API.
var API = provider.API{Name: Site, URL: "https://api.search.brave.com/res/v1", KeyHeader: "X-Subscription-Token", Place: "country; a country that the API does not support is refused"}

const (
	// pageSize is how many results a page has. The API could return more at once, but then a page
	// would not mean the same as on the site's result pages.
	pageSize = 10
	// maxPages is the last page that the API serves.
	maxPages = 10
)

// Query is a search.
type Query struct {
	Text      string
	Locale    geo.Locale
	Place     string            // a place in the country, encoded by geo.EncodeLocation; "" for none
	UserAgent string            // of the device; "" for the default
	First     int               // number of results to skip before the first page
	Extra     map[string]string // parameters of result pages; only tbs and safe are used
}

// Web returns the request for page n of a web search, counted from 1.
func Web(q Query, n int) *upstream.Request {
	request := q.request("/web/search", n)
	request.Query.Set("text_decorations", "false")
	q.locate(request.Header)
	return request
}

// News returns the request for page n of a news search, counted from 1.
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

// offset returns how many pages the API has to skip. It cannot begin in the middle of a page.
func (q Query) offset(n int) int { return q.First/pageSize + n - 1 }

// safeSearch translates the parameter safe of result pages into the API's value.
var safeSearch = map[string]string{"active": "strict", "off": "off"}

// freshness translates an age in the parameter tbs of result pages, such as qdr:w, into the API's
// value. It returns "" if the API has no such value.
func freshness(tbs string) string {
	for part := range strings.SplitSeq(tbs, ",") {
		age, found := strings.CutPrefix(part, "qdr:")
		if found && (age == "d" || age == "w" || age == "m" || age == "y") {
			return "p" + age
		}
	}
	return ""
}
