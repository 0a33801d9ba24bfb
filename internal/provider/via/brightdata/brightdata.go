// Package brightdata buys answers from Bright Data. Assistants are datasets: a question is
// triggered, its progress is polled, and the snapshot has the answer. Result pages come
// synchronously from the SERP API, which needs a zone of the operator's account.
//
//	brightdata.go  what it offers, requests and refusals
//	dataset.go     asking assistants and reading their records
//	search.go      asking for result pages and reading them
package brightdata

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"earshot/internal/provider"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// optionZone is the option that names the zone for result pages. Its type must be serp.
const optionZone = "zone"

// unit is the list price of a record or a result page.
const unit = upstream.USD(1_500_000)

// serves is what Bright Data documents. Sources of assistants are only the cited pages. Pages of an
// AI overview are listed, but not where it cites them. The ranks of a result page leave out some
// blocks.
var serves = map[string]provider.Coverage{
	"chatassistant": {
		Price: one, Fields: provider.Searches | provider.Cited, Prompt: 4096,
		Takes: assistant | provider.TakesNoSearch | provider.TakesLegacy | provider.TakesSearchQueries,
	},
	"genassistant":    {Price: one, Fields: provider.Cited, Takes: assistant},
	"officeassistant": {Price: one, Fields: provider.Cited, Takes: assistant},
	"answerengine":    {Price: one, Fields: provider.Searches | provider.Cited, Takes: assistant},
	"searchaimode":    {Price: one, Fields: provider.Cited, Takes: assistant},
	"websearch": {
		Price: one, Fields: provider.Retrieved | provider.Ads, Takes: search | provider.TakesOverview, Language: via.GoogleLanguage,
		Pages: 10, Skip: 1, Parameters: "tbs safe",
	},
	"websearch/news": {Price: one, Takes: search, Language: via.GoogleLanguage, Pages: 10, Skip: 1, Parameters: "tbs safe"},
}

var one = upstream.Price{Request: unit, Page: unit}

const (
	assistant = provider.TakesHTML | provider.TakesRawResponse
	search    = provider.TakesUULE | provider.TakesMobile | provider.TakesSystems
)

// Vendor is Bright Data.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of Bright Data.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "brightdata", Title: "Bright Data", URL: "https://api.brightdata.com", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Options: []string{optionZone}, Serves: serves, Read: "2026-11-17", Unit: unit, Calls: 10, CallsPerMinute: 300,
	}
}

// Ask makes one attempt.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	if q.IsSearch() {
		return searchPages(ctx, up, q)
	}
	return askDataset(ctx, up, q)
}

func get(ctx context.Context, up *upstream.Session, path string, query url.Values) (any, []byte, error) {
	return via.Free(ctx, up, &upstream.Request{Path: path, Query: query, Refusal: refusal})
}

func post(ctx context.Context, up *upstream.Session, path string, query url.Values, body any) (any, []byte, error) {
	request, err := via.Request(up, path, body)
	if err != nil {
		return nil, nil, err
	}
	request.Query, request.Refusal = query, refusal
	return via.Free(ctx, up, request)
}

// pause is the shortest pause after a 429. Bright Data blocks the address of a node after
// 25 of them in five minutes, until its support unblocks the address.
const pause = time.Minute

// refusal returns the failure that an answer with an error status means. A 429 stops all
// requests of this node to Bright Data.
func refusal(status int, header http.Header, body []byte) *upstream.Failure {
	failure := via.Refusal(status, header, body)
	if status == http.StatusTooManyRequests {
		failure.Everyone, failure.RetryAfter = true, max(pause, failure.RetryAfter)
	}
	return failure
}
