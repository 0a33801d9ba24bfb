// Package cloro buys answers from cloro. Its contract is close to ours: a task is
// submitted with an idempotency key and polled until it is completed.
//
//	cloro.go   what it offers, submitting and polling
//	answer.go  reading answers of assistants
//	search.go  reading result pages
package cloro

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"time"

	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// taskTypes are cloro's task types by provider. Grok is left out: cloro marks it as unavailable.
var taskTypes = map[string]string{
	"chatassistant": "CHATGPT", "genassistant": "GEMINI", "officeassistant": "COPILOT", "answerengine": "PERPLEXITY",
	"searchaimode": "AIMODE", "websearch": "GOOGLE", "websearch/news": "GOOGLE_NEWS",
}

// unit is the list price of a credit.
const unit = upstream.USD(400_000)

// credits returns the price of parts in credits.
func credits(request, page, overview, extras upstream.USD) upstream.Price {
	return upstream.Price{Request: request * unit, Page: page * unit, Overview: overview * unit, Extras: extras * unit}
}

// serves is what cloro documents, and its client's lists of countries. An asynchronous task costs these credits; a synchronous call
// would cost two more.
var serves = map[string]provider.Coverage{
	"chatassistant": {
		Price: credits(5, 0, 0, 2), Fields: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
		Except: "CN CZ HK IR MO RU VE",
		Takes:  assistant | provider.TakesLegacy | provider.TakesNoSearch | provider.TakesSearchQueries | provider.TakesShopping | provider.TakesAds,
	},
	"genassistant": {Price: credits(4, 0, 0, 0), Fields: provider.Retrieved | provider.Cited, Takes: assistant, Except: "BY CN RU"},
	"officeassistant": {
		Price: credits(5, 0, 0, 0), Fields: provider.Retrieved | provider.Cited | provider.Products, Takes: assistant, Except: "BY CN RU SY VE",
	},
	"answerengine": {
		Price: credits(4, 0, 0, 0), Fields: provider.Searches | provider.Retrieved | provider.Cited | provider.Products, Takes: assistant, Except: "CN",
	},
	"searchaimode": {
		Price: credits(4, 0, 0, 0), Fields: provider.Retrieved | provider.Cited | provider.Products,
		Takes: place | provider.TakesHTML | provider.TakesExpand, Except: "CN CU IR KP",
	},
	"websearch": {
		Price: credits(3, 2, 2, 0), Fields: provider.Retrieved | provider.Cited | provider.Products | provider.Ads,
		Takes: place | provider.TakesSystems | provider.TakesOverview | provider.TakesQuestionOverviews, Pages: 10,
	},
	"websearch/news": {Price: credits(3, 2, 0, 0), Takes: place | provider.TakesSystems, Pages: 10},
}

const (
	assistant = provider.TakesState | provider.TakesHTML | provider.TakesRawResponse
	place     = provider.TakesLocation | provider.TakesUULE | provider.TakesMobile
)

// Vendor is cloro.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of cloro.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "cloro", Title: "cloro", URL: "https://api.cloro.dev", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Serves: serves, Read: "2026-11-17", Unit: unit, Calls: 20, CallsPerMinute: 600,
	}
}

// Ask submits the question once and polls its task.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Order(ctx, up, q, upstream.Order{
		Wait: up.Wait(10 * time.Minute), Every: up.PollEvery(5 * time.Second), Idempotent: true,
		Submit: func(ctx context.Context, key string) (string, *upstream.USD, error) {
			value, _, err := via.Post(ctx, up, "/v1/async/task", nil, map[string]any{"taskType": taskTypes[q.Provider], "payload": payload(q), "idempotencyKey": key})
			if err != nil {
				return "", nil, err
			}
			return via.ID(up, loosejson.AsObject(value).Object("task").Text("id"))
		},
		Poll: func(ctx context.Context, id string) ([]byte, error) {
			value, document, err := via.Get(ctx, up, "/v1/async/task/"+url.PathEscape(id), nil)
			if err != nil {
				return nil, err
			}
			task := loosejson.AsObject(value).Object("task")
			switch task.Text("status") {
			case "QUEUED", "PROCESSING":
				return nil, upstream.ErrNotReady
			}
			return document, via.SameID(up, id, task.Text("id"))
		},
	}, func(document any) (*provider.Reply, upstream.Verdict) {
		return read(loosejson.AsObject(document), q, via.Unit(up, unit))
	})
}

// read reads a task that has ended. cloro charges for what it completes, and says how much.
func read(task loosejson.Object, q *provider.Question, unit upstream.USD) (*provider.Reply, upstream.Verdict) {
	var charge *upstream.USD
	if credits := task.Object("credits").Number("creditsCharged"); credits != nil {
		charge = new(upstream.USD(math.Round(*credits * float64(unit))))
	}
	result := task.Object("response")
	switch status := task.Object("task").Text("status"); {
	case status == "FAILED":
		failure := via.Refused(result)
		failure.Final = false
		return nil, via.Failed(cmp.Or(charge, upstream.Free()), failure)
	case status != "COMPLETED":
		return nil, via.Failed(charge, via.Unreadable("cloro's task has the status %q", status))
	case result == nil:
		return nil, via.Failed(charge, via.Unreadable("cloro's task has no response"))
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
	return via.Checked(reply, q, charge)
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
