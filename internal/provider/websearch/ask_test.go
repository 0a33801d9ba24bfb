package websearch_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/websearch"
	"earshot/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var engineOfLab = websearch.Provider{Engine: serp.Engine{Host: "search.lab.test"}}

func body(prompt, country string) string {
	return `{"query":"` + prompt + `","country":"` + country + `","include":{"searchoverview":{"markdown":true},"paaSearchoverview":true}}`
}

func TestAgainstLab(t *testing.T) {
	t.Parallel()
	providertest.AgainstLab(t, engineOfLab, body)
}

// ask runs a search on the lab, which must succeed.
func ask(t *testing.T, l *providertest.Lab, body string) *earshot.WebSearch {
	t.Helper()
	outcome, err := l.Ask(t, engineOfLab, body)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, outcome.Result)
	result, ok := outcome.Result.(*earshot.WebSearch)
	if !ok {
		t.Fatalf("result is a %T", outcome.Result)
	}
	return result
}

func TestEveryBlockIsFound(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	for _, device := range []string{"desktop", "mobile", "ios", "android"} {
		for _, country := range []string{"US", "DE", "FR", "ES", "BR", "IT", "NL", "JP", "PL"} {
			result := ask(t, l, `{"query":"garden chairs","country":"`+country+`","device":"`+device+`"}`)
			kinds := map[string]bool{}
			for _, ad := range result.Ads {
				kinds[ad.Block+" "+ad.Type] = true
			}
			cards, k := result.ShoppingCards, result.KnowledgeGraph
			switch {
			case len(result.OrganicResults) != 10, len(result.PeopleAlsoAsk) != 4, len(result.RelatedSearches) != 8,
				len(result.Places) < 2, len(result.Videos) != 2, len(result.Discussions) < 2, len(cards) != 1, k == nil:
				t.Errorf("%s, %s: a block is missing: %+v", country, device, result)
				continue
			case !kinds["top text"] || !kinds["top shopping"] || !kinds["bottom text"]:
				t.Errorf("%s, %s: ads are %v", country, device, kinds)
			case len(cards[0].Products) < 3 || cards[0].Products[0].Price.Value == nil || cards[0].Products[0].Rating == nil || cards[0].Products[0].Reviews == nil:
				t.Errorf("%s, %s: cards are %+v", country, device, cards)
			case k.Title == "" || k.Type == "" || k.Description == "" || k.Website == "" || k.Source == "" || len(k.Attributes) != 3 || len(k.Profiles) != 2:
				t.Errorf("%s, %s: panel is %+v", country, device, k)
			}
			for _, p := range result.Places {
				if strings.Contains(p.Link, "/travel/hotels/") {
					continue // a hotel
				}
				if p.Address == "" || p.Category == "" || p.Rating == nil || p.Reviews == nil || p.PriceLevel == "" || p.Phone == "" ||
					p.Website == "" || p.Hours == "" || p.Latitude == nil || p.Longitude == nil {
					t.Errorf("%s, %s: place is %+v", country, device, p)
				}
			}
			for _, v := range result.Videos {
				if v.Platform == "" || v.Channel == "" || v.Duration == "" || v.Date == "" || v.Thumbnail == "" {
					t.Errorf("%s, %s: video is %+v", country, device, v)
				}
			}
		}
	}
}

func TestOnlyPagesWithResultsAreBilled(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	for body, want := range map[string]int{
		`{"query":"desk lamps [[results=37]]","country":"US","pages":3}`: 2,
		`{"query":"desk lamps [[results=37]]","country":"US","pages":9}`: 3,
		`{"query":"desk lamps [[results=10]]","country":"US","pages":2}`: 0,
		`{"query":"desk lamps [[results=0]]","country":"US","pages":2}`:  0,
	} {
		outcome, err := l.Ask(t, engineOfLab, body)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome.Bill["page"]; got != want {
			t.Errorf("%s: bill has %d more pages, want %d", body, got, want)
		}
	}
}

func TestPositionsContinueOnTheNextPage(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	result := ask(t, l, `{"query":"desk lamps [[results=37]]","country":"US","pages":6,"include":{"html":true}}`)
	if len(result.OrganicResults) != 37 {
		t.Fatalf("%d results", len(result.OrganicResults))
	}
	links := map[string]bool{}
	for i, found := range result.OrganicResults {
		if found.Position != i+1 || found.Page != i/10+1 || links[found.Link] {
			t.Errorf("result %d is %+v", i, found)
		}
		links[found.Link] = true
	}
	if len(result.HTML) != 5 || result.HTML[4] != providertest.CaptureURL+"/page-5.html" {
		t.Errorf("stored pages are %v, want four pages with results and one without", result.HTML)
	}
	proposed := map[string]bool{}
	for _, related := range result.RelatedSearches {
		if proposed[related.Query] {
			t.Errorf("related search %q is listed twice", related.Query)
		}
		proposed[related.Query] = true
	}
	if len(proposed) < 9 {
		t.Errorf("four pages have %d related searches", len(proposed))
	}
	none := ask(t, l, `{"query":"desk lamps [[results=0]]","country":"US","pages":3}`)
	if none.OrganicResults != nil || none.SearchOverview != nil || none.Ads != nil {
		t.Errorf("a search without results returned %+v", none)
	}
	data, err := json.Marshal(none)
	if want := `{"surface":"lab","location":{"country":"US"},"organicResults":[],"peopleAlsoAsk":[],"relatedSearches":[],"ads":[],"layout":[]}`; err != nil || string(data) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, data, want)
	}
}

func TestSearchByURL(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	whole := ask(t, l, `{"query":"hats","country":"DE","pages":3}`)
	part := ask(t, l, `{"url":"https://www.search.de/search?q=hats&gl=de&start=10&num=20&ved=x"}`)
	if len(part.OrganicResults) != 20 || part.OrganicResults[0].Position != 1 || part.OrganicResults[0].Link != whole.OrganicResults[10].Link {
		t.Errorf("got %+v", part.OrganicResults)
	}
}

func TestOverviewIsReturnedOnRequest(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	for include, want := range map[string][2]bool{
		``:                                   {false, false},
		`"paaSearchoverview":true`:           {false, false},
		`"searchoverview":{}`:                {true, false},
		`"searchoverview":{"markdown":true}`: {true, true},
	} {
		overview := ask(t, l, `{"query":"tents","country":"US","include":{`+include+`}}`).SearchOverview
		if got := [2]bool{overview != nil, overview != nil && overview.Markdown != ""}; got != want {
			t.Errorf("include {%s}: overview and Markdown are %v, want %v", include, got, want)
		}
		if overview == nil {
			continue
		}
		if overview.Surface != earshot.SurfaceLab || overview.Model == nil || *overview.Model != "lab-1" ||
			len(overview.Sources) < 4 || len(overview.CitationPills) < 4 || len(overview.Entities) == 0 {
			t.Errorf("overview is %+v", overview)
		}
		providertest.CheckNoMarkup(t, overview.Text)
	}
	if none := ask(t, l, `{"query":"tents [[overview=none]]","country":"US","include":{"searchoverview":{}}}`); none.SearchOverview != nil {
		t.Errorf("overview=none returned %+v", none.SearchOverview)
	}
}

func TestQuestionsAreHydratedOnRequest(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	for _, hydrate := range []bool{false, true} {
		kinds := map[earshot.QuestionType]int{}
		for _, q := range ask(t, l, `{"query":"tents","country":"GB","include":{"paaSearchoverview":`+strconv.FormatBool(hydrate)+`}}`).PeopleAlsoAsk {
			kinds[q.Type]++
			switch q.Type {
			case earshot.QuestionLink:
				if q.Title == "" || q.Link == "" || q.Snippet == "" || q.Markdown != "" {
					t.Errorf("question is %+v", q)
				}
			case earshot.QuestionOverview:
				if (q.Markdown != "") != hydrate || (len(q.Sources) > 0) != hydrate || q.Link != "" {
					t.Errorf("hydrate %t: question is %+v", hydrate, q)
				}
			case earshot.QuestionUnknown:
				t.Errorf("question is %+v", q)
			}
		}
		if kinds[earshot.QuestionLink] == 0 || kinds[earshot.QuestionOverview] == 0 {
			t.Errorf("kinds are %v", kinds)
		}
	}
}

// TestRedirectLinksLeadToTheirLinks resolves each redirect link like the goto endpoint.
func TestRedirectLinksLeadToTheirLinks(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	result := ask(t, l, `{"query":"bicycles","country":"US","pages":3,"include":{"searchoverview":{},"paaSearchoverview":true}}`)
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	eachRedirect(all, func(link, redirect string) {
		u, err := url.Parse(redirect)
		if err != nil {
			t.Fatal(err)
		}
		kinds[u.Path]++
		to, err := l.Session(1).Redirect(t.Context(), &upstream.Request{Site: serp.Site, Path: u.Path, Query: u.Query(), Locale: geo.Locale{Country: "US"}})
		if err != nil || to != link || u.Host != "www.search.lab.test" {
			t.Errorf("redirect link %s leads to %s (%v), want %s", redirect, to, err, link)
		}
	})
	if kinds["/goto"] < 5 || kinds["/url"] < 5 {
		t.Errorf("redirects are %v", kinds)
	}
	if strings.Contains(strings.ReplaceAll(string(data), `"redirectLink":"https://www.search.lab.test/`, ""), "search.lab.test/goto") {
		t.Error("a link was not resolved")
	}
}

// eachRedirect calls visit for every object with a redirect link.
func eachRedirect(value any, visit func(link, redirect string)) {
	switch v := value.(type) {
	case map[string]any:
		if redirect, ok := v["redirectLink"].(string); ok {
			if v["link"] == nil && v["url"] == nil {
				visit("nothing", redirect)
			}
			for _, name := range []string{"link", "url"} {
				if link, ok := v[name].(string); ok {
					visit(link, redirect)
				}
			}
		}
		for _, inner := range v {
			eachRedirect(inner, visit)
		}
	case []any:
		for _, inner := range v {
			eachRedirect(inner, visit)
		}
	}
}

func TestAnswersAreLocalised(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	home := ask(t, l, `{"query":"boots","country":"DE"}`)
	abroad := ask(t, l, `{"query":"boots","country":"DE","hl":"en"}`)
	place := ask(t, l, `{"query":"boots","country":"DE","location":"Berlin,Berlin,Germany"}`)
	if reflect.DeepEqual(home, abroad) || reflect.DeepEqual(home, place) {
		t.Error("language or place do not change the result")
	}
	german := func(r *earshot.WebSearch) bool { return r.KnowledgeGraph.Type == "Hersteller" }
	if !german(home) || german(abroad) || !german(place) {
		t.Errorf("panels are %q, %q, %q", home.KnowledgeGraph.Type, abroad.KnowledgeGraph.Type, place.KnowledgeGraph.Type)
	}
	for _, ad := range home.Ads {
		if ad.Price != nil && ad.Price.Currency != "EUR" {
			t.Errorf("price is %+v", ad.Price)
		}
	}
}
