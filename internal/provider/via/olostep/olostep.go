// Package olostep buys answers from Olostep. A question is a batch with one item, the
// address of an assistant with the question in it. The batch is polled, its item names a
// document, and the document holds the parsed page as JSON in a string.
//
//	olostep.go  what it offers, submitting and polling
//	read.go     reading answers and result pages
package olostep

import (
	"context"
	"net/url"
	"strings"
	"time"

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

// unit is the list price of a credit, from an average of 0.0075 USD for an answer of 3 credits.
const unit = upstream.USD(2_500_000)

// serves is what Olostep documents. An answer costs 3 credits, one of ChatGPT 5. Sources are only
// the cited pages, except for Grok and Perplexity.
var serves = map[string]provider.Coverage{
	"chatassistant": {
		Price: upstream.Price{Request: 5 * unit}, Fields: provider.Searches | provider.Cited,
		Takes: assistant | provider.TakesLegacy | provider.TakesSearchQueries,
	},
	"genassistant":    {Price: usual, Fields: provider.Cited, Takes: assistant},
	"socialassistant": {Price: usual, Fields: provider.Searches | provider.Retrieved, Takes: assistant},
	"officeassistant": {Price: usual, Fields: provider.Cited, Takes: assistant},
	"answerengine":    {Price: usual, Fields: provider.Searches | provider.Retrieved | provider.Cited | provider.Products, Takes: assistant},
	"searchaimode":    {Price: usual, Takes: assistant},
	"websearch":       {Price: usual, Takes: provider.TakesUULE, Language: via.GoogleLanguage, Skip: 1, Parameters: "tbs safe"},
}

var usual = upstream.Price{Request: 3 * unit}

const assistant = provider.TakesHTML | provider.TakesRawResponse

// Vendor is Olostep.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of Olostep.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "olostep", Title: "Olostep", URL: "https://api.olostep.com", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Serves: serves, Read: "2026-11-17", Unit: unit, Calls: 20, CallsPerMinute: 300,
	}
}

// Ask submits the question once and polls its batch.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Order(ctx, up, q, upstream.Order{
		Wait: up.Wait(25 * time.Minute), Every: up.PollEvery(10 * time.Second),
		Submit: func(ctx context.Context, key string) (string, *upstream.USD, error) {
			body := map[string]any{
				"items": []any{map[string]any{"custom_id": key, "url": address(q)}}, "parser": map[string]any{"id": parsers[q.Provider].id}, "country": q.Locale.Country,
			}
			value, _, err := via.Post(ctx, up, "/v1/batches", nil, body)
			if err != nil {
				return "", nil, err
			}
			return via.ID(up, loosejson.AsObject(value).Text("id"))
		},
		Poll: func(ctx context.Context, id string) ([]byte, error) { return poll(ctx, up, id) },
	}, func(document any) (*provider.Reply, upstream.Verdict) { return read(loosejson.AsObject(document), q) })
}

// address returns the address of the item.
func address(q *provider.Question) string {
	query := url.Values{"q": {q.Text}}
	if q.Provider == "websearch" {
		query = via.SearchQuery(q, 1)
	}
	return parsers[q.Provider].address + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// poll reads the state of a batch, and when it is completed its item and the document. It returns
// the batch if that failed, or the list of items if none is completed.
func poll(ctx context.Context, up *upstream.Session, id string) ([]byte, error) {
	path := "/v1/batches/" + url.PathEscape(id)
	value, document, err := via.Get(ctx, up, path, nil)
	if err != nil {
		return nil, err
	}
	batch := loosejson.AsObject(value)
	if err := via.SameID(up, id, batch.Text("id", "batch_id")); err != nil {
		return nil, err
	}
	switch batch.Text("status") {
	case "completed":
	case "failed", "cancelled", "canceled":
		return document, nil
	default:
		return nil, upstream.ErrNotReady
	}
	value, document, err = via.Get(ctx, up, path+"/items", url.Values{"status": {"completed"}})
	if err != nil {
		return nil, err
	}
	items := loosejson.AsObject(value).Objects("items")
	if len(items) == 0 || items[0].Text("retrieve_id") == "" {
		return document, nil
	}
	_, document, err = via.Get(ctx, up, "/v1/retrieve", url.Values{"retrieve_id": {items[0].Text("retrieve_id")}, "formats": {"json"}})
	return document, err
}
