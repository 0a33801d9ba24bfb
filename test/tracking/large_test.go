package tracking

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/analysing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/test/harness"
)

// largeDays, largePrompts and largeTargets are the size of a large tracker: 720,000 answers.
const largeDays, largePrompts, largeTargets = 90, 1000, 8

// BenchmarkLarge sends the requests of each page of the dashboard for a large tracker. The
// service starts anew for each of them, so that nothing comes from memory. B/op is the size of
// the compressed response.
func BenchmarkLarge(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { large(b, filepath.Join(b.TempDir(), "earshot.db")) })
	b.Run("postgres", func(b *testing.B) { large(b, storetest.Postgres(b)) })
}

func large(b *testing.B, address string) {
	n := harness.StartOn(b, address)
	a := n.Organization(b, "business", 1000)
	fillLarge(b, n, a)
	if err := n.Stop(); err != nil { // a node that starts looks for sweeps that are not added up
		b.Fatal(err)
	}
	n = harness.StartOn(b, address)
	harness.Eventually(b, "the sweeps are counted", func() bool {
		rules, err := analysing.New(n.Store).RulesToCount(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		return len(rules) == 0
	})
	to := n.Store.Now()
	days := func(n int) string {
		return url.Values{"from": {to.AddDate(0, 0, 1-n).Format(time.DateOnly)}, "to": {to.Format(time.DateOnly)}}.Encode()
	}
	for _, page := range largeRequests(days) {
		b.Run(page, func(b *testing.B) {
			sent := 0
			before := processorTime(b)
			for b.Loop() {
				b.StopTimer()
				if err := n.Stop(); err != nil {
					b.Fatal(err)
				}
				n = harness.StartOn(b, address)
				before = processorTime(b)
				b.StartTimer()
				sent = get(b, n, a, page)
			}
			b.ReportMetric(float64((processorTime(b) - before).Milliseconds()), "cpu-ms/op")
			b.ReportMetric(float64(sent)/1000, "kB/op")
		})
	}
}

// get sends a request as a browser does and returns the number of bytes of the response.
func get(b *testing.B, n *harness.Node, a *app.Account, path string) int {
	b.Helper()
	request := n.Request(b.Context(), b, a, http.MethodGet, path, "")
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		if response.Header.Get("Content-Encoding") == "gzip" {
			if unpacked, err := gzip.NewReader(strings.NewReader(string(body))); err == nil {
				body, _ = io.ReadAll(unpacked)
			}
		}
		b.Fatalf("%s: status %d: %.300s", path, response.StatusCode, body)
	}
	return len(body)
}

// largeRequests returns the requests of the dashboard's pages. days returns the parameters of a
// period that ends today.
func largeRequests(days func(int) string) (paths []string) {
	const tracker = "/v1/trackers/shoes"
	add := func(path string, query ...string) { paths = append(paths, tracker+path+strings.Join(query, "&")) }
	line := "&metric=visibility&having=brand:A1"
	paths = append(paths, "/v1/trackers")
	add("")
	for _, n := range []int{28, 90} {
		span := days(n)
		add("/metrics?by=brand&metric=visibility,shareOfVoice,position,citationRate,firstNamed,namedAndCited.both&", span)
		add("/compare?metric=visibility&", span)
		add("/metrics?by=sweep,brand&last=7", line, span)
		add("/metrics?by=sweep,target&last=7", line, span)
		add("/metrics?by=target", line, span)
		add("/sources?by=domain&limit=7&", span)
		add("/sources?by=domain&limit=100&", span)
		add("/sources?by=domain&limit=100&since=true&", span)
		add("/sources?by=type&limit=100&", span)
		add("/sources?by=url&limit=100&", span)
		add("/metrics?by=prompt&limit=500", line, span)
		add("/metrics?by=prompt,target&filter=prompt:1,prompt:2,prompt:3", line, span)
		add("/compare?by=prompt", line, span)
		add("/searches?limit=50&", span)
		add("/products?limit=50&", span)
		add("/ads?limit=50&", span)
	}
	add("/sweeps?limit=100")
	add("/answers?limit=50")
	return paths
}

// fillLarge adds a tracker whose answers name 4 of 5 brands, cite 8 pages and retrieve 10.
func fillLarge(b *testing.B, n *harness.Node, a *app.Account) {
	b.Helper()
	text := "brands: [{name: A1, own: true, domains: [a1.example]}, {name: B2}, {name: C3}, {name: D4}, {name: E5}]\nprompts:\n"
	for i := range largePrompts {
		text += fmt.Sprintf("  - question number %d\n", i)
	}
	text += "targets:\n"
	for _, country := range yearTargets {
		text += "  - {provider: chatassistant, country: " + country + "}\n"
	}
	n.SendWith(b, a, http.MethodPut, "/v1/trackers/shoes", text, map[string]string{"Content-Type": yaml}).Has(b, "apply", http.StatusOK)
	s := tracking.New(n.Store)
	tracker, err := s.Tracker(b.Context(), a.Organization.ID, "shoes")
	if err != nil {
		b.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(1, 2))
	sites := rand.NewZipf(chance, 1.1, 10, 3000)
	for day := range largeDays {
		at := n.Store.Now().AddDate(0, 0, day-largeDays)
		cells := largePrompts * largeTargets
		sweep := &tracking.Sweep{
			Organization: tracker.Organization, Tracker: tracker.ID, ID: definition.NewID(at), Slot: at.Format("2006-01-02T15:04") + " UTC", State: earshot.SweepClosed,
			Version: 1, Month: at.Format("2006-01"), DueAt: at, StartedAt: at, EndsAt: at.Add(time.Hour), ClosedAt: at.Add(time.Hour),
			Planned: cells, Submitted: cells, Answered: cells,
		}
		var asked []*tracking.Answer
		for cell := range cells {
			at := at.Add(time.Duration(cell) * 400 * time.Millisecond).Truncate(time.Millisecond)
			prompt := cell%largePrompts + 1
			one := &tracking.Answer{
				Organization: tracker.Organization, Tracker: tracker.ID, ID: definition.NewID(at), Sweep: sweep.ID, Prompt: prompt, Target: cell/largePrompts + 1, Sample: 1,
				Outcome: earshot.OutcomeAnswered, Surface: "lab", AskedAt: at, FinishedAt: at, Attempts: 1,
				Result: fmt.Appendf(nil, `{"surface":"lab","text":"answer %d","markdown":"answer %d"}`, prompt, prompt),
			}
			one.Analyses = append(one.Analyses, one.Analysis(1, largeAnalysis(chance, sites, prompt).Encode()))
			asked = append(asked, one)
		}
		for some := range slices.Chunk(asked, 1000) {
			if err := s.InsertHistory(tracker, nil, some); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.InsertHistory(tracker, []*tracking.Sweep{sweep}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// largeAnalysis makes up an analysis. Few sites are cited often, as in real answers.
func largeAnalysis(chance *rand.Rand, sites *rand.Zipf, prompt int) *analysis.Analysis {
	f := &analysis.Analysis{}
	page := func(position int) metric.Citation {
		site := sites.Uint64()
		host := fmt.Sprintf("www.site%d.example", site)
		return metric.Citation{
			URL:  fmt.Sprintf("https://%s/articles/of/some/length/%d-%d", host, prompt%50, chance.IntN(10)),
			Host: host, Domain: host[4:], Type: []string{"other", "editorial", "community"}[site%3], Position: position,
		}
	}
	for i := range 10 {
		f.Sources = append(f.Sources, page(i+1))
	}
	f.Citations, f.Cited = f.Sources[:8], f.Sources[:6]
	for i := range 4 {
		f.Mentions = append(f.Mentions, analysis.Mention{
			Brand: (chance.IntN(2) + prompt + i) % 5, Kind: mention.Name, Where: analysis.InMarkdown, Start: 100 * i, End: 100*i + 2, Position: i + 1,
			Domains: []string{f.Citations[i].Domain}, Citations: []int{i},
		})
	}
	for range 2 {
		f.Searches = append(f.Searches, fmt.Sprintf("search %d of %d", chance.IntN(5), prompt))
	}
	f.Ads, f.Products = []metric.Ad{}, []metric.Product{}
	if chance.IntN(4) == 0 {
		n := chance.IntN(300)
		f.Ads = append(f.Ads, metric.Ad{Position: 1, Title: fmt.Sprintf("Ad %d", n), URL: "https://www.b2.example/", Domain: "b2.example", Named: []string{}})
		f.Products = append(f.Products, metric.Product{
			Position: 1, Title: fmt.Sprintf("Product %d", n), Merchant: "Shop", Domain: "shop.example", Price: &metric.Price{Value: float64(50 + n), Currency: "USD"}, Named: []string{},
		})
	}
	return f
}
