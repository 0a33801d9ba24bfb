package tracking

import (
	"cmp"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/test/harness"
)

// brief returns how much a result has of each field, or why it does not report the field.
func brief(c metric.Contents) string {
	var parts []string
	for _, part := range []struct {
		field metric.Field
		count int
	}{
		{metric.FieldSearches, len(c.Searches)},
		{metric.FieldSources, len(c.Sources)},
		{metric.FieldCited, len(c.Cited)},
		{metric.FieldProducts, len(c.Products)},
		{metric.FieldAds, len(c.Ads)},
		{metric.FieldLayout, len(c.Layout)},
	} {
		parts = append(parts, cmp.Or(string(c.Unreported[part.field]), fmt.Sprint(part.count)))
	}
	return strings.Join(parts, " ")
}

// The contents are analysed in what the parsers make of the documents of each provider.
func TestContentsOfParsedResults(t *testing.T) {
	t.Parallel()
	catalogue, err := provider.NewCatalogue(app.Providers(), func(string) bool { return true }, nil) // hidden providers have answers, too
	if err != nil {
		t.Fatal(err)
	}
	reader := definition.NewReader(definition.Config{Catalogue: catalogue, Vendors: provider.NewVendors(app.Vendors()...)})
	panel, err := analysis.NewPanel([]earshot.Brand{{Name: "Ollaro"}})
	if err != nil {
		t.Fatal(err)
	}
	// Searches, sources, cited, products, ads, layout.
	for _, test := range []struct{ provider, request, origin, document, want string }{
		{"chatassistant", `{"include":{"searchQueries":true,"shopping":true,"ads":true}}`, "web", "chatassistant/testdata/legacy.sse", "5 7 5 9 2 0"},
		{"chatassistant", `{"include":{"ads":false}}`, "web", "chatassistant/testdata/legacy.sse", "notRequested 7 5 notRequested notRequested 0"},
		{"chatassistant", `{"include":{"ads":true}}`, "api", "chatassistant/testdata/conversation.json", "notRequested 2 1 notOffered notOffered 0"},
		{"genassistant", `{}`, "web", "genassistant/testdata/stream.txt", "notOffered 3 3 notOffered notOffered 0"},
		{"genassistant", `{}`, "api", "genassistant/testdata/api_maps.json", "2 1 1 notOffered notOffered 0"},
		{"genassistant", `{}`, "lab", "genassistant/testdata/lab.html", "notOffered 7 7 notOffered notOffered 0"},
		{"socialassistant", `{}`, "web", "socialassistant/testdata/cards.ndjson", "3 8 5 1 notOffered 0"},
		{"officeassistant", `{}`, "web", "officeassistant/testdata/everybody.html", "notOffered notOffered 1 notOffered notOffered 0"},
		{"officeassistant", `{}`, "lab", "officeassistant/testdata/lab.html", "6 4 4 notOffered notOffered 0"},
		{"answerengine", `{}`, "lab", "answerengine/testdata/lab.sse", "6 5 5 8 notOffered 0"},
		{"searchaimode", `{}`, "web", "searchaimode/testdata/answer.html", "notOffered 5 4 5 0 0"},
		{"searchaimode", `{}`, "web", "searchaimode/testdata/sponsored.html", "notOffered 1 1 0 4 0"},
		{"websearch", `{"include":{"searchoverview":{}}}`, "web", "websearch/testdata/desktop.html", "notOffered 5 4 4 7 17"},
		{"websearch", `{}`, "web", "websearch/testdata/blocks.html", "notOffered notRequested notRequested 3 5 29"},
		{"websearch", `{}`, "api", "websearch/testdata/blocks.html", "notOffered notOffered notOffered notOffered notOffered notOffered"},
		{"websearch/news", `{}`, "web", "news/testdata/desktop.html", "notOffered notOffered notOffered notOffered notOffered notOffered"},
		{"claude", `{}`, "api", "claude/testdata/whole.json", "2 notOffered 2 notOffered notOffered 0"},
		{"model", `{}`, "api:openrouter", "model/testdata/ranges.json", "notOffered notOffered 2 notOffered notOffered 0"},
		{"chatassistant", `{"include":{"searchQueries":true,"shopping":true,"ads":true}}`, "vendor:dataforseo", "via/dataforseo/testdata/chat_gpt.json", "2 notOffered 2 1 1 0"},
		{"answerengine", `{}`, "api:dataforseo", "via/dataforseo/testdata/responses.json", "1 notOffered 0 notOffered notOffered 0"},
		{"websearch", `{"include":{"searchoverview":true}}`, "vendor:serpapi", "via/serpapi/testdata/web.json", "notOffered 2 2 1 3 notOffered"},
		{"another", `{}`, "web", "claude/testdata/whole.json", "notOffered notOffered notOffered notOffered notOffered 0"},
	} {
		text, err := os.ReadFile("../../internal/provider/" + test.document + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		found, err := panel.Analyse(text, reader.Question(test.provider, []byte(test.request), test.origin))
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(found.Contents); got != test.want {
			t.Errorf("%s %s %s %s: %s, want %s", test.provider, test.request, test.origin, test.document, got, test.want)
		}
	}
}

// A brand that an answer shows only in a sponsored entry has an ad, and is neither named nor cited.
func TestSponsoredEntriesAreNotMentions(t *testing.T) {
	t.Parallel()
	panel, err := analysis.NewPanel([]earshot.Brand{{Name: "Northpeak", Domains: []string{"northpeak.example"}}, {Name: "Harbour Trail"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../internal/provider/searchaimode/testdata/sponsored.html.golden")
	if err != nil {
		t.Fatal(err)
	}
	found, err := panel.Analyse(text, analysis.Question{Text: "trockene Stiefel"})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Mentions) != 1 || found.Mentions[0].Brand != 1 {
		t.Errorf("mentions %+v", found.Mentions)
	}
	if len(found.Ads) != 4 || found.Ads[0].Domain != "northpeak.example" || !slices.Equal(found.Ads[0].Named, []string{"Northpeak"}) {
		t.Errorf("ads %+v", found.Ads)
	}
	if len(found.Sources) != 1 || found.Sources[0].Domain != "trailtest.example" {
		t.Errorf("sources %+v", found.Sources)
	}
}

// After an upgrade from a version that did not analyse contents, the contents of kept answers
// are analysed without asking anything again.
func TestAnUpgradeAnalysesTheContentsOfKeptAnswers(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "business", 1000)
	applied(t, n, a, "", strings.Replace(panel, "country: US}", "country: US, options: {include: {searchQueries: true}}}", 1))
	ended(t, n, a, run(t, n, a, "one").Sweep.ID)
	before := rowOf(t, metricsOf(t, n, a, ""), "visibility", "Ollaro", "chatassistant/US")
	paid := charged(t, n, a)
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{`UPDATE tracker_rules SET code = 3`, `UPDATE analyses SET content = X'0200000000'`, `DELETE FROM counted`, `DELETE FROM cells`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}

	upgraded := harness.StartOn(t, n.Database)
	var rules earshot.RulesList
	harness.Eventually(t, "the new rules are current", func() bool {
		upgraded.Get(t, a, "/v1/trackers/shoes/rules").Has(t, "rules", http.StatusOK).Into(t, &rules)
		return rules.Current == "r2"
	})
	after := rowOf(t, metricsOf(t, upgraded, a, ""), "visibility", "Ollaro", "chatassistant/US")
	if *after.Value != *before.Value {
		t.Errorf("visibility is %v, before %v", *after.Value, *before.Value)
	}
	s := tracking.New(upgraded.Store)
	tracker, err := s.Tracker(t.Context(), a.Organization.ID, "shoes")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := analysing.New(upgraded.Store).Contents(t.Context(), tracker.Organization, tracker.ID, 2, 0, uuid.Nil.String(), uuid.Max.String())
	if err != nil || len(stored) == 0 {
		t.Fatalf("%d analyses, %v", len(stored), err)
	}
	seen := map[string]int{}
	for id, content := range stored {
		found, err := analysis.Decode(content)
		if err != nil {
			t.Fatal(err)
		}
		if found.Organic != nil {
			seen["pages"]++
			if found.Layout == nil || found.Ads == nil || found.Sources == nil || found.Unreported[metric.FieldSearches] != metric.NotOffered {
				t.Errorf("the contents of the page %s are %s", id, brief(found.Contents))
			}
			continue
		}
		seen["answers"]++
		seen["searches"] += len(found.Searches)
		seen["sources"] += len(found.Sources)
		if found.Unreported[metric.FieldAds] != metric.NotRequested || found.Products != nil || found.Cited == nil {
			t.Errorf("the contents of the answer %s are %s", id, brief(found.Contents))
		}
	}
	if seen["pages"] == 0 || seen["answers"] == 0 || seen["searches"] == 0 || seen["sources"] == 0 {
		t.Errorf("the analyses have %v", seen)
	}
	if charged(t, upgraded, a) != paid {
		t.Errorf("the upgrade costs %d credits", charged(t, upgraded, a)-paid)
	}
}

// Exports have every metric of contents, with the values of the API.
func TestExportsHaveTheMetricsOfContents(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.World(t, `
brands:
  - {name: Ollaro, rate: 1, products: 1, ads: 1}
  - {name: Kestrin, rate: 0.5, products: 0.5, ads: 0.5}
merchants: [{name: Cartwell, rate: 0.5}]
blocks: {videos: 1}
`))
	a := n.Organization(t, "business", 1000)
	applied(t, n, a, "", strings.Replace(panel, "country: US}", "country: US, options: {include: {searchQueries: true, shopping: true, ads: true}}}", 1))
	sweep := ended(t, n, a, run(t, n, a, "one").Sweep.ID)

	exported := map[string]map[string]string{} // by metric and labels
	for _, row := range rows(t, n.Get(t, a, exportPath+"?table=metrics&format=csv").Has(t, "metrics", http.StatusOK)) {
		name := strings.TrimSuffix(row["metric"], metric.M2)
		exported[strings.Join([]string{name, row["target"], row["merchant"], row["product"], row["currency"], row["block"]}, "|")] = row
		if row["value"] != "" {
			exported[name] = row
		}
	}
	for _, name := range []string{
		"searched", "fanout", "retrievalRate", "citationRate", "citedWhenRetrieved", "productVisibility", "productRank", "merchantShare", "price", "adRate", "paidShare",
		"organicVisibility", "overviewRate", "blockRate",
	} {
		if exported[name] == nil {
			t.Errorf("no exported row has a value of %s", name)
		}
	}
	counts := map[string]int{}
	for _, row := range metricsOf(t, n, a, "metric=merchantShare,price,blockRate&by=target,surface").Rows {
		name := strings.TrimSuffix(row.Metric, metric.M2)
		got := exported[strings.Join([]string{name, row.Target, row.Merchant, row.Product, row.Currency, row.Block}, "|")]
		counts[name]++
		for column, want := range map[string]*float64{"value": row.Value, "lowest": row.Lowest, "medianPosition": row.MedianPosition} {
			text := ""
			if want != nil {
				text = strconv.FormatFloat(*want, 'g', -1, 64)
			}
			if got == nil || got["sweep"] != sweep.ID || got[column] != text || got["reason"] != row.Reason {
				t.Errorf("%s is %q in the export, %+v in the API", column, got, row)
			}
		}
	}
	if len(counts) != 3 {
		t.Errorf("the API has %v rows", counts)
	}
}

// charged returns the credits that an organization has used.
func charged(t *testing.T, n *harness.Node, a *app.Account) (credits int64) {
	t.Helper()
	var usage earshot.Usage
	n.Get(t, a, "/v1/usage").Has(t, "usage", http.StatusOK).Into(t, &usage)
	for _, one := range usage.Usage {
		credits += one.CreditsCharged
	}
	return credits
}
