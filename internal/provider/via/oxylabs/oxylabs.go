// Package oxylabs buys answers from Oxylabs. A question is submitted as a job, the job is
// polled, and its results have the answer (Oxylabs calls this push-pull).
//
//	oxylabs.go  what it offers, submitting and polling
//	answer.go   reading answers of assistants
//	search.go   reading result pages
package oxylabs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// source is how a provider is asked: the name of the source and how many characters its
// prompt may have, 0 for no known limit.
type source struct {
	name  string
	limit int
}

var sources = map[string]source{
	"chatassistant": {"chatgpt", 4000}, "answerengine": {"perplexity", 8000}, "genassistant": {"gemini", 7999},
	"searchaimode": {"google_ai_mode", 400}, "websearch": {"google_search", 0}, "websearch/news": {"google_search", 0},
}

// price is the list price of a result in USD, on the smallest plan.
const price = 0.0005

// pageSize is how many results a result page has.
const pageSize = 10

// fields are the fields of results that Oxylabs documents or that a recorded answer has. Pages
// of an AI overview are listed, but not where it cites them. The ranks of a result page leave
// out some blocks.
var fields = map[string]provider.Fields{
	"chatassistant":  provider.Searches | provider.Cited | provider.Pills,
	"genassistant":   provider.Cited,
	"answerengine":   provider.Retrieved | provider.Cited | provider.Products,
	"searchaimode":   provider.Retrieved | provider.Cited | provider.Pills,
	"websearch":      provider.Retrieved | provider.Ads,
	"websearch/news": 0,
}

// Vendor is Oxylabs.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of Oxylabs.
func (Vendor) Definition() provider.VendorDefinition {
	prices := map[string]float64{}
	for name := range sources {
		prices[name] = price
	}
	return provider.VendorDefinition{
		Name: "oxylabs", Title: "Oxylabs", URL: "https://data.oxylabs.io", KeyHeader: "Authorization", KeyPrefix: "Basic ", Basic: true,
		Prices: prices, Fields: fields, Calls: 20, CallsPerMinute: 600,
	}
}

// Covers returns why Oxylabs cannot answer a question, or nil.
func (Vendor) Covers(q *provider.Question) error {
	if err := via.CheckProvider(q, sources); err != nil {
		return err
	}
	if countryName(q.Locale.Country) == "" {
		return errors.New("its name for the country is not known")
	}
	if isSearch(q) {
		return coversSearch(q)
	}
	switch {
	case q.Locale.State != "", q.Location != "", q.UULE != "":
		return errors.New("it asks assistants from a country, not from a place within it")
	case q.Shopping, q.Ads, q.Expand:
		return errors.New("it does not deliver products and ads in a known form")
	case q.Device != "" && q.Device != earshot.Desktop:
		return errors.New("it asks assistants on a desktop only")
	}
	return via.CheckLength(q, sources[q.Provider].limit)
}

func coversSearch(q *provider.Question) error {
	switch {
	case q.HTML:
		return errors.New("it does not deliver result pages as HTML and as data at once")
	case q.QuestionOverviews:
		return errors.New("it does not deliver the AI overviews of questions")
	case q.UULE != "" && q.Location == "":
		return errors.New("it needs the name of the place, which the token does not hold")
	case q.First%pageSize != 0:
		return errors.New("it can only skip whole result pages")
	}
	for name := range q.Extra {
		if name != "tbs" && name != "tbm" {
			return errors.New("it does not accept the parameter " + name)
		}
	}
	return nil
}

func isSearch(q *provider.Question) bool {
	return q.Provider == "websearch" || q.Provider == "websearch/news"
}

// countryName returns the name of a country for geo_location, or "" if Oxylabs may write
// it in another way: names with anything but letters and spaces.
func countryName(country string) string {
	name := geo.Name(country)
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && r != ' ' }) {
		return ""
	}
	return name
}

// Ask submits the question once and polls its job.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Redeem(ctx, up, q, upstream.Async{
		Wait: up.Wait(15 * time.Minute), Every: up.PollEvery(5 * time.Second),
		Submit: func(ctx context.Context, _ string) (string, error) {
			value, _, err := via.Post(ctx, up, "/v1/queries", nil, payload(q))
			if err != nil {
				return "", err
			}
			id := loosejson.AsObject(value).Amount("id")
			if id == "" {
				return "", upstream.Fail(earshot.ReasonUnreadable, "Oxylabs returned no job id")
			}
			return id, nil
		},
	}, func(ctx context.Context, id string) (*provider.Reply, error) { return poll(ctx, up, q, id) })
}

// payload returns the job for a question.
func payload(q *provider.Question) map[string]any {
	body := map[string]any{"source": sources[q.Provider].name, "parse": true, "geo_location": countryName(q.Locale.Country)}
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
	body["query"], body["pages"], body["start_page"] = q.Text, q.Pages, q.First/pageSize+1
	if q.Location != "" {
		body["geo_location"] = q.Location
	}
	if q.Locale.Language != "" {
		body["locale"] = q.Locale.Language
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

// poll reads the state of a job, and its results when the job is done.
func poll(ctx context.Context, up *upstream.Session, q *provider.Question, id string) (*provider.Reply, error) {
	path := "/v1/queries/" + url.PathEscape(id)
	value, _, err := via.Get(ctx, up, path, nil)
	if err != nil {
		return nil, err
	}
	switch status := loosejson.AsObject(value).Text("status"); status {
	case "done":
	case "pending":
		return nil, upstream.ErrNotReady
	case "faulted":
		return nil, via.NoAnswer(earshot.ReasonUnavailable, "Oxylabs gave up on the job")
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "Oxylabs' job has the status %q", status)
	}
	value, document, err := via.Get(ctx, up, path+"/results", nil)
	if err != nil {
		return nil, err
	}
	if len(document) == 0 { // status 204
		return nil, upstream.ErrNotReady
	}
	reply, billed, err := readResults(loosejson.AsObject(value), q)
	up.Bill(billed)
	if reply != nil {
		reply.Document = document
	}
	return reply, err
}

// parsed is the parse_status_code of a result that was parsed completely.
const parsed = "12000"

// readResults reads the results of a job, one for each page, and returns how many of them
// are charged: Oxylabs charges for a result if the site answered with 2xx or 4xx.
func readResults(o loosejson.Object, q *provider.Question) (reply *provider.Reply, billed int, err error) {
	list := o.Objects("results")
	if len(list) == 0 {
		return nil, 0, via.NoAnswer(earshot.ReasonUnavailable, "Oxylabs' job has no result")
	}
	failed := 0
	for _, result := range list {
		status := result.Count("status_code")
		if status == nil {
			return nil, billed, upstream.Fail(earshot.ReasonUnreadable, "Oxylabs' result has no status")
		}
		if *status/100 == 2 || *status/100 == 4 {
			billed++
		}
		if *status/100 != 2 && failed == 0 {
			failed = *status
		}
	}
	switch {
	case failed == http.StatusForbidden, failed == http.StatusTooManyRequests:
		return nil, billed, via.NoAnswer(earshot.ReasonBlocked, "the site answered Oxylabs with status %d", failed)
	case failed != 0:
		return nil, billed, via.NoAnswer(earshot.ReasonUnavailable, "Oxylabs' result has the status %d", failed)
	}
	for _, result := range list {
		if code := result.Object("content").Amount("parse_status_code"); code != parsed {
			return nil, billed, upstream.Fail(earshot.ReasonUnreadable, "Oxylabs could not parse the page, its code is %q", code)
		}
	}
	reply = &provider.Reply{Located: true}
	switch q.Provider {
	case "websearch":
		reply.Web = readWeb(list, q)
	case "websearch/news":
		reply.News = readNews(list, q)
	default:
		reply.Answer = readAnswer(list[0].Object("content"), q)
	}
	return reply, billed, nil
}
