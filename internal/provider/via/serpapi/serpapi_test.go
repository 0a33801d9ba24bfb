package serpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/serpapi"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

func question(name string) *provider.Question {
	web := name == "websearch"
	return &provider.Question{Provider: name, Text: "quiet mowers", Locale: geo.Locale{Country: "DE"}, Pages: 1, Overview: web, QuestionOverviews: web}
}

// parse reads a document as the answer to the search that it names.
func parse(t *testing.T, document []byte) (any, error) {
	t.Helper()
	var about struct {
		Parameters struct{ Engine, TBM string } `json:"search_parameters"`
	}
	if err := json.Unmarshal(document, &about); err != nil {
		t.Fatal(err)
	}
	name := map[string]string{"google_ai_mode": "searchaimode", "bing_copilot": "officeassistant"}[about.Parameters.Engine]
	switch {
	case about.Parameters.TBM != "":
		name = "websearch/news"
	case name == "":
		name = "websearch"
	}
	bought, err := providertest.AskVendor(t, serpapi.Vendor{}, providertest.Always(document), question(name), nil)
	return bought.Result(), err
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, func(document []byte) (any, error) { return parse(t, document) })
}

// fields returns a field of all objects in a list, in order.
func fields(raw map[string]any, list, field string) []string {
	values := []string{}
	items, _ := raw[list].([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		if text, ok := object[field].(string); ok {
			values = append(values, text)
		}
	}
	return values
}

func each[T any](list []T, value func(T) string) []string {
	values := []string{}
	for _, item := range list {
		values = append(values, value(item))
	}
	return values
}

// TestCaptures compares what is read of the samples with a simple count in their JSON.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "vendors/serpapi/*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var raw map[string]any
			if err := json.Unmarshal(document, &raw); err != nil {
				t.Fatal(err)
			}
			result, err := parse(t, document)
			if raw["organic_results"] == nil && raw["text_blocks"] == nil {
				if err == nil {
					t.Errorf("%v was read from a document without results", result)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			providertest.Check(t, result)
			switch r := result.(type) {
			case *earshot.WebSearch:
				checkWeb(t, raw, r)
			case *earshot.Answer:
				want, _ := raw["reconstructed_markdown"].(string)
				if providertest.Letters(r.Text) != providertest.Letters(want) || providertest.Letters(r.Markdown) != providertest.Letters(want) {
					t.Errorf("the text is %q, the Markdown %q, want %q", r.Text, r.Markdown, want)
				}
				if diff := cmp.Diff(fields(raw, "references", "link"), each(r.Sources, func(s earshot.Source) string { return s.URL })); diff != "" {
					t.Errorf("sources (-want +got):\n%s", diff)
				}
				if cited := strings.Count(string(document), "reference_indexes"); len(r.CitationPills) != cited {
					t.Errorf("%d pills, %d citations", len(r.CitationPills), cited)
				}
			}
		})
	}
}

func checkWeb(t *testing.T, raw map[string]any, r *earshot.WebSearch) {
	t.Helper()
	for name, c := range map[string]struct{ want, got []string }{
		"organic results":  {fields(raw, "organic_results", "link"), each(r.OrganicResults, func(o earshot.OrganicResult) string { return o.Link })},
		"titles":           {fields(raw, "organic_results", "title"), each(r.OrganicResults, func(o earshot.OrganicResult) string { return o.Title })},
		"questions":        {fields(raw, "related_questions", "question"), each(r.PeopleAlsoAsk, func(q earshot.Question) string { return q.Question })},
		"related searches": {fields(raw, "related_searches", "query"), each(r.RelatedSearches, func(s earshot.RelatedSearch) string { return s.Query })},
		"ads":              {fields(raw, "ads", "link"), each(r.Ads, func(a earshot.Ad) string { return a.URL })},
		"places":           {fields(raw, "local_results", "title"), each(r.Places, func(p earshot.Place) string { return p.Name })},
		"videos":           {fields(raw, "inline_videos", "link"), each(r.Videos, func(v earshot.Video) string { return v.URL })},
		"recipes":          {fields(raw, "recipes_results", "title"), each(r.Recipes, func(r earshot.Recipe) string { return r.Title })},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if panel, ok := raw["knowledge_graph"].(map[string]any); ok != (r.KnowledgeGraph != nil) || ok && r.KnowledgeGraph.Description != panel["description"] {
		t.Errorf("the panel is %+v, want %v", r.KnowledgeGraph, panel)
	}
}

// site plays SerpApi: it answers by engine and start, and notes the searches.
type site struct {
	answers  map[string]string
	mu       sync.Mutex
	searches []string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	if query.Get("api_key") != providertest.VendorKey || r.URL.Path != "/search.json" || query.Get("no_cache") != "true" {
		http.Error(w, `{"error":"Invalid API key."}`, http.StatusUnauthorized)
		return
	}
	query.Del("api_key")
	query.Del("no_cache")
	s.searches = append(s.searches, query.Encode())
	fmt.Fprint(w, s.answers[query.Get("engine")+query.Get("start")])
}

// TestPages reads several pages. Each page is charged as a search, and so is the overview.
func TestPages(t *testing.T) {
	t.Parallel()
	s := &site{answers: map[string]string{
		"google20": `{"search_information":{},"ai_overview":{"page_token":"tok"},"organic_results":[{"title":"A","link":"https://a.example/"}],"related_searches":[{"query":"x"}]}`,
		"google30": `{"search_information":{},"organic_results":[{"title":"B","link":"https://b.example/"}],"related_searches":[{"query":"x"}]}`,
		"google40": `{"search_information":{"organic_results_state":"Fully empty"},"error":"Google hasn't returned any results for this query."}`,
		"google_ai_overview": `{"ai_overview":{"text_blocks":[{"type":"paragraph","snippet":"Quiet mowers have batteries.","reference_indexes":[3]}],
			"references":[{"index":3,"link":"https://c.example/"}]}}`,
	}}
	q := question("websearch")
	q.Pages, q.First, q.Device, q.Locale, q.Extra = 4, 20, earshot.Mobile, geo.Locale{Country: "GB", Language: "en"}, map[string]string{"safe": "active"}
	bought, err := providertest.AskVendor(t, serpapi.Vendor{}, s, q, map[string]string{"unit": "0.01"})
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, bought.Web)
	common := "device=mobile&engine=google&gl=gb&hl=en&q=quiet+mowers&safe=active&start="
	if diff := cmp.Diff([]string{common + "20", "engine=google_ai_overview&page_token=tok", common + "30", common + "40"}, s.searches); diff != "" {
		t.Errorf("searches (-want +got):\n%s", diff)
	}
	if w := bought.Web; len(w.OrganicResults) != 2 || w.OrganicResults[1].Page != 2 || w.OrganicResults[1].Position != 2 || len(w.RelatedSearches) != 1 || w.SearchOverview == nil || len(w.SearchOverview.CitationPills) != 1 {
		t.Errorf("the result is %+v", w)
	}
	if len(bought.Purchases) != 4 || bought.USD() != 40_000_000 {
		t.Errorf("the purchases are %+v", bought.Purchases)
	}
}

// TestRequests checks the parameters of the other providers.
func TestRequests(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]*provider.Question{
		"engine=bing_copilot&q=a": {Provider: "officeassistant", Text: "a", Locale: geo.Locale{Country: "US"}},
		"engine=google_ai_mode&gl=us&hl=en&location=California%2C+United+States&q=a": {Provider: "searchaimode", Text: "a", Locale: geo.Locale{Country: "US", State: "CA"}, Extra: map[string]string{"udm": "50"}},
		"engine=google&gl=de&hl=de&q=a&tbm=nws":                                      {Provider: "websearch/news", Text: "a", Locale: geo.Locale{Country: "DE"}, Extra: map[string]string{"tbm": "nws"}},
		"engine=google&gl=de&hl=de&location=Berlin%2CGermany&q=a":                    {Provider: "websearch", Text: "a", Locale: geo.Locale{Country: "DE"}, Location: "Berlin,Germany", UULE: "w+x"},
		"engine=google&gl=de&hl=de&q=a&uule=a%2Bx":                                   {Provider: "websearch", Text: "a", Locale: geo.Locale{Country: "DE"}, UULE: "a+x"},
	} {
		s := &site{answers: map[string]string{}}
		_, _ = providertest.AskVendor(t, serpapi.Vendor{}, s, q, nil)
		if len(s.searches) != 1 || s.searches[0] != want {
			t.Errorf("searches %v, want %s", s.searches, want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		reason earshot.Reason
		final  bool
		cost   upstream.USD
	}{
		"key":           {401, `{"error":"Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key"}`, earshot.ReasonBlocked, true, 0},
		"parameter":     {400, `{"error":"Unsupported location."}`, earshot.ReasonUnavailable, true, 0},
		"throughput":    {429, `{"error":"You are exceeding the maximum throughput per hour."}`, earshot.ReasonBlocked, false, 0},
		"no searches":   {429, `{"error":"Your account has run out of searches."}`, earshot.ReasonBlocked, true, 0},
		"in a 200":      {200, `{"search_metadata":{"status":"Error"},"error":"We couldn't get valid results for this search. Please try again later."}`, earshot.ReasonUnavailable, false, 0},
		"credit, 200":   {200, `{"error":"Your account credit is too low, please add more credits."}`, earshot.ReasonBlocked, true, 0},
		"server":        {503, `<html>`, earshot.ReasonUnavailable, false, 0},
		"nothing found": {200, `{"search_information":{"organic_results_state":"Fully empty"},"error":"Google hasn't returned any results for this query."}`, earshot.ReasonEmpty, true, 15_000_000},
		"no result":     {200, `{"search_information":{},"organic_results":[]}`, earshot.ReasonEmpty, true, 15_000_000},
		"no JSON":       {200, `<html>`, earshot.ReasonUnreadable, false, 15_000_000},
		"half":          {200, `{"search_information":{},"organic_res`, earshot.ReasonUnreadable, false, 15_000_000},
		"no page":       {200, `{"search_metadata":{"status":"Success"}}`, earshot.ReasonUnreadable, false, 15_000_000},
		"another value": {200, `[]`, earshot.ReasonUnreadable, false, 15_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, c.body, c.status) })
			bought, err := providertest.AskVendor(t, serpapi.Vendor{}, site, question("websearch"), nil)
			failure, ok := errors.AsType[*upstream.Failure](err)
			if !ok || failure.Reason != c.reason || failure.Final != c.final || bought.USD() != c.cost {
				t.Fatalf("%+v, %+v", err, bought.Purchases)
			}
			if strings.Contains(err.Error(), providertest.VendorKey) {
				t.Errorf("the error names the key: %v", err)
			}
		})
	}
}

// TestOverviewFails checks that a page counts without an overview that there is not, and that an
// overview that could not be fetched is asked for again.
func TestOverviewFails(t *testing.T) {
	t.Parallel()
	const page = `{"search_information":{},"ai_overview":{"page_token":"tok"},"organic_results":[{"title":"A","link":"https://a.example/"}]}`
	for status, overview := range map[int]string{200: `{"error":"The page token has expired."}`, 400: `{"error":"Invalid page_token."}`, 503: `{"error":"Busy."}`, 401: `{"error":"Invalid API key."}`} {
		site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("engine") == "google" {
				fmt.Fprint(w, page)
				return
			}
			http.Error(w, overview, status)
		})
		bought, err := providertest.AskVendor(t, serpapi.Vendor{}, site, question("websearch"), nil)
		if failed := status == 503 || status == 401; (err != nil) != failed || bought.USD() != 15_000_000 {
			t.Errorf("%s: %v, %+v", overview, err, bought.Purchases)
		}
	}
}
