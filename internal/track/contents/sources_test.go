package contents_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
)

func TestSources(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		const (
			own, kept, lost, gained = "https://ollaro.example/a", "https://news.example/kept", "https://old.example/lost", "https://blog.example/new"
			text                    = "A first sentence. Kestrin is light [news](https://news.example/kept). Buy it."
		)
		w := newWorld(t, address)
		both := pages(own, kept)
		naming := analysis.Analysis{
			Citations: both, Contents: metric.Contents{Sources: both, Cited: both[1:]},
			Mentions: []analysis.Mention{{Brand: 1, Kind: mention.Name, Where: analysis.InMarkdown, Start: 18, End: 25, Position: 1, Domains: []string{"news.example"}, Citations: []int{1}}},
		}
		w.add(1, running, us, "x", analysis.Analysis{Citations: pages(kept, lost), Contents: metric.Contents{Sources: pages(kept, lost), Cited: pages()}})
		w.add(2, running, us, "x", naming)
		newest := w.add(2, trail, de, text, naming)
		w.add(2, trail, us, "x", analysis.Analysis{Citations: pages(gained), Contents: metric.Contents{Unreported: metric.Unreported{metric.FieldSources: metric.NotRequested}}})
		w.add(3, good, us, "x", naming) // names a brand, so that it does not count
		w.save()
		query := &earshot.SourceQuery{MetricFilter: earshot.MetricFilter{From: "2026-11-02", To: "2026-11-02"}, Limit: 100, Since: true}
		found, err := w.Sources(t.Context(), w.organization, trackerName, query)
		if err != nil {
			t.Fatal(err)
		}
		type details struct {
			Domain           string
			Retrieved, Cited int
			FirstSeen        earshot.Timestamp
			LastSeen         earshot.Timestamp
			Example          *earshot.CitedExample
			Since            earshot.SourceChange
			Backs            []earshot.BackedBrand
		}
		var rows []details
		for _, row := range found.Rows {
			if row.Retrieved.Of != 2 || row.Retrieved.NotRequested != 1 || row.Cited.Of != 3 || *row.Cited.Share != float64(row.Cited.Answers)/3 || row.Target != "*" {
				t.Errorf("%s: retrieved %+v, cited %+v", row.Domain, row.Retrieved, row.Cited)
			}
			rows = append(rows, details{row.Domain, row.Retrieved.Answers, row.Cited.Answers, *row.FirstSeen, *row.LastSeen, row.Example, *row.Since, row.Backs})
		}
		want := []details{
			{
				"news.example", 2, 2, stamp(2, 1), stamp(2, 2), &earshot.CitedExample{Answer: newest, Sentence: "Kestrin is light [news](https://news.example/kept)."},
				earshot.SourceChange{State: "kept", Before: 1, After: 2},
				[]earshot.BackedBrand{{Brand: "Kestrin", Mentions: 2}},
			},
			{"ollaro.example", 2, 0, stamp(2, 1), stamp(2, 2), nil, earshot.SourceChange{State: "gained", After: 2}, nil},
			{"blog.example", 0, 1, stamp(2, 3), stamp(2, 3), &earshot.CitedExample{Answer: w.answers[3].ID}, earshot.SourceChange{State: "gained", After: 1}, nil},
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		matrix := &earshot.SourceMatrix{Brands: []string{"Ollaro", "Kestrin", "HP"}, Rows: []earshot.SourceMatrixRow{
			{Source: "news.example", Mentions: []int{0, 2, 0}}, {Source: "ollaro.example", Mentions: []int{0, 0, 0}}, {Source: "blog.example", Mentions: []int{0, 0, 0}},
		}}
		if diff := cmp.Diff(matrix, found.Matrix); diff != "" {
			t.Errorf("matrix: -want +got\n%s", diff)
		}
		if diff := cmp.Diff(earshot.List[earshot.LostSource]{{Domain: "old.example", Type: "other", Target: "*", Before: 1}}, found.Lost); diff != "" {
			t.Errorf("lost: -want +got\n%s", diff)
		}
		if diff := cmp.Diff(&earshot.Period{From: "2026-11-01", To: "2026-11-01", Sweeps: 1}, found.Baseline); diff != "" {
			t.Errorf("baseline: -want +got\n%s", diff)
		}
		checkSourceQueries(w)
		for _, test := range []struct {
			filter earshot.AnswerFilter
			count  int
		}{
			{earshot.AnswerFilter{Source: "news.example"}, 4},
			{earshot.AnswerFilter{Source: own}, 3},
			{earshot.AnswerFilter{Source: "news.example", Brand: "Kestrin"}, 3},
			{earshot.AnswerFilter{Source: kept, Brand: "Kestrin"}, 3},
			{earshot.AnswerFilter{Source: "ollaro.example", Brand: "Kestrin"}, 0},
			{earshot.AnswerFilter{Source: "news.example", Brand: "Ollaro"}, 0},
			{earshot.AnswerFilter{Source: "news.example", Brand: "Kestrin", Counted: true}, 2},
		} {
			page, err := w.Answers(t.Context(), w.organization, trackerName, &test.filter, time.Time{}, time.Time{}, "", 100)
			if err != nil || len(page.Answers) != test.count {
				t.Errorf("%+v: %+v, %v, want %d answers", test.filter, page, err, test.count)
			}
		}
	})
}

// checkSourceQueries checks the parameters that select rows.
func checkSourceQueries(w *world) {
	w.Helper()
	for _, test := range []struct {
		name  string
		query earshot.SourceQuery
		rows  []string
	}{
		{"the sources that back a brand", earshot.SourceQuery{Limit: 9, Brand: "Kestrin"}, []string{"news.example"}},
		{"the sources of a brand", earshot.SourceQuery{Limit: 9, Brand: "Ollaro"}, []string{"ollaro.example"}},
		{"the sources of a brand, cut", earshot.SourceQuery{Limit: 1, Brand: "Kestrin", By: "url"}, []string{"https://news.example/kept"}},
		{"types", earshot.SourceQuery{Limit: 9, By: "type"}, []string{"other"}},
		{"no sweep", earshot.SourceQuery{Limit: 9, MetricFilter: earshot.MetricFilter{From: "2026-11-09"}}, nil},
	} {
		found, err := w.Sources(w.Context(), w.organization, trackerName, &test.query)
		if err != nil {
			w.Fatal(err)
		}
		var rows []string
		for _, row := range found.Rows {
			rows = append(rows, map[string]string{"url": row.URL, "type": row.Type, "": row.Domain}[test.query.By])
		}
		if diff := cmp.Diff(test.rows, rows); diff != "" {
			w.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
	first := earshot.SourceQuery{Limit: 9, Since: true, MetricFilter: earshot.MetricFilter{From: "2026-11-01"}}
	if found, err := w.Sources(w.Context(), w.organization, trackerName, &first); err != nil || found.Baseline.Sweeps != 0 || found.Rows[0].Since != nil {
		w.Errorf("without a sweep before, the sources are %+v, %v", found, err)
	}
	_, err := w.Sources(w.Context(), w.organization, trackerName, &earshot.SourceQuery{Limit: 9, Since: true})
	w.refuses(err, "since")
	_, err = w.Sources(w.Context(), w.organization, trackerName, &earshot.SourceQuery{Limit: 9, Brand: "Nobody"})
	w.refuses(err, "brand")
}

// The sources of many answers have the numbers that package metric computes from the single
// answers.
func TestSourcesAgreeWithSingleAnswers(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address)
		chance := rand.New(rand.NewPCG(1, 2))
		def := metric.Definition{
			Name: trackerName, Samples: 100, Brands: []metric.PanelBrand{{Name: "Ollaro", Own: true, Domains: []string{"ollaro.example"}}, {Name: "Kestrin"}, {Name: "HP"}},
			Prompts: []metric.Prompt{{Text: "best running shoes", Weight: 1}, {Text: "trail shoes", Weight: 1}, {Text: "is Ollaro good?", Weight: 1, Branded: true}},
			Targets: []metric.Target{{Key: "us", Surface: "web"}, {Key: "de", Surface: "web"}},
		}
		var asked []metric.Observation
		for day := 1; day <= 6; day++ {
			for range 40 {
				prompt, target, found := 1+chance.IntN(3), 1+chance.IntN(2), analysis.Analysis{}
				for range chance.IntN(5) {
					found.Citations = append(found.Citations, pages(fmt.Sprintf("https://s%d.example/%d", chance.IntN(7), chance.IntN(3)))...)
				}
				if len(found.Citations) > 0 {
					found.Mentions = []analysis.Mention{{Brand: 1, Kind: mention.Name, Where: analysis.InMarkdown, Position: 1, Domains: []string{found.Citations[0].Domain}, Citations: []int{0}}}
				}
				id := w.add(day, prompt, target, "x", found)
				a := found.Answer(&analysis.Panel{Brands: def.Brands})
				a.ID, a.Sweep, a.Prompt, a.Target, a.Sample, a.Outcome = id, w.sweeps[day].ID, prompt-1, def.Targets[target-1].Key, w.sweeps[day].Answered, metric.Answered
				asked = append(asked, a)
			}
			def.Sweeps = append(def.Sweeps, metric.AskedSweep{ID: w.sweeps[day].ID, Slot: w.sweeps[day].Slot})
		}
		w.save()
		singles, err := metric.NewDataset(def)
		if err != nil {
			t.Fatal(err)
		}
		singles.CountSources(metric.AllSources)
		for _, a := range asked {
			if err := singles.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		for _, by := range []string{"domain", "url", "type"} {
			want, err := singles.Rows(metric.Query{Metrics: []string{"citationShare"}, Sources: []string{by}, Top: 5})
			if err != nil {
				t.Fatal(err)
			}
			want = want[len(def.Brands):] // the rows of brands come first
			found, err := w.Sources(t.Context(), w.organization, trackerName, &earshot.SourceQuery{By: by, Limit: 5})
			if err != nil || len(found.Rows) != len(want) {
				t.Fatalf("by %s: %d rows, want %d, %v", by, len(found.Rows), len(want), err)
			}
			for i, got := range found.Rows {
				one := want[i]
				if name := map[string]string{"domain": got.Domain, "url": got.URL, "type": got.Type}[by]; name != one.Domain+one.URL+one.Type ||
					*got.Share != *one.Value.Number || got.Citations != int(one.Numerator) || got.AllCitations != int(one.Denominator) || got.Answers != one.Answers {
					t.Errorf("by %s: row %d is %+v, want %+v", by, i, got, one)
				}
				if diff := cmp.Diff([][]float64{one.Interval.Rerun[:], one.Interval.Market[:]}, [][]float64{got.Interval.Rerun, got.Interval.Market}); diff != "" {
					t.Errorf("by %s: the intervals of row %d: -want +got\n%s", by, i, diff)
				}
			}
		}
	})
}
