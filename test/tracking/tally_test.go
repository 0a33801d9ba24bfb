package tracking

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/analysing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/test/harness"
)

// What is kept of sweeps gives the digits that their answers give.
func TestTalliesGiveTheNumbersOfTheAnswers(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		applied(t, n, a, "", panel)
		for _, key := range []string{"one", "two", "three", "four", "five"} {
			ended(t, other, a, run(t, n, a, key).Sweep.ID)
		}
		tracker, err := tracking.New(n.Store).Tracker(t.Context(), a.Organization.ID, "shoes")
		if err != nil {
			t.Fatal(err)
		}
		rules := &analysing.Rules{Organization: tracker.Organization, Tracker: tracker.ID, Version: 1}
		harness.Eventually(t, "the sweeps are added up", func() bool {
			kept, err := analysing.New(n.Store).Tallies(t.Context(), rules)
			if err != nil {
				t.Fatal(err)
			}
			return len(kept) == 5
		})
		storetest.Audited(t, n.Store)
		remade(t, n, a, rules)
		repaired(t, n, other, a, rules)
		// By other weights the sums are others, and the cells the same.
		changed := applied(t, n, a, "", strings.Replace(panel, "weight: 2", "weight: 0.7", 1))
		if !changed.Precision.Measured {
			t.Errorf("after 5 sweeps the precision does not follow from these: %+v", changed.Precision)
		}
		queries := []string{
			"metrics", "metrics?by=brand&poolSurfaces=true", "metrics?by=prompt", "metrics?by=tag,sweep", "metrics?filter=tag:trail&branded=true", "metrics?metric=stability", "compare",
			"sources", "sources?by=url&limit=3", "sources?by=type&poolSurfaces=true", "sources?filter=tag:trail&branded=true",
		}
		read := func(n *harness.Node) (all []string) {
			for _, query := range queries {
				all = append(all, string(n.Get(t, a, "/v1/trackers/shoes/"+query).Has(t, query, http.StatusOK).Body))
			}
			return all
		}
		fromTallies := read(n)
		if stability := fromTallies[5]; !strings.Contains(stability, `"metric":"stability.brands@m1"`) || !strings.Contains(stability, `"weighted":`) {
			t.Errorf("the stability is %s", stability)
		}
		spoil(t, n, rules)
		for i, fromAnswers := range read(other) { // which has none of these in memory
			if fromAnswers != fromTallies[i] {
				t.Errorf("%s: from tallies it is\n%s\nfrom answers\n%s", queries[i], fromTallies[i], fromAnswers)
			}
		}
		sweeps, err := tracking.New(n.Store).ClosedSweeps(t.Context(), tracker)
		if err != nil {
			t.Fatal(err)
		}
		for _, sweep := range sweeps {
			if err := tracking.New(n.Store).Prune(sweep); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := analysing.New(n.Store).Tallies(t.Context(), rules)
		if err != nil || len(kept) != 0 {
			t.Errorf("of sweeps whose answers are gone %d tallies are left, %v", len(kept), err)
		}
		if report := metricsOf(t, n, a, ""); report.Sweeps != 0 || len(report.Rows) != 0 {
			t.Errorf("sweeps whose answers are gone count: %+v", report)
		}
		storetest.Audited(t, n.Store)
	})
}

// spoil has all tallies in a format that is no longer read.
func spoil(t *testing.T, n *harness.Node, rules *analysing.Rules) {
	t.Helper()
	kept, err := analysing.New(n.Store).Tallies(t.Context(), rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, tally := range kept {
		tally.Sums, tally.Cells = []byte{1, 0}, []byte{1, 0}
		if err := analysing.New(n.Store).SaveTally(tally); err != nil {
			t.Fatal(err)
		}
	}
}

// remade wants tallies in a format that is no longer read to be made anew.
func remade(t *testing.T, n *harness.Node, a *app.Account, rules *analysing.Rules) {
	t.Helper()
	spoil(t, n, rules)
	// Numbers of one period may be in memory, counted for alerts before the tallies were spoiled.
	n.Get(t, a, "/v1/trackers/shoes/compare").Has(t, "numbers", http.StatusOK)
	harness.Eventually(t, "the tallies are made anew", func() bool {
		kept, err := analysing.New(n.Store).Tallies(t.Context(), rules)
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(kept, func(tally *analysing.Tally) bool { return tally.Sums[0] == 1 })
	})
}

// repaired wants tallies that cannot be true to be counted again, with the numbers of before: one
// with another number of answers, one with damaged sums and one with damaged cells.
func repaired(t *testing.T, n, other *harness.Node, a *app.Account, rules *analysing.Rules) {
	t.Helper()
	sweeps, err := tracking.New(n.Store).ClosedSweeps(t.Context(), &tracking.Tracker{Organization: rules.Organization, ID: rules.Tracker})
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "no background work is left", func() bool {
		return strings.Contains(string(n.Get(t, a, "/v1/trackers/shoes/work").Body), `"work":[]`)
	})
	read := func(n *harness.Node, metrics string) string {
		var report earshot.MetricReport
		query := "metrics?by=prompt&metric=" + metrics + "&from=" + sweeps[1].DueAt.UTC().Format("2006-01-02T15:04:05.000Z")
		n.Get(t, a, "/v1/trackers/shoes/"+query).Has(t, "numbers", http.StatusOK).Into(t, &report)
		text, err := json.Marshal(slices.DeleteFunc(report.Rows, func(r earshot.MetricRow) bool { return r.Metric != "visibility@m1" }))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := read(n, "visibility,stability.domains") // counted from the answers
	kept := func() []*analysing.Tally {
		all, err := analysing.New(n.Store).Tallies(t.Context(), rules)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	damage := func(set, sweep string) {
		if _, err := n.Store.ShardOf(rules.Organization).Run(`UPDATE tallies SET `+set+` WHERE organization = $1 AND tracker = $2 AND sweep = $3`, rules.Organization, rules.Tracker, sweep); err != nil {
			t.Fatal(err)
		}
	}
	whole := kept()
	damage(`answers = answers + 1`, sweeps[1].ID)
	damage(`sums = substr(sums, 1, 9)`, sweeps[2].ID)
	damage(`cells = domains`, sweeps[3].ID)
	if after := read(other, "visibility"); after != before {
		t.Errorf("with damaged tallies the numbers are\n%s\nwant\n%s", after, before)
	}
	harness.Eventually(t, "the damaged tallies are counted again", func() bool {
		found := map[string]*analysing.Tally{}
		for _, tally := range kept() {
			found[tally.Sweep] = tally
		}
		return !slices.ContainsFunc(whole, func(tally *analysing.Tally) bool {
			again := found[tally.Sweep]
			return again == nil || again.Answers != tally.Answers || string(again.Sums) != string(tally.Sums)
		})
	})
	if after := read(n, "visibility"); after != before {
		t.Errorf("after the repair the numbers are\n%s\nwant\n%s", after, before)
	}
}
