// Package oxylabs buys answers from Oxylabs. A question is submitted as a job, the job is
// polled, and its results have the answer (Oxylabs calls this push-pull).
//
//	oxylabs.go  what it offers, submitting and polling
//	answer.go   reading answers of assistants
//	search.go   reading result pages
//	place.go    names of countries
package oxylabs

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// sources are Oxylabs' sources by provider.
var sources = map[string]string{
	"chatassistant": "chatgpt", "answerengine": "perplexity", "genassistant": "gemini",
	"searchaimode": "google_ai_mode", "websearch": "google_search", "websearch/news": "google_search",
}

// unit is the list price of a result on the smallest plan.
const unit = upstream.USD(500_000)

// serves is what Oxylabs documents or a recorded answer has. Pages of an AI overview are listed,
// but not where it cites them. The ranks of a result page leave out some blocks.
var serves = map[string]provider.Coverage{
	"chatassistant": {
		Price: result, Fields: provider.Searches | provider.Cited | provider.Pills, Prompt: 4000, Except: exceptCountries,
		Takes: assistant | provider.TakesNoSearch | provider.TakesLegacy | provider.TakesSearchQueries,
	},
	"genassistant": {Price: result, Fields: provider.Cited, Prompt: 7999, Except: exceptCountries, Takes: assistant},
	"answerengine": {Price: result, Fields: provider.Retrieved | provider.Cited | provider.Products, Prompt: 8000, Except: exceptCountries, Takes: assistant},
	"searchaimode": {Price: result, Fields: provider.Retrieved | provider.Cited | provider.Pills, Prompt: 400, Except: exceptCountries, Takes: assistant},
	"websearch": {
		Price: result, Fields: provider.Retrieved | provider.Ads, Except: exceptCountries, Language: via.GoogleLanguage,
		Pages: 10, Skip: serp.PageSize, Parameters: "tbs", Takes: search | provider.TakesOverview,
	},
	"websearch/news": {
		Price: result, Except: exceptCountries, Language: via.GoogleLanguage, Pages: 10, Skip: serp.PageSize, Parameters: "tbs", Takes: search,
	},
}

var result = upstream.Price{Request: unit, Page: unit}

const (
	assistant = provider.TakesHTML | provider.TakesRawResponse
	search    = provider.TakesLocation | provider.TakesMobile | provider.TakesSystems
)

// Vendor is Oxylabs.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of Oxylabs.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "oxylabs", Title: "Oxylabs", URL: "https://data.oxylabs.io", KeyHeader: "Authorization", KeyPrefix: "Basic ", Basic: true,
		Serves: serves, Read: "2026-11-17", Unit: unit, Calls: 20, CallsPerMinute: 600,
	}
}

// Ask submits the question once and polls its job.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Order(ctx, up, q, upstream.Order{
		Wait: up.Wait(15 * time.Minute), Every: up.PollEvery(5 * time.Second),
		Submit: func(ctx context.Context, _ string) (string, *upstream.USD, error) {
			value, _, err := via.Post(ctx, up, "/v1/queries", nil, payload(q))
			if err != nil {
				return "", nil, err
			}
			return via.ID(up, loosejson.AsObject(value).Amount("id"))
		},
		Poll: func(ctx context.Context, id string) ([]byte, error) { return poll(ctx, up, id) },
	}, func(document any) (*provider.Reply, upstream.Verdict) {
		return read(loosejson.AsObject(document), q, up.Price)
	})
}

// payload returns the job for a question.
func payload(q *provider.Question) map[string]any {
	body := map[string]any{"source": sources[q.Provider], "parse": true, "geo_location": countryName(q.Locale.Country)}
	switch q.Provider {
	case "websearch", "websearch/news":
		addSearch(body, q)
	case "searchaimode":
		body["query"], body["render"] = q.Text, "html"
	case "chatassistant":
		body["prompt"], body["search"] = q.Text, !q.NoSearch
	default:
		body["prompt"] = q.Text
	}
	return body
}

var devices = map[earshot.Device]string{earshot.Mobile: "mobile", earshot.Android: "mobile_android", earshot.IOS: "mobile_ios"}

func addSearch(body map[string]any, q *provider.Question) {
	body["query"], body["pages"], body["start_page"] = q.Text, q.Pages, q.First/serp.PageSize+1
	if q.Location != "" {
		body["geo_location"] = q.Location
	}
	if q.Locale.Language != "" {
		body["locale"] = via.GoogleLanguage(q.Locale)
	}
	if device := devices[q.Device]; device != "" {
		body["user_agent_type"] = device
	}
	if q.Overview {
		body["render"] = "html"
	}
	var settings []any
	if q.Provider == "websearch/news" {
		settings = append(settings, map[string]any{"key": "tbm", "value": "nws"})
	}
	if period := q.Extra["tbs"]; period != "" {
		settings = append(settings, map[string]any{"key": "tbs", "value": period})
	}
	if settings != nil {
		body["context"] = settings
	}
}

// poll reads the state of a job, and its results when the job is done. It returns the state of a
// job that failed.
func poll(ctx context.Context, up *upstream.Session, id string) ([]byte, error) {
	path := "/v1/queries/" + url.PathEscape(id)
	value, document, err := via.Get(ctx, up, path, nil)
	if err != nil {
		return nil, err
	}
	job := loosejson.AsObject(value)
	if err := via.SameID(up, id, job.Amount("id")); err != nil {
		return nil, err
	}
	switch job.Text("status") {
	case "pending":
		return nil, upstream.ErrNotReady
	case "done":
	default:
		return document, nil
	}
	value, document, err = via.Get(ctx, up, path+"/results", nil)
	if err == nil && len(document) == 0 { // status 204
		return nil, upstream.ErrNotReady
	}
	for _, result := range loosejson.AsObject(value).Objects("results") {
		if err := via.SameID(up, id, result.Amount("job_id")); err != nil {
			return nil, err
		}
	}
	return document, err
}

// parsed is the parse_status_code of a result that was parsed completely.
const parsed = "12000"

// read reads the results of a job, one for each page, or the state of a job that failed. Oxylabs
// charges for a result if the site answered with 2xx or 4xx, whatever it holds. price returns the
// price of parts.
func read(o loosejson.Object, q *provider.Question, price func(*upstream.Parts) upstream.USD) (*provider.Reply, upstream.Verdict) {
	list := o.Objects("results")
	switch status := o.Text("status"); {
	case status == "faulted":
		return nil, via.Failed(upstream.Free(), upstream.Fail(earshot.ReasonUnavailable, "Oxylabs gave up on the job"))
	case status != "":
		return nil, via.Failed(nil, via.Unreadable("Oxylabs' job has the status %q", status))
	case len(list) == 0:
		return nil, via.Failed(upstream.Free(), upstream.Fail(earshot.ReasonUnavailable, "Oxylabs' job has no result"))
	}
	charge, failure := judge(list, q, price)
	if failure != nil {
		return nil, via.Failed(charge, failure)
	}
	reply := &provider.Reply{Located: true}
	switch q.Provider {
	case "websearch":
		reply.Web = readWeb(list, q)
	case "websearch/news":
		reply.News = readNews(list, q)
	default:
		reply.Answer = readAnswer(list[0].Object("content"), q)
	}
	return via.Checked(reply, q, charge)
}

// judge returns what results cost, and a failure if one of them is not the page.
func judge(list []loosejson.Object, q *provider.Question, price func(*upstream.Parts) upstream.USD) (charge *upstream.USD, failure *upstream.Failure) {
	billed := 0
	for _, result := range list {
		status := result.Int("status_code")
		switch {
		case status/100 == 2 || status/100 == 4:
			billed++
		case status == 0:
			return nil, via.Unreadable("Oxylabs' result has no status")
		}
		code := result.Object("content").Amount("parse_status_code")
		switch {
		case failure != nil || status/100 == 2 && code == parsed:
		case status == http.StatusForbidden, status == http.StatusTooManyRequests:
			failure = upstream.Fail(earshot.ReasonBlocked, "the site answered Oxylabs with status %d", status)
		case status/100 != 2:
			failure = upstream.Fail(earshot.ReasonUnavailable, "Oxylabs' result has the status %d", status)
		default:
			failure = via.Unreadable("Oxylabs could not parse the page, its code is %q", code)
		}
	}
	buys := q.Parts()
	switch {
	case billed == 0:
		charge = upstream.Free()
	case billed-1 < buys.Pages:
		buys.Pages = billed - 1
		charge = new(price(&buys))
	}
	return charge, failure
}
