// Package serpapi buys answers from SerpApi, which answers within seconds. Each result
// page is a search of its own, and so may be the AI overview.
//
//	serpapi.go  what it offers, searches, errors
//	answer.go   reading answers of assistants and AI overviews
//	search.go   reading result pages
package serpapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// engines are SerpApi's engines by provider.
var engines = map[string]string{"websearch": "google", "websearch/news": "google", "searchaimode": "google_ai_mode", "officeassistant": "bing_copilot"}

// unit is the list price of a search in USD, in the plan of 5,000 searches a month.
const unit = 0.015

// fields are the fields of results that SerpApi documents. It does not tell the order of blocks.
var fields = map[string]provider.Fields{
	"officeassistant": provider.Retrieved | provider.Cited | provider.Pills,
	"searchaimode":    provider.Retrieved | provider.Cited | provider.Pills | provider.Products,
	"websearch":       provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
	"websearch/news":  0,
}

// Vendor is SerpApi.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of SerpApi.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "serpapi", Title: "SerpApi", URL: "https://serpapi.com", KeyParameter: "api_key",
		Prices: map[string]float64{"websearch": unit, "websearch/news": unit, "searchaimode": unit, "officeassistant": unit},
		Fields: fields,
		Calls:  10, CallsPerMinute: 60,
	}
}

// parameters are the search parameters that are passed on. The engine replaces tbm and udm.
var parameters = []string{"tbs", "safe", "tbm", "udm"}

// Covers returns why SerpApi cannot answer a question, or nil.
func (Vendor) Covers(q *provider.Question) error {
	if err := via.CheckProvider(q, engines); err != nil {
		return err
	}
	switch {
	case q.HTML && engines[q.Provider] == "google":
		return errors.New("it does not deliver result pages as HTML with an answer")
	case q.Device != "" && q.Device != earshot.Desktop && q.Device != earshot.Mobile:
		return errors.New("it cannot choose the system of a phone")
	case q.Expand:
		return errors.New("it does not deliver the offers of products")
	case q.Provider == "officeassistant" && q.Locale.State != "":
		return errors.New("it cannot ask from a state")
	}
	for name := range q.Extra {
		if !slices.Contains(parameters, name) {
			return fmt.Errorf("it does not take the search parameter %s", name)
		}
	}
	return nil
}

// Ask makes the searches that a question needs, one after the other.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	reply := &provider.Reply{Located: q.Provider != "officeassistant"}
	if engines[q.Provider] != "google" {
		found, document, err := search(ctx, up, query(q, 0))
		if err != nil {
			return nil, err
		}
		reply.Answer, reply.Document = readAnswer(found, q), document
		return reply, nil
	}
	r := reader{Page: via.NewPage(q.Locale.Country), q: q, news: &earshot.NewsSearch{}}
	for page := range max(1, q.Pages) {
		found, document, err := search(ctx, up, query(q, page))
		if err != nil {
			return nil, err
		}
		if found.Object("search_information") == nil && found.Objects("organic_results") == nil && found.Objects("news_results") == nil {
			return nil, upstream.Fail(earshot.ReasonUnreadable, "SerpApi's answer is no result page")
		}
		reply.Document = document
		if page == 0 && q.Overview {
			if err := r.overview(ctx, up, found.Object("ai_overview")); err != nil {
				return nil, err
			}
		}
		if r.page(found, page+1); isEmpty(found) {
			break
		}
	}
	if q.Provider == "websearch" {
		reply.Web = r.WebSearch
	} else {
		reply.News = r.news
	}
	return reply, nil
}

// query returns the parameters of a search, for search engines of one page, from 0.
func query(q *provider.Question, page int) url.Values {
	values := url.Values{"engine": {engines[q.Provider]}, "q": {q.Text}, "no_cache": {"true"}} // a cached answer is up to an hour old
	if q.Provider == "officeassistant" {
		return values
	}
	for name, value := range q.Extra {
		values.Set(name, value)
	}
	values.Del("udm")
	country := strings.ToLower(q.Locale.Country)
	if country == "gb" {
		country = "uk"
	}
	values.Set("gl", country)
	values.Set("hl", language(q.Locale))
	switch {
	case q.Location != "":
		values.Set("location", q.Location)
	case q.UULE != "":
		values.Set("uule", q.UULE)
	case q.Locale.State != "":
		values.Set("location", vendorapi.StateName(q.Locale.State)+", United States")
	}
	if q.Device != "" {
		values.Set("device", string(q.Device))
	}
	if q.Provider == "websearch/news" {
		values.Set("tbm", "nws")
	}
	if start := q.First + page*serp.PageSize; start > 0 {
		values.Set("start", strconv.Itoa(start))
	}
	return values
}

// language returns the language of the request, or the country's language. Chinese needs
// the script.
func language(locale geo.Locale) string {
	if locale.Language != "" {
		return locale.Language
	}
	code := geo.Language(locale.Country)
	if code != "zh" {
		return code
	}
	switch locale.Country {
	case "TW", "HK", "MO":
		return "zh-tw"
	}
	return "zh-cn"
}

// search makes one search and books its price if it counted.
func search(ctx context.Context, up *upstream.Session, values url.Values) (loosejson.Object, []byte, error) {
	value, document, err := via.Get(ctx, up, "/search.json", values)
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		judge(failure)
	}
	if err != nil {
		return nil, nil, err
	}
	found := loosejson.AsObject(value)
	if found == nil {
		return nil, nil, upstream.Fail(earshot.ReasonUnreadable, "SerpApi did not answer with an object")
	}
	if message := found.Text("error"); message != "" && !isEmpty(found) {
		failure := vendorapi.Refusal(0, nil, nil, message)
		judge(failure)
		return nil, nil, failure
	}
	up.Charge(via.Unit(up, unit))
	return found, document, nil
}

// exhausted are words of errors that stay until the operator pays.
var exhausted = []string{"run out of searches", "credit is too low"}

// judge corrects the failure of an error whose message says more than its status: 429
// means both that there were too many searches in an hour and that none are left.
func judge(failure *upstream.Failure) {
	message := strings.ToLower(failure.Err.Error())
	switch {
	case slices.ContainsFunc(exhausted, func(words string) bool { return strings.Contains(message, words) }):
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	case failure.Reason == earshot.ReasonBlocked && !failure.Final:
		failure.RetryAfter = max(failure.RetryAfter, time.Minute)
	}
}

// isEmpty reports whether a search succeeded and found nothing, which is an error in
// SerpApi's words.
func isEmpty(found loosejson.Object) bool {
	about := found.Object("search_information")
	return about.Text("organic_results_state", "news_results_state") == "Fully empty" ||
		found.Text("error") != "" && strings.Contains(strings.ToLower(found.Text("error")), "hasn't returned any results")
}
