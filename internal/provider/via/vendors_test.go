// Package via_test compares what all vendors declare and send with what they document.
package via_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/brightdata"
	"earshot/internal/provider/via/cloro"
	"earshot/internal/provider/via/dataforseo"
	"earshot/internal/provider/via/olostep"
	"earshot/internal/provider/via/oxylabs"
	"earshot/internal/provider/via/serpapi"
	"earshot/internal/upstream"
)

var vendors = provider.NewVendors(brightdata.Vendor{}, cloro.Vendor{}, dataforseo.Vendor{}, olostep.Vendor{}, oxylabs.Vendor{}, serpapi.Vendor{})

// options make vendors answer each provider.
var options = map[string]map[string]string{"brightdata": {"zone": "serp1"}}

func question(name string, change func(*provider.Question)) *provider.Question {
	q := &provider.Question{Provider: name, Text: "quiet mowers", Locale: geo.Locale{Country: "US"}, Pages: 1}
	if change != nil {
		change(q)
	}
	return q
}

// TestPrices compares prices with the vendors' price lists of 2026-11-17, in units of 1e-9 USD.
func TestPrices(t *testing.T) {
	t.Parallel()
	pages := func(n int, overviews ...bool) func(*provider.Question) {
		return func(q *provider.Question) {
			q.Pages, q.Overview, q.QuestionOverviews = n, len(overviews) > 0, len(overviews) > 1
		}
	}
	extras := func(q *provider.Question) { q.Shopping, q.Ads, q.SearchQueries, q.RawResponse = true, true, true, true }
	mode := func(mode string) map[string]string { return map[string]string{"mode": mode} }
	unit := func(usd string) map[string]string { return map[string]string{"unit": usd} }
	for _, c := range []struct {
		vendor, provider string
		change           func(*provider.Question)
		options          map[string]string
		want             upstream.USD
	}{
		{"cloro", "chatassistant", nil, nil, 2_000_000},
		{"cloro", "chatassistant", extras, nil, 2_800_000},
		{"cloro", "chatassistant", func(q *provider.Question) { q.RawResponse = true }, nil, 2_800_000},
		{"cloro", "genassistant", func(q *provider.Question) { q.RawResponse = true }, nil, 1_600_000},
		{"cloro", "officeassistant", nil, nil, 2_000_000},
		{"cloro", "answerengine", nil, nil, 1_600_000},
		{"cloro", "searchaimode", func(q *provider.Question) { q.Expand = true }, nil, 1_600_000},
		{"cloro", "websearch", nil, nil, 1_200_000},
		{"cloro", "websearch", pages(10, true), nil, 9_200_000},
		{"cloro", "websearch", pages(1, true, true), nil, 2_800_000},
		{"cloro", "websearch/news", pages(3), nil, 2_800_000},
		{"cloro", "websearch", pages(2), unit("0.00031"), 1_550_000},
		{"cloro", "chatassistant", nil, unit("0.0000000001"), 5}, // rounded up
		{"dataforseo", "chatassistant", extras, nil, 1_200_000},
		{"dataforseo", "chatassistant", nil, mode("priority"), 2_400_000},
		{"dataforseo", "chatassistant", nil, mode("live"), 4_000_000},
		{"dataforseo", "websearch", nil, mode("queue"), 600_000},
		{"dataforseo", "websearch", pages(10, true), nil, 5_250_000},
		{"dataforseo", "websearch", pages(10, true), mode("priority"), 10_500_000},
		{"dataforseo", "websearch", pages(10, true), mode("live"), 17_500_000},
		{"dataforseo", "websearch", nil, unit("5"), 600_000}, // it counts nothing
		{"dataforseo", "websearch/news", pages(2), mode("live"), 3_500_000},
		{"dataforseo", "answerengine", nil, mode("live"), 16_000_000},
		{"serpapi", "websearch", pages(10, true), nil, 165_000_000},
		{"serpapi", "websearch", pages(10, true), unit("0.009"), 99_000_000},
		{"serpapi", "websearch/news", pages(2), nil, 30_000_000},
		{"serpapi", "officeassistant", nil, nil, 15_000_000},
		{"brightdata", "chatassistant", nil, nil, 1_500_000},
		{"brightdata", "websearch", pages(10, true), nil, 15_000_000},
		{"oxylabs", "websearch", pages(10, true), nil, 5_000_000},
		{"oxylabs", "answerengine", nil, nil, 500_000},
		{"olostep", "chatassistant", nil, nil, 12_500_000},
		{"olostep", "websearch", nil, nil, 7_500_000},
	} {
		if got := vendors[c.vendor].Definition().Price(c.provider, c.options).Of(question(c.provider, c.change).Parts()); got != c.want {
			t.Errorf("%s, %s, %v: %d, want %d", c.vendor, c.provider, c.options, got, c.want)
		}
	}
}

// TestDefinitions checks what every vendor must declare.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for name, vendor := range vendors {
		about := vendor.Definition()
		if about.Read == "" || len(about.Serves) == 0 {
			t.Errorf("%s declares nothing", name)
		}
		for served, coverage := range about.Serves {
			if err := about.Covers(question(served, nil)); err != nil || coverage.Price.Request <= 0 {
				t.Errorf("%s, %s: %v, %+v", name, served, err, coverage.Price)
			}
			if coverage.Pages > 1 && coverage.Price.Page <= 0 || coverage.Takes.Has(provider.TakesOverview) && name == "serpapi" && coverage.Price.Overview <= 0 {
				t.Errorf("%s, %s: a part has no price", name, served)
			}
			for _, country := range strings.Fields(coverage.Except) {
				if !geo.IsCountry(country) {
					t.Errorf("%s, %s: %s is no country", name, served, country)
				}
			}
		}
	}
}

// TestUncovered checks which field is named for a question that a vendor cannot serve.
func TestUncovered(t *testing.T) {
	t.Parallel()
	extra := func(name string) func(*provider.Question) {
		return func(q *provider.Question) { q.Extra = map[string]string{name: "x"} }
	}
	text := func(n int) func(*provider.Question) {
		return func(q *provider.Question) { q.Text = strings.Repeat("é", n) }
	}
	country := func(code string) func(*provider.Question) {
		return func(q *provider.Question) { q.Locale.Country = code }
	}
	language := func(code string) func(*provider.Question) {
		return func(q *provider.Question) { q.Locale.Language = code }
	}
	device := func(device earshot.Device) func(*provider.Question) {
		return func(q *provider.Question) { q.Device = device }
	}
	state := func(q *provider.Question) { q.Locale.State = "CA" }
	html := func(q *provider.Question) { q.HTML = true }
	first := func(n int) func(*provider.Question) { return func(q *provider.Question) { q.First = n } }
	pages := func(n int) func(*provider.Question) { return func(q *provider.Question) { q.Pages = n } }
	location := func(q *provider.Question) { q.Location, q.UULE = "Austin,Texas,United States", "w+x" }
	uule := func(q *provider.Question) { q.UULE = "a+x" }
	expand := func(q *provider.Question) { q.Expand = true }
	for _, c := range []struct {
		vendor, provider string
		change           func(*provider.Question)
		field            string // "" if it is covered
	}{
		{"cloro", "socialassistant", nil, "provider"},
		{"cloro", "chatassistant", country("CZ"), "country"},
		{"cloro", "answerengine", country("CZ"), ""},
		{"cloro", "chatassistant", state, ""},
		{"cloro", "searchaimode", expand, ""},
		{"cloro", "websearch", html, "include.html"},
		{"cloro", "websearch", first(10), "url"},
		{"cloro", "websearch", extra("tbs"), "url"},
		{"cloro", "websearch", device(earshot.IOS), ""},
		{"cloro", "websearch", uule, ""},
		{"dataforseo", "officeassistant", nil, "provider"},
		{"dataforseo", "chatassistant", state, ""},
		{"dataforseo", "answerengine", state, "state"},
		{"dataforseo", "websearch", text(700), ""},
		{"dataforseo", "websearch", text(701), "query"},
		{"dataforseo", "searchaimode", text(701), "prompt"},
		{"dataforseo", "websearch", country("XK"), "country"},
		{"dataforseo", "websearch", location, ""},
		{"dataforseo", "websearch", uule, "uule"},
		{"dataforseo", "websearch", extra("tbs"), "url"},
		{"dataforseo", "websearch", html, "include.html"},
		{"dataforseo", "websearch", first(10), "url"},
		{"dataforseo", "websearch", language("nb"), ""},
		{"dataforseo", "websearch", language("xx-klingon"), "hl"},
		{"dataforseo", "websearch/news", device(earshot.Mobile), "device"},
		{"dataforseo", "searchaimode", expand, "include.expandProducts"},
		{"serpapi", "chatassistant", nil, "provider"},
		{"serpapi", "websearch", func(q *provider.Question) { q.First, q.Extra = 5, map[string]string{"tbs": "x", "safe": "x"} }, ""},
		{"serpapi", "websearch", extra("lr"), "url"},
		{"serpapi", "websearch", html, "include.html"},
		{"serpapi", "searchaimode", html, ""},
		{"serpapi", "websearch", device(earshot.Mobile), ""},
		{"serpapi", "websearch", device(earshot.IOS), "device"},
		{"serpapi", "websearch", uule, ""},
		{"serpapi", "websearch", language("fil"), ""},
		{"serpapi", "websearch", language("rn"), "hl"},
		{"serpapi", "websearch", country("XK"), "country"},
		{"serpapi", "websearch", pages(11), "pages"},
		{"serpapi", "officeassistant", country("XK"), ""},
		{"serpapi", "officeassistant", state, "state"},
		{"brightdata", "socialassistant", nil, "provider"},
		{"brightdata", "chatassistant", state, "state"},
		{"brightdata", "chatassistant", text(4096), ""},
		{"brightdata", "chatassistant", text(4097), "prompt"},
		{"brightdata", "chatassistant", func(q *provider.Question) { q.Shopping = true }, "include.shopping"},
		{"brightdata", "chatassistant", func(q *provider.Question) { q.Ads = true }, "include.ads"},
		{"brightdata", "genassistant", func(q *provider.Question) { q.NoSearch = true }, "disableWebSearch"},
		{"brightdata", "searchaimode", device(earshot.Mobile), "device"},
		{"brightdata", "searchaimode", location, "location"},
		{"brightdata", "websearch", location, ""}, // encoded
		{"brightdata", "websearch", html, "include.html"},
		{"brightdata", "websearch", func(q *provider.Question) { q.QuestionOverviews = true }, "include.paaSearchoverview"},
		{"oxylabs", "officeassistant", nil, "provider"},
		{"oxylabs", "chatassistant", country("XK"), "country"},
		{"oxylabs", "chatassistant", state, "state"},
		{"oxylabs", "chatassistant", text(4001), "prompt"},
		{"oxylabs", "searchaimode", text(401), "prompt"},
		{"oxylabs", "answerengine", text(8001), "prompt"},
		{"oxylabs", "chatassistant", func(q *provider.Question) { q.Shopping = true }, "include.shopping"},
		{"oxylabs", "searchaimode", device(earshot.Mobile), "device"},
		{"oxylabs", "websearch", first(5), "url"},
		{"oxylabs", "websearch", first(20), ""},
		{"oxylabs", "websearch", uule, "uule"},
		{"oxylabs", "websearch", location, ""},
		{"oxylabs", "websearch", extra("safe"), "url"},
		{"oxylabs", "websearch", func(q *provider.Question) { q.QuestionOverviews = true }, "include.paaSearchoverview"},
		{"olostep", "websearch/news", nil, "provider"},
		{"olostep", "chatassistant", state, "state"},
		{"olostep", "chatassistant", func(q *provider.Question) { q.NoSearch = true }, "disableWebSearch"},
		{"olostep", "chatassistant", func(q *provider.Question) { q.Legacy, q.SearchQueries, q.RawResponse, q.HTML = true, true, true, true }, ""},
		{"olostep", "chatassistant", func(q *provider.Question) { q.Ads = true }, "include.ads"},
		{"olostep", "searchaimode", location, "location"},
		{"olostep", "websearch", device(earshot.Android), "device"},
		{"olostep", "websearch", pages(2), "pages"},
		{"olostep", "websearch", func(q *provider.Question) { q.Overview = true }, "include.searchoverview"},
	} {
		q := question(c.provider, c.change)
		err := vendors[c.vendor].Definition().Covers(q)
		uncovered, _ := errors.AsType[*provider.Uncovered](err)
		if (err == nil) != (c.field == "") || uncovered != nil && uncovered.Field != c.field {
			t.Errorf("%s, %+v: %v, want %q", c.vendor, q, err, c.field)
		}
	}
}

// request is what a vendor got first.
type request struct {
	query url.Values
	body  map[string]any
}

// ask returns the first request for a question.
func ask(t *testing.T, vendor string, q *provider.Question) request {
	t.Helper()
	var first *request
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if first == nil {
			first = &request{query: r.URL.Query()}
			if body = bytes.Trim(body, "[]"); len(body) > 0 {
				if err := json.Unmarshal(body, &first.body); err != nil {
					t.Errorf("%v: %s", err, body)
				}
			}
		}
		w.WriteHeader(http.StatusBadRequest)
	})
	_, err := providertest.AskVendor(t, vendors[vendor], site, q, options[vendor])
	if err == nil || first == nil {
		t.Fatalf("%s, %+v: nothing was asked", vendor, q)
	}
	return *first
}
