// Package serpapi buys answers from SerpApi, which answers within seconds. Each result
// page is a search of its own, and so may be the AI overview.
//
//	serpapi.go  what it offers, searches, errors
//	answer.go   reading answers of assistants and AI overviews
//	search.go   reading result pages
package serpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// engines are SerpApi's engines by provider.
var engines = map[string]string{"websearch": "google", "websearch/news": "google", "searchaimode": "google_ai_mode", "officeassistant": "bing_copilot"}

// unit is the list price of a search, in the plan of 5,000 searches a month.
const unit = upstream.USD(15_000_000)

// serves is what SerpApi documents. Each result page is a search, and so may be the AI overview.
// SerpApi does not tell the order of blocks.
var serves = map[string]provider.Coverage{
	"officeassistant": {
		Price: upstream.Price{Request: unit}, Fields: provider.Retrieved | provider.Cited | provider.Pills,
		Takes: provider.TakesHTML | provider.TakesRawResponse,
	},
	"searchaimode": {
		Price: upstream.Price{Request: unit}, Fields: provider.Retrieved | provider.Cited | provider.Pills | provider.Products,
		Takes: place | provider.TakesHTML, Except: exceptCountries, Language: via.GoogleLanguage,
	},
	"websearch": {
		Price: upstream.Price{Request: unit, Page: unit, Overview: unit}, Fields: provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
		Takes: place | provider.TakesOverview | provider.TakesQuestionOverviews, Except: exceptCountries, Language: via.GoogleLanguage,
		Pages: 10, Skip: 1, Parameters: "tbs safe",
	},
	"websearch/news": {
		Price: upstream.Price{Request: unit, Page: unit}, Takes: place, Except: exceptCountries, Language: via.GoogleLanguage, Pages: 10, Skip: 1, Parameters: "tbs safe",
	},
}

// exceptCountries are the countries that are not among the values of gl.
const exceptCountries = "AX BL BQ CW MF SS SX XK"

const place = provider.TakesState | provider.TakesLocation | provider.TakesUULE | provider.TakesMobile

// Vendor is SerpApi.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of SerpApi.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "serpapi", Title: "SerpApi", URL: "https://serpapi.com", KeyParameter: "api_key",
		Serves: serves, Read: "2026-11-17", Unit: unit, Calls: 10, CallsPerMinute: 60,
	}
}

// Ask makes the searches that a question needs, one after the other.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	if engines[q.Provider] == "google" {
		return searchPages(ctx, up, q)
	}
	reply, document, err := search(ctx, up, query(q, 1), provider.PageParts(1), func(found loosejson.Object) (*provider.Reply, upstream.Verdict) {
		return via.Checked(&provider.Reply{Located: q.Provider != "officeassistant", Answer: readAnswer(found, q)}, q, nil)
	})
	if err == nil {
		reply.Document = document
	}
	return reply, err
}

// searchPages reads the result pages of a search, until a page without results.
func searchPages(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	r := newReader(q)
	for page := 1; page <= max(1, q.Pages); page++ {
		found, document, err := search(ctx, up, query(q, page), provider.PageParts(page), func(found loosejson.Object) (loosejson.Object, upstream.Verdict) {
			return found, judgePage(found, q, page)
		})
		if err != nil {
			return nil, err
		}
		r.reply.Document = document
		if page == 1 && q.Overview {
			if err := r.overview(ctx, up, found.Object("ai_overview")); err != nil {
				return nil, err
			}
		}
		if r.page(found, page); isEmpty(found) {
			break
		}
	}
	return r.reply, nil
}

// judgePage returns the verdict about a result page. SerpApi charges for pages without results.
func judgePage(found loosejson.Object, q *provider.Question, page int) upstream.Verdict {
	switch {
	case isEmpty(found) && page == 1:
		return via.Failed(nil, provider.NothingFound())
	case isEmpty(found):
		return upstream.Verdict{}
	case found.Object("search_information") == nil && found.Objects("organic_results") == nil && found.Objects("news_results") == nil:
		return via.Failed(nil, via.Unreadable("SerpApi's answer is no result page"))
	case page > 1:
		return upstream.Verdict{}
	}
	first := newReader(q)
	first.page(found, page)
	_, verdict := via.Checked(first.reply, q, nil)
	return verdict
}

// query returns the parameters of a search, for search engines of one page, from 1.
func query(q *provider.Question, page int) url.Values {
	values := url.Values{"q": {q.Text}}
	if q.Provider != "officeassistant" {
		values = via.SearchQuery(q, page)
		values.Del("udm") // the engine says as much
	}
	values.Set("engine", engines[q.Provider])
	values.Set("no_cache", "true") // a cached answer is up to an hour old
	switch {
	case q.Location != "":
		values.Set("location", q.Location)
		values.Del("uule")
	case q.UULE == "" && q.Locale.State != "":
		values.Set("location", vendorapi.StateName(q.Locale.State)+", United States")
	}
	if q.Device != "" {
		values.Set("device", string(q.Device))
	}
	return values
}

// search makes one search.
func search[T any](
	ctx context.Context, up *upstream.Session, values url.Values, buys *upstream.Parts, read func(loosejson.Object) (T, upstream.Verdict),
) (found T, document []byte, err error) {
	request := &upstream.Request{Path: "/search.json", Query: values, Header: http.Header{"Accept": {"application/json"}}, Refusal: refusal, Buys: buys}
	return via.Buy(ctx, up, request, func(document any) (found T, verdict upstream.Verdict) {
		o := loosejson.AsObject(document)
		switch message := o.Text("error"); {
		case o == nil:
			return found, via.Failed(nil, via.Unreadable("SerpApi did not answer with an object"))
		case message != "" && !isEmpty(o): // only successes are charged
			failure := via.Refused(o)
			correct(failure)
			return found, via.Failed(upstream.Free(), failure)
		}
		return read(o)
	})
}

// refusal returns the failure that an answer with an error status means.
func refusal(status int, header http.Header, body []byte) *upstream.Failure {
	failure := via.Refusal(status, header, body)
	correct(failure)
	return failure
}

// exhausted are words of errors that stay until the operator pays.
var exhausted = []string{"run out of searches", "credit is too low"}

// correct changes the failure of an error whose message says more than its status: 429
// means both that there were too many searches in an hour and that none are left.
func correct(failure *upstream.Failure) {
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
