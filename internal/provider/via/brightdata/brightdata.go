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
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// optionZone is the option that names the zone for result pages. Its type must be serp.
const optionZone = "zone"

// price is the list price of a record or a result page in USD.
const price = 0.0015

// maxChatPrompt is how many characters a prompt for ChatGPT may have.
const maxChatPrompt = 4096

// fields are the fields of results that Bright Data documents. Sources are only the cited
// pages. Pages of an AI overview are listed, but not where it cites them. The ranks of a result
// page leave out some blocks.
var fields = map[string]provider.Fields{
	"chatassistant":   provider.Searches | provider.Cited,
	"genassistant":    provider.Cited,
	"officeassistant": provider.Cited,
	"answerengine":    provider.Searches | provider.Cited,
	"searchaimode":    provider.Cited,
	"websearch":       provider.Retrieved | provider.Ads,
	"websearch/news":  0,
}

// Vendor is Bright Data.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of Bright Data.
func (Vendor) Definition() provider.VendorDefinition {
	prices := map[string]float64{"websearch": price, "websearch/news": price}
	for name := range datasets {
		prices[name] = price
	}
	return provider.VendorDefinition{
		Name: "brightdata", Title: "Bright Data", URL: "https://api.brightdata.com", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Options: []string{optionZone}, Prices: prices, Fields: fields, Calls: 10, CallsPerMinute: 300,
	}
}

// Covers returns why Bright Data cannot answer a question, or nil.
func (Vendor) Covers(q *provider.Question) error {
	if q.Provider == "websearch" || q.Provider == "websearch/news" {
		switch {
		case q.HTML:
			return errors.New("it does not deliver result pages as HTML and as data at once")
		case q.QuestionOverviews:
			return errors.New("it does not deliver the AI overviews of questions")
		}
		return nil
	}
	switch {
	case q.Locale.State != "", q.Location != "", q.UULE != "":
		return errors.New("it asks assistants from a country, not from a place within it")
	case q.Shopping, q.Ads, q.Expand:
		return errors.New("it does not deliver products and ads in a known form")
	case q.Device != "" && q.Device != earshot.Desktop:
		return errors.New("it asks assistants on a desktop only")
	case q.Provider == "chatassistant":
		return via.CheckLength(q, maxChatPrompt)
	}
	return via.CheckProvider(q, datasets)
}

// Ask makes one attempt.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	if q.Provider == "websearch" || q.Provider == "websearch/news" {
		return search(ctx, up, q)
	}
	return askDataset(ctx, up, q)
}

func get(ctx context.Context, up *upstream.Session, path string, query url.Values) (any, []byte, error) {
	return via.Fetch(ctx, up, &upstream.Request{Path: path, Query: query, Refusal: refusal})
}

func post(ctx context.Context, up *upstream.Session, path string, query url.Values, body any) (any, []byte, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the request to Bright Data: %w", err)
	}
	return via.Fetch(ctx, up, &upstream.Request{Path: path, Query: query, Body: encoded, Header: http.Header{"Content-Type": {"application/json"}}, Refusal: refusal})
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
