package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
)

// shown is an answer with every kind of contents.
const shown = `{"surface":"vendor","via":"cloro","text":"x","markdown":"Ollaro is light.",
	"sources":[{"url":"https://test.example/a?utm_source=x"},{"url":"https://ollaro.example/"},{"url":"https://test.example/a"}],
	"citationPills":[{"url":"https://ollaro.example/"},{"url":"https://ollaro.example/"},{"url":"https://else.example/"}],
	"searchQueries":["light shoes","light shoes"],"mapSearchQueries":["shoe shops"],
	"shoppingCards":[{"products":[{"position":1,"title":"Aero","id":"p1","url":"https://www.google.com/shopping/1","merchant":"Shop","price":{"raw":"$120","value":120,"currency":"USD"}}]},
		{"products":[{"position":3,"title":"On Running Cloud","url":"https://buy.on.example/cloud","price":{"raw":"a lot"}}]}],
	"inlineProducts":[{"position":2,"title":"Ollaro Aero","offers":[
		{"merchant":"Shop","url":"https://www.shop.example/o","price":{"raw":"99 €","value":99,"currency":"EUR"},"available":false},{"merchant":"Other"}]}],
	"productResults":[{"position":1,"title":"Aero","id":"p1","offers":[{"merchant":"Store","url":"https://store.google.com/p","available":true}]}],
	"ads":[{"position":1,"block":"answer","type":"text","title":"Run light","brand":"Ollaro","url":"https://go.ollaro.example/?gclid=1","domain":"go.ollaro.example","description":"Now."},
		{"position":2,"title":"Ollaro or On Running?","url":"https://test.example/"}]}`

// partly is a question whose results report some fields.
var partly = analysis.Question{Reports: analysis.Reports{Unreported: metric.Unreported{metric.FieldAds: metric.NotRequested, metric.FieldLayout: metric.NotOffered}}}

func pageOf(url, host, domain, kind string, position int) metric.Citation {
	return metric.Citation{URL: url, Host: host, Domain: domain, Type: kind, Position: position}
}

func TestContentsOfAnAnswer(t *testing.T) {
	t.Parallel()
	found, err := newPanel(t).Analyse([]byte(shown), analysis.Question{})
	if err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	want := metric.Contents{
		Via:      "cloro",
		Searches: []string{"light shoes", "light shoes", "shoe shops"},
		Sources: []metric.Citation{
			pageOf("https://test.example/a", "test.example", "test.example", "other", 1), pageOf("https://ollaro.example/", "ollaro.example", "ollaro.example", "own", 2),
		},
		Cited: []metric.Citation{
			pageOf("https://ollaro.example/", "ollaro.example", "ollaro.example", "own", 1), pageOf("https://else.example/", "else.example", "else.example", "other", 2),
		},
		Products: []metric.Product{
			{Position: 1, Title: "Aero", ID: "p1", URL: "https://www.google.com/shopping/1", Merchant: "Shop", Price: &metric.Price{Value: 120, Currency: "USD"}},
			{Position: 2, Title: "Ollaro Aero", Named: []string{"Ollaro"}, Offers: []metric.Offer{
				{Merchant: "Shop", Domain: "shop.example", Price: &metric.Price{Value: 99, Currency: "EUR"}, Available: &no}, {Merchant: "Other"},
			}},
			{Position: 3, Title: "On Running Cloud", URL: "https://buy.on.example/cloud", Domain: "on.example", Named: []string{"On"}},
			{Position: 4, Title: "Aero", ID: "p1", Offers: []metric.Offer{{Merchant: "Store", Domain: "google.com", Available: &yes}}},
		},
		Ads: []metric.Ad{
			{Position: 1, Title: "Run light", Brand: "Ollaro", URL: "https://go.ollaro.example/?gclid=1", Domain: "ollaro.example", Named: []string{"Ollaro"}, Text: "Now.", Block: "answer"},
			{Position: 2, Title: "Ollaro or On Running?", URL: "https://test.example/", Domain: "test.example", Named: []string{"Ollaro", "On"}},
		},
	}
	if diff := cmp.Diff(want, found.Contents); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, found.Answer(newPanel(t)).Contents); diff != "" {
		t.Errorf("the observation (-want +got):\n%s", diff)
	}
}

// A field that results do not report is left out even if it is there, and has a reason.
func TestUnreportedContents(t *testing.T) {
	t.Parallel()
	all := metric.Unreported{
		metric.FieldSearches: metric.NotRequested, metric.FieldSources: metric.NotOffered, metric.FieldCited: metric.NotOffered,
		metric.FieldProducts: metric.NotRequested, metric.FieldAds: metric.NotRequested,
	}
	found, err := newPanel(t).Analyse([]byte(shown), analysis.Question{Reports: analysis.Reports{Unreported: all}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(metric.Contents{Via: "cloro", Unreported: all}, found.Contents); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(found.Citations) != 2 {
		t.Errorf("the citations of m1 are %+v", found.Citations)
	}
}

// Without pills, the links and numbers in the text are the citations.
func TestInlineCitations(t *testing.T) {
	t.Parallel()
	const sources = `"sources":[{"url":"https://a.example/"},{"url":"https://b.example/"},{"url":"https://c.example/"}]`
	for result, want := range map[string]string{
		`{"markdown":"Good [1][3]. See [it](https://d.example/) and [[2]](https://e.example/) and [7].",` + sources + `}`: "d.example e.example a.example c.example",
		`{"markdown":"Good [1].","citationPills":[{"url":"https://b.example/"}],` + sources + `}`:                         "b.example",
		`{"markdown":"Good.",` + sources + `}`: "none",
		`{"text":"Good [1].",` + sources + `}`: "notRequested",
		`{"organicResults":[]}`:                "none",
	} {
		q := analysis.Question{Reports: analysis.Reports{Inline: true}}
		found, err := newPanel(t).Analyse([]byte(result), q)
		if err != nil {
			t.Fatal(err)
		}
		var hosts []string
		for _, c := range found.Cited {
			hosts = append(hosts, c.Host)
		}
		got := strings.Join(hosts, " ")
		if got == "" && found.Cited != nil {
			got = "none"
		}
		if got += string(found.Unreported[metric.FieldCited]); got != want {
			t.Errorf("%s: cited are %q, want %q", result, got, want)
		}
		if q.Unreported != nil {
			t.Errorf("%s: the question changed to %+v", result, q)
		}
	}
}

// The contents of a search page include the products, ads and pages of its AI overview.
func TestContentsOfASearchPage(t *testing.T) {
	t.Parallel()
	const result = `{"organicResults":[],"layout":[{"type":"ads","position":1,"count":2},{"type":"searchoverview","position":2,"count":1}],
		"ads":[{"position":1,"title":"A","url":"https://a.example/","block":"top"}],"shoppingCards":[{"products":[{"position":1,"title":"P"}]}],
		"searchoverview":{"text":"x","markdown":"x","sources":[{"url":"https://s.example/"}],"citationPills":[{"url":"https://c.example/"}],
			"inlineProducts":[{"position":1,"title":"Q"}],"ads":[{"position":1,"title":"B","url":"https://b.example/"}]}}`
	found, err := newPanel(t).Analyse([]byte(result), partly)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(len(found.Sources), found.Sources[0].Domain, found.Cited[0].Domain, found.Products[0].Title, found.Products[1].Title, found.Products[1].Position, found.Ads, found.Layout)
	if want := "1s.examplec.examplePQ2[][]"; strings.ReplaceAll(got, " ", "") != want {
		t.Errorf("the page has %s, want %s", got, want)
	}
	if found, err = newPanel(t).Analyse([]byte(result), analysis.Question{}); err != nil {
		t.Fatal(err)
	}
	if len(found.Ads) != 2 || found.Ads[1].Domain != "b.example" || found.Ads[1].Position != 2 {
		t.Errorf("the ads are %+v", found.Ads)
	}
	if diff := cmp.Diff([]metric.Block{{Type: "ads", Position: 1, Count: 2}, {Type: "searchoverview", Position: 2, Count: 1}}, found.Layout); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}
