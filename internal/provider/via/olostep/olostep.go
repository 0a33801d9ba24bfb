// Package olostep buys answers from Olostep. A question is a batch with one item, the
// address of an assistant with the question in it. The batch is polled, its item names a
// document, and the document holds the parsed page as JSON in a string.
//
//	olostep.go  what it offers, submitting and polling
//	read.go     reading answers and result pages
package olostep

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// parser is how a provider is asked: Olostep's parser and the address that gets the
// question as q.
type parser struct{ id, address string }

var parsers = map[string]parser{
	"chatassistant":   {"@olostep/chatgpt-results", "https://chatgpt.com/"},
	"genassistant":    {"@olostep/gemini-results", "https://gemini.google.com/"},
	"socialassistant": {"@olostep/grok-results", "https://grok.com/"},
	"officeassistant": {"@olostep/microsoft-copilot-results", "https://copilot.microsoft.com/chats"},
	"answerengine":    {"@olostep/perplexity-results", "https://www.perplexity.ai/"},
	"searchaimode":    {"@olostep/google-aimode-results", "https://google.com/aimode"},
	"websearch":       {"@olostep/google-search", "https://www.google.com/search"},
}

// price is what an answer costs in USD on average. Olostep charges in credits: 5 for
// ChatGPT, 3 for the others.
const price = 0.0075

// fields are the fields of results in Olostep's examples. Sources are only the cited pages,
// except for Grok and Perplexity.
var fields = map[string]provider.Fields{
	"chatassistant":   provider.Searches | provider.Cited,
	"genassistant":    provider.Cited,
	"socialassistant": provider.Searches | provider.Retrieved,
	"officeassistant": provider.Cited,
	"answerengine":    provider.Searches | provider.Retrieved | provider.Cited | provider.Products,
	"searchaimode":    0,
	"websearch":       0,
}

// Vendor is Olostep.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of Olostep.
func (Vendor) Definition() provider.VendorDefinition {
	prices := map[string]float64{}
	for name := range parsers {
		prices[name] = price
	}
	return provider.VendorDefinition{
		Name: "olostep", Title: "Olostep", URL: "https://api.olostep.com", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Prices: prices, Fields: fields, Calls: 20, CallsPerMinute: 300,
	}
}

// Covers returns why Olostep cannot answer a question, or nil.
func (Vendor) Covers(q *provider.Question) error {
	switch {
	case q.Device != "" && q.Device != earshot.Desktop:
		return errors.New("it asks on a desktop only")
	case q.Provider == "websearch":
		return coversSearch(q)
	case q.Locale.State != "", q.Location != "", q.UULE != "":
		return errors.New("it asks assistants from a country, not from a place within it")
	case q.NoSearch:
		return errors.New("it cannot turn off the web search")
	case q.Shopping, q.Ads, q.Expand:
		return errors.New("it does not deliver products and ads in a known form")
	}
	return via.CheckProvider(q, parsers)
}

func coversSearch(q *provider.Question) error {
	switch {
	case q.HTML:
		return errors.New("it does not deliver result pages as HTML and as data at once")
	case q.Overview, q.QuestionOverviews:
		return errors.New("it does not deliver AI overviews together with the results")
	case q.Pages > 1:
		return errors.New("it delivers one result page")
	}
	return nil
}

// Ask submits the question once and polls its batch.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Redeem(ctx, up, q, upstream.Async{
		Wait: up.Wait(25 * time.Minute), Every: up.PollEvery(10 * time.Second),
		Submit: func(ctx context.Context, key string) (string, error) {
			body := map[string]any{
				"items": []any{map[string]any{"custom_id": key, "url": address(q)}}, "parser": map[string]any{"id": parsers[q.Provider].id}, "country": q.Locale.Country,
			}
			value, _, err := via.Post(ctx, up, "/v1/batches", nil, body)
			if err != nil {
				return "", err
			}
			id := loosejson.AsObject(value).Text("id")
			if id == "" {
				return "", upstream.Fail(earshot.ReasonUnreadable, "Olostep returned no batch id")
			}
			return id, nil
		},
	}, func(ctx context.Context, id string) (*provider.Reply, error) { return poll(ctx, up, q, id) })
}

// address returns the address of the item.
func address(q *provider.Question) string {
	query := url.Values{"q": {q.Text}}
	if q.Provider == "websearch" {
		for name, value := range q.Extra {
			query.Set(name, value)
		}
		query.Set("gl", strings.ToLower(q.Locale.Country))
		query.Set("hl", cmp.Or(q.Locale.Language, geo.Language(q.Locale.Country)))
		if q.UULE != "" {
			query.Set("uule", q.UULE)
		}
		if q.First > 0 {
			query.Set("start", strconv.Itoa(q.First))
		}
	}
	return parsers[q.Provider].address + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// poll reads the state of a batch, and when it is completed its item and the document.
func poll(ctx context.Context, up *upstream.Session, q *provider.Question, id string) (*provider.Reply, error) {
	path := "/v1/batches/" + url.PathEscape(id)
	value, _, err := via.Get(ctx, up, path, nil)
	if err != nil {
		return nil, err
	}
	switch status := loosejson.AsObject(value).Text("status"); status {
	case "completed":
	case "failed", "cancelled", "canceled":
		return nil, via.NoAnswer(earshot.ReasonUnavailable, "Olostep's batch has the status %s", status)
	default:
		return nil, upstream.ErrNotReady
	}
	value, _, err = via.Get(ctx, up, path+"/items", url.Values{"status": {"completed"}})
	if err != nil {
		return nil, err
	}
	items := loosejson.AsObject(value).Objects("items")
	if len(items) == 0 {
		return nil, via.NoAnswer(earshot.ReasonUnavailable, "Olostep failed to read the page")
	}
	retrieve := items[0].Text("retrieve_id")
	if retrieve == "" {
		return nil, upstream.Fail(earshot.ReasonUnreadable, "Olostep's item has no retrieve_id")
	}
	value, _, err = via.Get(ctx, up, "/v1/retrieve", url.Values{"retrieve_id": {retrieve}, "formats": {"json"}})
	if err != nil {
		return nil, err
	}
	return readDocument(loosejson.AsObject(value), q)
}
