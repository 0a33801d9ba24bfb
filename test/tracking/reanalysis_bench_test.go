package tracking

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/test/harness"
)

// BenchmarkReanalysis has kept answers of 4 KB read by the names of 50 brands, after one
// was changed: 10,000, or as many as EARSHOT_BENCH_ANSWERS says. What it reports for each
// answer is what the whole service takes for it, from the change to the moment in which the
// new rules are current; processor time does not depend on what else runs.
func BenchmarkReanalysis(b *testing.B) {
	count, address := 10_000, filepath.Join(b.TempDir(), "earshot.db")
	if text := os.Getenv("EARSHOT_BENCH_ANSWERS"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	n := harness.StartOn(b, address)
	a := n.Organization(b, "business", 1000)
	text := "prompts: [best shoes]\ntargets: [{provider: chatassistant, country: US, options: {include: {searchQueries: true, shopping: true, ads: true}}}]\nsamples: 1\nbrands:\n"
	for i := range 50 {
		text += fmt.Sprintf("  - {name: Brand%02d}\n", i)
	}
	put := func(text string) {
		n.SendWith(b, a, http.MethodPut, "/v1/trackers/shoes", text, map[string]string{"Content-Type": yaml}).Has(b, "apply", http.StatusOK)
	}
	put(text)
	tracker, err := tracking.New(n.Store).Tracker(b.Context(), a.Organization.ID, "shoes")
	if err != nil {
		b.Fatal(err)
	}
	keepAnswers(b, n.Store, tracker, count)
	n.Get(b, a, "/v1/trackers/shoes/metrics").Has(b, "numbers", http.StatusOK) // has the sweeps counted
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for sums := 0; sums < count/1000; {
		<-look.C
		found, err := analysing.New(n.Store).CountedSweeps(b.Context(), &analysing.Rules{Organization: tracker.Organization, Tracker: tracker.ID, Version: 1})
		if err != nil {
			b.Fatal(err)
		}
		sums = len(found)
	}
	for run := 2; b.Loop(); run++ {
		before, began := processorTime(b), time.Now()
		put(strings.Replace(text, "Brand07", fmt.Sprintf("Brand07, aliases: [Shoe Lab %d]", run), 1))
		most := uint64(0)
		for done := false; !done; {
			<-look.C // seldom: looking takes processor time, too
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapInuse)
			rules, err := analysing.New(n.Store).Rules(b.Context(), tracker.Organization, tracker.ID)
			if err != nil {
				b.Fatal(err)
			}
			newest := slices.MaxFunc(rules, func(a, b *analysing.Rules) int { return a.Version - b.Version })
			done = newest.Version == run && newest.State == analysing.RulesCurrent
		}
		b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(count), "cpu-µs/answer")
		b.ReportMetric(float64(time.Since(began).Microseconds())/float64(count), "µs/answer")
		b.ReportMetric(float64(most)/(1<<20), "heap-MiB")
	}
}

// keepAnswers stores answers of closed sweeps, a thousand in each, as if they had been asked.
func keepAnswers(b *testing.B, s *store.Store, tracker *tracking.Tracker, count int) {
	b.Helper()
	const each = 1000
	now := s.Now()
	for first := 0; first < count; first += each {
		at := now.Add(-time.Duration((count-first)/each+1) * time.Hour) // old answers would be deleted
		sweep := &tracking.Sweep{
			Organization: tracker.Organization, Tracker: tracker.ID, ID: uuid.Must(uuid.NewV7()).String(), Slot: fmt.Sprint(first), State: earshot.SweepClosed,
			Version: 1, Month: at.Format("2006-01"), DueAt: at, StartedAt: at, EndsAt: at.Add(time.Hour), ClosedAt: at.Add(time.Hour),
			Planned: each, Submitted: each, Answered: each,
		}
		var answers []*tracking.Answer
		for i := range each {
			a := &tracking.Answer{
				Organization: tracker.Organization, Tracker: tracker.ID, ID: idAt(at), Sweep: sweep.ID, Prompt: 1, Target: 1, Sample: i + 1,
				Outcome: earshot.OutcomeAnswered, Surface: "lab", AskedAt: at, FinishedAt: at.Add(time.Second), Attempts: 1, Result: longResult(b, first+i),
			}
			a.Analyses = []*analysing.Analysis{a.Analysis(1, (&analysis.Analysis{}).Encode())} // what rules before found does not matter
			answers = append(answers, a)
		}
		if err := tracking.New(s).InsertHistory(tracker, []*tracking.Sweep{sweep}, answers); err != nil {
			b.Fatal(err)
		}
	}
}

// longResult is an answer of 4 KB with lists, emphasis, links and ten sources, and with
// searches, citation pills, products and ads.
func longResult(b *testing.B, number int) []byte {
	b.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "# Best shoes, answer %d\n\n", number)
	for i := 1; text.Len() < 3900; i++ {
		fmt.Fprintf(&text, "%d. **Brand%02d Aero** – cushioned and light, about *$120*; it lasts longer than most others in our tests. "+
			"Runners’ knees like it, and so does the [Shoe Lab](https://shoelab.example/shoe-%d) [%d].\n   - Pros: stable heel, wide toe box\n", i, (number+i*3)%70, i, i)
	}
	result := map[string]any{"surface": "lab", "text": "x", "markdown": text.String(), "searchQueries": []string{"best shoes 2026", "shoe test", fmt.Sprintf("Brand%02d review", number%70)}}
	var sources, pills, products, ads []map[string]any
	for i := range 10 {
		sources = append(sources, map[string]any{"position": i + 1, "url": fmt.Sprintf("https://site%d.example/%d", i, number%100), "label": "All shoes compared"})
	}
	for i := range 5 {
		pills = append(pills, map[string]any{"citationPillId": fmt.Sprint("pill-", i), "position": i + 1, "url": sources[i]["url"], "label": "Site"})
		price := map[string]any{"raw": fmt.Sprintf("$%d.99", 90+i), "value": 90.99 + float64(i), "currency": "USD"}
		var offers []map[string]any
		for _, shop := range []string{"cartwell", "parcellane"} {
			offers = append(offers, map[string]any{"merchant": shop, "url": "https://www." + shop + ".example/p/1", "price": price, "available": true})
		}
		products = append(products, map[string]any{
			"position": i + 1, "title": fmt.Sprintf("Brand%02d Aero", (number+i*3)%70), "id": fmt.Sprintf("prd-%d", (number+i*3)%70), "url": "https://www.cartwell.example/p/1",
			"merchant": "Cartwell", "price": price, "offers": offers,
		})
	}
	for i := range 2 {
		name := fmt.Sprintf("Brand%02d", (number+i*5)%70)
		ads = append(ads, map[string]any{"position": i + 1, "block": "answer", "type": "text", "title": name + " official shop", "brand": name, "url": "https://shop.example/" + name})
	}
	result["sources"], result["citationPills"], result["ads"], result["shoppingCards"] = sources, pills, ads, []map[string]any{{"title": "Popular", "products": products}}
	encoded, err := json.Marshal(result)
	if err != nil {
		b.Fatal(err)
	}
	return encoded
}
