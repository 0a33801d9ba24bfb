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
func TestStoredCountsGiveTheNumbersOfTheAnswers(t *testing.T) {
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
		harness.Eventually(t, "the sweeps are counted", func() bool { return len(countedBy(t, n, rules)) == 5 })
		storetest.Audited(t, n.Store)
		repaired(t, n, other, a, rules)
		// Weights apply when counts are read.
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
		fromCounts := read(n)
		if stability := fromCounts[5]; !strings.Contains(stability, `"metric":"stability.brands@m1"`) || !strings.Contains(stability, `"weighted":`) {
			t.Errorf("the stability is %s", stability)
		}
		for _, c := range countedBy(t, n, rules) {
			c.Organization, c.Tracker = rules.Organization, rules.Tracker
			if err := analysing.New(n.Store).DropCounted(c); err != nil {
				t.Fatal(err)
			}
		}
		for i, fromAnswers := range read(other) { // which has none of these in memory
			if fromAnswers != fromCounts[i] {
				t.Errorf("%s: from stored counts it is\n%s\nfrom answers\n%s", queries[i], fromCounts[i], fromAnswers)
			}
		}
		storetest.Audited(t, n.Store)
	})
}

func countedBy(t *testing.T, n *harness.Node, rules *analysing.Rules) []*analysing.Counted {
	t.Helper()
	all, err := analysing.New(n.Store).CountedSweeps(t.Context(), rules)
	if err != nil {
		t.Fatal(err)
	}
	return all
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
	damage := func(table, set, sweep string) {
		if _, err := n.Store.ShardOf(rules.Organization).Run(`UPDATE `+table+` SET `+set+` WHERE organization = $1 AND tracker = $2 AND sweep = $3`, rules.Organization, rules.Tracker, sweep); err != nil {
			t.Fatal(err)
		}
	}
	damage("counted", `answers = answers + 1`, sweeps[1].ID)
	damage("cells", `content = substr(content, 1, 9)`, sweeps[2].ID)
	damage("cells", `answers = answers + 1`, sweeps[3].ID)
	if after := read(other, "visibility"); after != before {
		t.Errorf("with damaged counts the numbers are\n%s\nwant\n%s", after, before)
	}
	harness.Eventually(t, "the damaged sweeps are counted again", func() bool { return len(countedBy(t, n, rules)) == len(sweeps) })
	storetest.Audited(t, n.Store)
	if after := read(n, "visibility"); after != before {
		t.Errorf("after the repair the numbers are\n%s\nwant\n%s", after, before)
	}
}
