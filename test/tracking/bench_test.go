package tracking

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/test/harness"
)

// BenchmarkMetrics reads the numbers of 90 sweeps of 50 prompts on 5 targets: 22,500
// answers that name 4 of 5 brands and cite 8 pages each.
func BenchmarkMetrics(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { ninetyDays(b, filepath.Join(b.TempDir(), "earshot.db")) })
	b.Run("postgres", func(b *testing.B) { ninetyDays(b, storetest.Postgres(b)) })
}

func ninetyDays(b *testing.B, address string) {
	n := harness.StartOn(b, address)
	a := n.Organization(b, "business", 1000)
	text := "brands: [{name: A1, own: true, domains: [a1.example]}, {name: B2}, {name: C3}, {name: D4}, {name: E5}]\nprompts:\n"
	for i := range 50 {
		text += fmt.Sprintf("  - question number %d\n", i)
	}
	text += "targets:\n"
	for _, country := range []string{"US", "DE", "FR", "GB", "JP"} {
		text += "  - {provider: chatassistant, country: " + country + "}\n"
	}
	n.SendWith(b, a, http.MethodPut, "/v1/trackers/shoes", text, map[string]string{"Content-Type": yaml}).Has(b, "apply", http.StatusOK)
	tracker, err := tracking.New(n.Store).Tracker(b.Context(), a.Organization.ID, "shoes")
	if err != nil {
		b.Fatal(err)
	}
	if err := n.Stop(); err != nil { // it would find that nothing is left to analyse
		b.Fatal(err)
	}
	rules := fill(b, n.Store, tracker)
	n = harness.StartOn(b, address)
	sweepsCounted(b, n, rules, filledDays)
	for _, query := range []string{"", "metric=visibility&by=target", "metric=visibility&by=day"} {
		b.Run(query, func(b *testing.B) {
			path := "/v1/trackers/shoes/metrics?" + query + "&from=" + n.Store.Now().AddDate(0, 0, -90).Format(time.RFC3339)
			for b.Loop() {
				n.Get(b, a, path).Has(b, query, http.StatusOK)
			}
		})
	}
	b.Run("compare", func(b *testing.B) {
		for b.Loop() {
			n.Get(b, a, "/v1/trackers/shoes/compare").Has(b, "compare", http.StatusOK)
		}
	})
	// Every time it is another range of days, so that nothing comes from memory.
	b.Run("sources", func(b *testing.B) {
		before, now := processorTime(b), n.Store.Now()
		for i := 0; b.Loop(); i++ {
			from := now.AddDate(0, 0, i%filledMore-filledDays)
			query := fmt.Sprintf("sources?from=%s&to=%s", from.Format(time.RFC3339), from.AddDate(0, 0, 90).Format(time.RFC3339))
			n.Get(b, a, "/v1/trackers/shoes/"+query).Has(b, query, http.StatusOK)
		}
		b.ReportMetric(float64((processorTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
	})
}

// filledDays are how many have a sweep: 90, and more, so that there are several ranges of 90.
const filledDays, filledMore = 100, 10

// fill makes up analyses of closed sweeps.
func fill(b *testing.B, s *store.Store, tracker *tracking.Tracker) *analysing.Rules {
	b.Helper()
	now := s.Now()
	rules := &analysing.Rules{Brands: []byte(`[{"name":"A1","own":true,"domains":["a1.example"]},{"name":"B2"},{"name":"C3"},{"name":"D4"},{"name":"E5"}]`), Code: analysis.Version}
	if err := tracking.New(s).AddRules(tracker, rules, 1, account.Operator(), now); err != nil {
		b.Fatal(err)
	}
	for day := range filledDays {
		at := now.AddDate(0, 0, day-filledDays)
		sweep := tracking.Sweep{
			ID: uuid.Must(uuid.NewV7()).String(), Slot: fmt.Sprint(day), State: earshot.SweepClosed, Version: 1, Month: at.Format("2006-01"), DueAt: at,
			StartedAt: at, EndsAt: at.Add(time.Hour), ClosedAt: at.Add(time.Hour), Planned: 250, Submitted: 250, Answered: 250,
		}
		if _, err := tracking.New(s).StartSweep(tracker, sweep, nil, nil, tracker.NextSlot, tracker.DueAt, nil, account.Operator(), now); err != nil {
			b.Fatal(err)
		}
		var found []*analysing.Analysis
		for cell := range 250 {
			found = append(found, &analysing.Analysis{
				Organization: tracker.Organization, Tracker: tracker.ID, Answer: idAt(at), Rules: rules.Version, Sweep: sweep.ID,
				Prompt: cell%50 + 1, Target: cell/50 + 1, Sample: 1, Outcome: earshot.OutcomeAnswered, Surface: "lab", Content: madeUp(day, cell),
			})
		}
		if err := analysing.New(s).SaveAnalyses(rules, rules.Cursor, found); err != nil {
			b.Fatal(err)
		}
	}
	if err := analysing.New(s).FinishRules(rules, nil, now); err != nil {
		b.Fatal(err)
	}
	return rules
}

// idAt is the id of an answer that was asked at a time.
func idAt(at time.Time) string {
	id := uuid.Must(uuid.NewV7())
	var moment [8]byte
	binary.BigEndian.PutUint64(moment[:], uint64(at.UnixMilli()))
	copy(id[:6], moment[2:])
	return id.String()
}

func madeUp(day, cell int) []byte {
	found := &analysis.Analysis{}
	for i := range 4 {
		found.Mentions = append(found.Mentions, analysis.Mention{
			Brand: (day + cell + i) % 5, Kind: mention.Name, Where: analysis.InMarkdown, Start: 100 * i, End: 100*i + 2, Position: i + 1, Domains: []string{"press.example"},
		})
	}
	for i := range 8 {
		host := fmt.Sprintf("www.site%d.example", (day*cell+i)%200)
		found.Citations = append(found.Citations, metric.Citation{
			URL: fmt.Sprintf("https://%s/articles/of/some/length/%d", host, cell%40), Host: host, Domain: host[4:], Type: "other", Position: i + 1,
		})
	}
	return found.Encode()
}
