package tracking

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/test/harness"
)

const (
	yearPrompts = 1000
	yearSweeps  = 365
	// madeSweeps are made of answers; the counts of the others are copies of theirs.
	madeSweeps = 8
)

// yearTargets are eight.
var yearTargets = []string{"US", "DE", "FR", "GB", "JP", "IT", "ES", "NL"}

// BenchmarkOverview reads the numbers of a year of 1,000 prompts on 8 targets: 2.9 million
// answers that name 4 of 5 brands. Every time it is another range of days, so that nothing
// comes from memory.
func BenchmarkOverview(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { overview(b, filepath.Join(b.TempDir(), "earshot.db")) })
	b.Run("postgres", func(b *testing.B) { overview(b, storetest.Postgres(b)) })
}

func overview(b *testing.B, address string) {
	n, a := yearOf(b, address)
	end := n.Store.Now().AddDate(0, 0, -1)
	for _, query := range []string{"metrics", "metrics?metric=visibility,shareOfVoice", "compare?", "metrics?metric=visibility&by=day", "metrics?metric=visibility&by=month"} {
		b.Run(query, func(b *testing.B) {
			before := processorTime(b)
			for i := 0; b.Loop(); i++ {
				from := end.AddDate(0, 0, i%200-yearSweeps+1).Format(time.DateOnly)
				path := "/v1/trackers/shoes/" + query + "&from=" + from
				if query == "metrics" {
					path = "/v1/trackers/shoes/metrics?from=" + from
				}
				if query == "compare?" {
					path = "/v1/trackers/shoes/compare?to=" + end.AddDate(0, 0, -i%200).Format(time.DateOnly)
				}
				n.Get(b, a, path).Has(b, query, http.StatusOK)
			}
			b.ReportMetric(float64((processorTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorTime is what the process has used, which does not depend on what else runs.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// yearOf makes the tracker.
func yearOf(b *testing.B, address string) (*harness.Node, *app.Account) {
	b.Helper()
	n := harness.StartOn(b, address)
	a := n.Organization(b, "business", 1000)
	text := "brands: [{name: A1, own: true, domains: [a1.example]}, {name: B2}, {name: C3}, {name: D4}, {name: E5}]\nprompts:\n"
	for i := range yearPrompts {
		text += fmt.Sprintf("  - question number %d\n", i)
	}
	text += "targets:\n"
	for _, country := range yearTargets {
		text += "  - {provider: chatassistant, country: " + country + "}\n"
	}
	n.SendWith(b, a, http.MethodPut, "/v1/trackers/shoes", text, map[string]string{"Content-Type": yaml}).Has(b, "apply", http.StatusOK)
	tracker, err := tracking.New(n.Store).Tracker(b.Context(), a.Organization.ID, "shoes")
	if err != nil {
		b.Fatal(err)
	}
	if err := n.Stop(); err != nil {
		b.Fatal(err)
	}
	rules := fillYear(b, n.Store, tracker)
	n = harness.StartOn(b, address)
	made := sweepsCounted(b, n, rules, madeSweeps)
	var cells []*analysing.Cells
	for family := range 3 {
		err := analysing.New(n.Store).EachCells(b.Context(), rules, family, uuid.Nil.String(), uuid.Max.String(), func(c *analysing.Cells) error {
			kept := *c
			kept.Content = bytes.Clone(c.Content)
			cells = append(cells, &kept)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, one := range made {
		one.Organization, one.Tracker = rules.Organization, rules.Tracker
		for urls, into := range map[bool]*[]byte{false: &one.Domains, true: &one.URLs} {
			if *into, err = analysing.New(n.Store).Sources(b.Context(), one, urls); err != nil {
				b.Fatal(err)
			}
		}
	}
	now := n.Store.Now()
	for day := madeSweeps; day < yearSweeps; day++ {
		copied := *made[day%madeSweeps]
		copied.Sweep = closedSweep(b, n.Store, tracker, now, day)
		var ofSweep []*analysing.Cells
		for _, c := range cells {
			if c.Sweep == made[day%madeSweeps].Sweep {
				again := *c
				again.Sweep = copied.Sweep
				ofSweep = append(ofSweep, &again)
			}
		}
		if err := analysing.New(n.Store).SaveCounted(&copied, ofSweep); err != nil {
			b.Fatal(err)
		}
	}
	return n, a
}

// sweepsCounted waits until sweeps are counted.
func sweepsCounted(b *testing.B, n *harness.Node, rules *analysing.Rules, count int) (found []*analysing.Counted) {
	b.Helper()
	harness.Eventually(b, "the sweeps are counted", func() bool {
		var err error
		if found, err = analysing.New(n.Store).CountedSweeps(b.Context(), rules); err != nil {
			b.Fatal(err)
		}
		return len(found) >= count
	})
	return found
}

// closedSweep adds a sweep of a day of the year.
func closedSweep(b *testing.B, s *store.Store, tracker *tracking.Tracker, now time.Time, day int) string {
	b.Helper()
	at := now.AddDate(0, 0, day-yearSweeps)
	cells := yearPrompts * len(yearTargets)
	sweep := tracking.Sweep{
		ID: uuid.Must(uuid.NewV7()).String(), Slot: fmt.Sprint(day), State: earshot.SweepClosed, Version: 1, Month: at.Format("2006-01"), DueAt: at,
		StartedAt: now, EndsAt: now, ClosedAt: now.Add(time.Hour), Planned: cells, Submitted: cells, Answered: cells,
	}
	if _, err := tracking.New(s).StartSweep(tracker, sweep, nil, nil, tracker.NextSlot, tracker.DueAt, nil, account.Operator(), now); err != nil {
		b.Fatal(err)
	}
	return sweep.ID
}

// fillYear makes up the analyses of the first sweeps.
func fillYear(b *testing.B, s *store.Store, tracker *tracking.Tracker) *analysing.Rules {
	b.Helper()
	now := s.Now()
	rules := &analysing.Rules{Brands: []byte(`[{"name":"A1","own":true,"domains":["a1.example"]},{"name":"B2"},{"name":"C3"},{"name":"D4"},{"name":"E5"}]`), Code: analysis.Version}
	if err := tracking.New(s).AddRules(tracker, rules, 1, account.Operator(), now); err != nil {
		b.Fatal(err)
	}
	for day := range madeSweeps {
		id := closedSweep(b, s, tracker, now, day)
		var found []*analysing.Analysis
		for cell := range yearPrompts * len(yearTargets) {
			found = append(found, &analysing.Analysis{
				Organization: tracker.Organization, Tracker: tracker.ID, Answer: uuid.Must(uuid.NewV7()).String(), Rules: rules.Version, Sweep: id,
				Prompt: cell%yearPrompts + 1, Target: cell/yearPrompts + 1, Sample: 1, Outcome: earshot.OutcomeAnswered, Surface: "lab", Content: madeUp(day*7, cell),
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
