// Package cloro buys answers from cloro. Its contract is close to ours: a task is
// submitted with an idempotency key and polled until it is completed.
//
//	cloro.go   what it offers, submitting and polling
//	answer.go  reading answers of assistants
//	search.go  reading result pages
package cloro

import (
	"context"
	"errors"
	"net/url"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// taskTypes are cloro's task types by provider. Grok is left out: cloro marks it as unavailable.
var taskTypes = map[string]string{
	"chatassistant": "CHATGPT", "genassistant": "GEMINI", "officeassistant": "COPILOT", "answerengine": "PERPLEXITY",
	"searchaimode": "AIMODE", "websearch": "GOOGLE", "websearch/news": "GOOGLE_NEWS",
}

// unit is the list price of a credit in USD.
const unit = 0.0004

// fields are the fields of results that cloro documents.
var fields = map[string]provider.Fields{
	"chatassistant":   provider.Searches | provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
	"genassistant":    provider.Retrieved | provider.Cited,
	"officeassistant": provider.Retrieved | provider.Cited | provider.Products,
	"answerengine":    provider.Searches | provider.Retrieved | provider.Cited | provider.Products,
	"searchaimode":    provider.Retrieved | provider.Cited | provider.Products,
	"websearch":       provider.Retrieved | provider.Cited | provider.Products | provider.Ads,
	"websearch/news":  0,
}

// Vendor is cloro.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of cloro.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "cloro", Title: "cloro", URL: "https://api.cloro.dev", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Prices: map[string]float64{
			"chatassistant": 5 * unit, "genassistant": 4 * unit, "officeassistant": 5 * unit, "answerengine": 4 * unit,
			"searchaimode": 4 * unit, "websearch": 3 * unit, "websearch/news": 3 * unit,
		},
		Fields: fields,
		Calls:  20, CallsPerMinute: 600,
	}
}

// Covers returns why cloro cannot answer a question, or nil.
func (Vendor) Covers(q *provider.Question) error {
	if q.HTML && (q.Provider == "websearch" || q.Provider == "websearch/news") {
		return errors.New("it does not deliver result pages as HTML")
	}
	if q.First > 0 {
		return errors.New("it cannot skip results")
	}
	return via.CheckProvider(q, taskTypes)
}

// Ask submits the question once and polls its task.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Redeem(ctx, up, q, upstream.Async{
		Wait: up.Wait(10 * time.Minute), Every: up.PollEvery(5 * time.Second), Idempotent: true,
		Submit: func(ctx context.Context, key string) (string, error) {
			value, _, err := via.Post(ctx, up, "/v1/async/task", nil, map[string]any{"taskType": taskTypes[q.Provider], "payload": payload(q), "idempotencyKey": key})
			if err != nil {
				return "", err
			}
			id := loosejson.AsObject(value).Object("task").Text("id")
			if id == "" {
				return "", upstream.Fail(earshot.ReasonUnreadable, "cloro returned no task id")
			}
			return id, nil
		},
	}, func(ctx context.Context, id string) (*provider.Reply, error) {
		value, document, err := via.Get(ctx, up, "/v1/async/task/"+url.PathEscape(id), nil)
		if err != nil {
			return nil, err
		}
		reply, err := read(up, loosejson.AsObject(value), q)
		if reply != nil {
			reply.Document = document
		}
		return reply, err
	})
}

// read reads a polled task. It returns upstream.ErrNotReady until the task has ended.
func read(up *upstream.Session, task loosejson.Object, q *provider.Question) (*provider.Reply, error) {
	switch status := task.Object("task").Text("status"); status {
	case "QUEUED", "PROCESSING":
		return nil, upstream.ErrNotReady
	case "FAILED":
		codes, message := via.Trouble(task.Object("response"))
		failure := vendorapi.Refusal(0, nil, codes, message)
		failure.NoAnswer, failure.Final = true, false
		return nil, failure
	case "COMPLETED":
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "cloro's task has the status %q", status)
	}
	if credits := task.Object("credits").Number("creditsCharged"); credits != nil {
		up.Charge(*credits * via.Unit(up, unit))
	}
	return readResult(task.Object("response"), q)
}

// readResult reads a result, which has the same form in tasks and in synchronous calls.
func readResult(result loosejson.Object, q *provider.Question) (*provider.Reply, error) {
	if result == nil {
		return nil, upstream.Fail(earshot.ReasonUnreadable, "cloro's task has no response")
	}
	reply := &provider.Reply{Located: true}
	switch q.Provider {
	case "websearch":
		reply.Web = readWeb(result, q)
	case "websearch/news":
		reply.News = readNews(result)
	default:
		reply.Answer = readAnswer(result, q)
	}
	return reply, nil
}

// payload returns the request body, which differs from ours in a few names.
func payload(q *provider.Question) map[string]any {
	switch q.Provider {
	case "websearch", "websearch/news":
		return searchPayload(q)
	case "searchaimode":
		body := map[string]any{"prompt": q.Text, "country": q.Locale.Country, "include": map[string]any{"markdown": true, "expandProducts": q.Expand}}
		addPlace(body, q)
		return body
	}
	include := map[string]any{"markdown": true}
	body := map[string]any{"prompt": q.Text, "country": q.Locale.Country, "include": include}
	if q.Locale.State != "" {
		body["state"] = q.Locale.State
	}
	if q.Provider == "chatassistant" {
		for flag, on := range map[string]bool{"searchQueries": q.SearchQueries, "shopping": q.Shopping, "ads": q.Ads, "rawResponse": q.RawResponse} {
			if on {
				include[flag] = true
			}
		}
		if q.Legacy || q.Shopping || q.Ads { // cloro has shopping and ads only there
			body["legacy"] = true
		}
		if q.NoSearch {
			body["disableWebSearch"] = true
		}
	}
	return body
}

func searchPayload(q *provider.Question) map[string]any {
	body := map[string]any{"query": q.Text, "gl": q.Locale.Country, "pages": q.Pages}
	addPlace(body, q)
	include := map[string]any{}
	if q.Overview {
		include["aioverview"] = map[string]any{"markdown": true}
	}
	if q.QuestionOverviews {
		include["paaAioverview"] = true
	}
	if len(include) > 0 {
		body["include"] = include
	}
	return body
}

func addPlace(body map[string]any, q *provider.Question) {
	if q.Locale.Language != "" {
		body["hl"] = q.Locale.Language
	}
	switch {
	case q.Location != "":
		body["location"] = q.Location
	case q.UULE != "":
		body["uule"] = q.UULE
	}
	if q.Device != "" {
		body["device"] = string(q.Device)
	}
}
