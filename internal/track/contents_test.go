package track_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/websearch"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/track"
	"earshot/internal/track/definition"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// contentRates are the rates of the lab. Without noise all answers are independent.
const contentRates = `
brands:
  - {name: Ollaro, rate: 0.5, domains: [ollaro.example], retrieved: 0.6, cited: 0.4, products: 0.5, price: 120, ads: 0.25}
  - {name: Kestrin, rate: 0.3, domains: [kestrin.example], position: 2, retrieved: 0.3, cited: 0.9, products: 0.4, price: 80, ads: 0.1}
searches: {rate: 0.7, counts: [0.5, 0.3, 0, 0.2], branded: 0.3}
merchants: [{name: Cartwell, rate: 0.8}, {name: Parcel Lane, rate: 0.4}]
priceNoise: 0.05
overview: 0.6
blocks: {places: 0.2, videos: 0.7, peopleAlsoAsk: 0.5, discussions: 0.4}
`

const contentTracker = `
brands: [{name: Ollaro, own: true, domains: [ollaro.example]}, {name: Kestrin, domains: [kestrin.example]}]
prompts: [%s]
targets:
  - {provider: chatassistant, country: US, options: {include: {searchQueries: true, shopping: true, ads: true}}}
  - {provider: chatassistant, country: DE}
  - {provider: websearch, country: US, options: {include: {searchoverview: {}}}}
`

// known is the true value of a metric and, unless it is a share, the variance of the values of
// single answers.
type known struct {
	metric, target, of string // of is a brand, a merchant or a block
	value, variance    float64
}

const (
	asked   = "chatassistant/US"
	unasked = "chatassistant/DE" // without include
	found   = "websearch/US"
)

// The values of merchantShare: each product is sold by 0.8 + 0.4 merchants, or by its maker.
const offersEach = 0.8 + 0.4 + 0.2*0.6

var contents = []known{
	{"searched@m2", asked, "", 0.7, 0},
	{"fanout@m2", asked, "", 0.5 + 2*0.3 + 4*0.2, 0.5 + 4*0.3 + 16*0.2 - 1.9*1.9},
	{"retrievalRate@m2", asked, "Ollaro", 0.7 * 0.6, 0},
	{"retrievalRate@m2", asked, "Kestrin", 0.7 * 0.3, 0},
	{"retrievalRate@m2", unasked, "Ollaro", 0.7 * 0.6, 0},
	{"retrievalRate@m2", found, "Ollaro", 0.6 * 0.6, 0}, // in overviews
	{"citationRate@m2", asked, "Ollaro", 0.7 * 0.6 * 0.4, 0},
	{"citationRate@m2", found, "Kestrin", 0.6 * 0.3 * 0.9, 0},
	{"citedWhenRetrieved@m2", asked, "Ollaro", 0.4, 0},
	{"citedWhenRetrieved@m2", asked, "Kestrin", 0.9, 0},
	{"citedWhenRetrieved@m2", found, "Ollaro", 0.4, 0},
	{"productVisibility@m2", asked, "Ollaro", 0.5, 0},
	{"productVisibility@m2", found, "Kestrin", 0.4, 0},
	{"adRate@m2", asked, "Ollaro", 0.25, 0},
	{"adRate@m2", found, "Kestrin", 0.1, 0},
	{"paidShare@m2", asked, "Ollaro", 0.25 / 0.35, 0},
	{"paidShare@m2", found, "Ollaro", 0.25 / 0.35, 0},
	{"organicVisibility@m2", asked, "Ollaro", 0.5, 0},
	{"overviewRate@m2", found, "", 0.6, 0},
	{"blockRate@m2", found, "searchoverview", 0.6, 0},
	{"blockRate@m2", found, "places", 0.2, 0},
	{"blockRate@m2", found, "videos", 0.7, 0},
	{"blockRate@m2", found, "peopleAlsoAsk", 0.5, 0},
	{"blockRate@m2", found, "discussions", 0.4, 0},
	{"merchantShare@m2", asked, "domain:cartwell.example", 0.8 / offersEach, 0},
	{"merchantShare@m2", asked, "domain:parcel-lane.example", 0.4 / offersEach, 0},
}

// TestMetricsFindTheRatesOfTheLab runs sweeps whose answers are pages of the lab with known
// rates. Every value must be within five standard errors of its rate.
func TestMetricsFindTheRatesOfTheLab(t *testing.T) {
	t.Parallel()
	const prompts, sweeps = 20, 4
	w := contentWorld(t)
	var texts []string
	for i := range prompts {
		texts = append(texts, fmt.Sprintf("garden chairs %d", i))
	}
	w.apply("contents", fmt.Sprintf(contentTracker, strings.Join(texts, ", ")))
	for range sweeps {
		w.now = w.now.Add(24 * time.Hour)
		w.run("contents", false)
	}
	report, err := w.services[1].Metrics(t.Context(), w.organization, "contents", &earshot.MetricQuery{
		Metric: "searched,fanout,retrievalRate@m2,citationRate@m2,citedWhenRetrieved,productVisibility,productRank,adRate,paidShare,organicVisibility,overviewRate,blockRate,merchantShare,price",
		By:     "target", MetricFilter: earshot.MetricFilter{To: w.now.AddDate(0, 0, 1).Format(time.DateOnly)}, // the sweeps are in the future
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[[3]string]earshot.MetricRow{}
	for _, row := range report.Rows {
		rows[[3]string{row.Metric, row.Target, row.Brand + row.Merchant + row.Block + row.Product}] = row
	}
	for _, k := range contents {
		row, exists := rows[[3]string{k.metric, k.target, k.of}]
		if !exists || row.Value == nil {
			t.Errorf("%s of %q on %s has no value", k.metric, k.of, k.target)
			continue
		}
		variance := k.variance
		if variance == 0 {
			variance = k.value * (1 - k.value)
		}
		if band := 5 * math.Sqrt(variance/row.Denominator); math.Abs(*row.Value-k.value) > band {
			t.Errorf("%s of %q on %s is %.3f, want %.3f ± %.3f", k.metric, k.of, k.target, *row.Value, k.value, band)
		}
	}
	for name, brand := range map[string]string{"searched@m2": "", "fanout@m2": "", "productVisibility@m2": "Ollaro", "adRate@m2": "Ollaro"} {
		if row := rows[[3]string{name, unasked, brand}]; row.Value != nil || row.Reason != "notRequested" || row.NotRequested == 0 {
			t.Errorf("%s without its flag is %+v", name, row)
		}
	}
	if row := rows[[3]string{"organicVisibility@m2", asked, "Ollaro"}]; row.Note != "paidNotMarked" {
		t.Errorf("organicVisibility is %+v", row)
	}
	checkRanksAndPrices(t, rows, sweeps)
}

func checkRanksAndPrices(t *testing.T, rows map[[3]string]earshot.MetricRow, sweeps int) {
	t.Helper()
	// If both brands have a product, Kestrin is first in 7.9 % of answers.
	for brand, first := range map[string]float64{"Ollaro": 1 - 0.4*0.0786, "Kestrin": 0.5 + 0.5*0.0786} {
		row := rows[[3]string{"productRank@m2", asked, brand}]
		if row.Places == nil || math.Abs(row.Places.First-first) > 5*math.Sqrt(first*(1-first)/row.Denominator) {
			t.Errorf("productRank of %s is %+v, want %.3f first", brand, row, first)
		}
	}
	prices := 0
	for key, row := range rows {
		if key[0] != "price@m2" || key[1] != asked {
			continue
		}
		prices++
		if row.Value == nil || row.Currency != "USD" || *row.Value < 70 || *row.Value > 130 || row.Lowest == nil || *row.Lowest >= *row.Value || len(row.Points) < sweeps*3/4 {
			t.Errorf("a price is %+v", row)
		}
	}
	if prices != 2 {
		t.Errorf("%d products have prices, want 2", prices)
	}
}

// contentWorld returns a world in which the lab answers with contentRates.
func contentWorld(t *testing.T) *world {
	t.Helper()
	rates, err := lab.ParseWorld([]byte(contentRates))
	if err != nil {
		t.Fatal(err)
	}
	providers := []provider.Provider{chatassistant.Provider{}, websearch.Provider{Engine: serp.Engine{Host: "search.lab.test"}}}
	sites, err := provider.NewSites(providers)
	if err != nil {
		t.Fatal(err)
	}
	var inLab []lab.Site
	addresses := map[string]string{}
	for name, site := range sites.Lab {
		inLab, addresses[name] = append(inLab, site), site.URL()
	}
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceLab, Sites: addresses, Transport: lab.Direct(lab.Populate(rates, inLab...)...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	catalogue, err := provider.NewCatalogue(providers, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, storetest.SQLite(t), time.Now().Add(-60*24*time.Hour), func(cfg *track.Config) { cfg.Catalogue = catalogue })
	w.ask = func(job *store.Job) []byte {
		about, err := catalogue.Provider(job.Provider)
		if err != nil {
			t.Fatal(err)
		}
		request, problems := definition.DecodeRequest(about, job.Request)
		if problems != nil {
			t.Fatal(problems)
		}
		outcome, err := request.Ask(t.Context(), client.NewSample(job.CreatedAt.UTC().Format(time.DateOnly)+"/"+job.ID))
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(outcome.Result)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	return w
}
