package contents_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/metric"
)

func TestSearches(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address)
		rival, own := "https://shop.kestrin.example/a", "https://ollaro.example/b"
		w.add(1, running, us, "x", contents(metric.Contents{
			Searches: []string{"Best  running shoes 2026", "best running shoes 2026", " HP shoes", " "}, Sources: pages(rival), Cited: pages(rival),
		}))
		w.add(1, running, de, "x", contents(metric.Contents{Searches: []string{"best running shoes 2026"}, Sources: pages(rival), Cited: pages(own)}))
		w.add(2, trail, us, "x", contents(metric.Contents{
			Searches: []string{"best running\tshoes 2026"}, Unreported: metric.Unreported{metric.FieldSources: metric.NotOffered}, Cited: pages(rival),
		}))
		w.add(2, trail, us, "x", contents(metric.Contents{Searches: []string{"x"}, Unreported: metric.Unreported{metric.FieldSearches: metric.NotRequested}}))
		w.add(2, trail, us, "x", contents(metric.Contents{}))
		w.add(2, trail, us, "x", contents(metric.Contents{Searches: []string{}}))
		branded := w.add(3, good, us, "x", contents(metric.Contents{Searches: []string{"Ollaro reviews"}, Sources: pages(own), Cited: pages()}))
		w.save()
		found, err := w.Searches(t.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		brands := func(sources, ollaro, ollaroCited, kestrin, kestrinCited int) []earshot.SearchBrand {
			share := func(n int) *float64 {
				if sources == 0 {
					return nil
				}
				return new(float64(n) / float64(sources))
			}
			return []earshot.SearchBrand{
				{Brand: "Ollaro", Own: true, Retrieved: ollaro, Cited: ollaroCited, Share: share(ollaro)},
				{Brand: "Kestrin", Retrieved: kestrin, Cited: kestrinCited, Share: share(kestrin)},
				{Brand: "HP", Share: share(0)},
			}
		}
		want := &earshot.SearchReport{
			ContentHead: earshot.ContentHead{Tracker: trackerName, Rules: "r1", Sweeps: 3, SweepsInPeriod: 3, Answers: 4, NotRequested: 1, NotOffered: 1, Total: 2},
			Rows: []earshot.SearchRow{
				{
					Search: "best running shoes 2026",
					Seen: earshot.Seen{
						Answers: 3, Prompts: 2, Targets: []string{"chatassistant/DE", "chatassistant/US"}, FirstSeen: stamp(1, 1), LastSeen: stamp(2, 1), Newest: w.answers[2].ID,
					},
					Prompt: "best running shoes", PromptID: running, Added: []string{"2026"}, Missed: 1, WithSources: 2, Brands: brands(2, 1, 1, 2, 1),
				},
				{
					Search: "HP shoes",
					Seen:   earshot.Seen{Answers: 1, Prompts: 1, Targets: []string{"chatassistant/US"}, FirstSeen: stamp(1, 1), LastSeen: stamp(1, 1), Newest: w.answers[0].ID},
					Prompt: "best running shoes", PromptID: running, Added: []string{"HP"}, Dropped: []string{"best", "running"}, Names: []string{"HP"},
					Missed: 1, WithSources: 1, Brands: brands(1, 0, 0, 1, 1),
				},
			},
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		checkSearchQueries(w, branded)
	})
}

// checkSearchQueries checks the parameters that select rows.
func checkSearchQueries(w *world, branded string) {
	w.Helper()
	for _, test := range []struct {
		name  string
		query earshot.ContentQuery
		rows  []string
		total int
		more  bool
	}{
		{"a page", earshot.ContentQuery{Limit: 1}, []string{"best running shoes 2026"}, 2, true},
		{"the next page", earshot.ContentQuery{Limit: 1, Offset: 1}, []string{"HP shoes"}, 2, false},
		{"a named brand", earshot.ContentQuery{Limit: 9, Brand: "HP"}, []string{"HP shoes"}, 1, false},
		{"a retrieved brand", earshot.ContentQuery{Limit: 9, Brand: "Ollaro"}, []string{"best running shoes 2026"}, 1, false},
		{"a text", earshot.ContentQuery{Limit: 9, Text: "RUNNING  shoes"}, []string{"best running shoes 2026"}, 1, false},
		{"a prompt", earshot.ContentQuery{Limit: 9, Filter: "prompt:2"}, []string{"best running shoes 2026"}, 1, false},
		{"a target", earshot.ContentQuery{Limit: 9, Filter: "target:chatassistant/DE"}, []string{"best running shoes 2026"}, 1, false},
		{"a day", earshot.ContentQuery{Limit: 9, From: "2026-11-02"}, []string{"best running shoes 2026"}, 1, false},
		{"branded prompts", earshot.ContentQuery{Limit: 9, From: "2026-11-03", Branded: true}, []string{"Ollaro reviews"}, 1, false},
		{"no sweep", earshot.ContentQuery{Limit: 9, From: "2026-11-04"}, nil, 0, false},
	} {
		found, err := w.Searches(w.Context(), w.organization, trackerName, &test.query)
		if err != nil {
			w.Fatal(err)
		}
		var rows []string
		for _, row := range found.Rows {
			rows = append(rows, row.Search)
			if test.query.Branded && row.Newest != branded {
				w.Errorf("%s: the newest answer is %s", test.name, row.Newest)
			}
		}
		if diff := cmp.Diff(test.rows, rows); diff != "" || found.Total != test.total || found.More != test.more {
			w.Errorf("%s: total %d, more %t, -want +got\n%s", test.name, found.Total, found.More, diff)
		}
	}
	_, err := w.Searches(w.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 9, Brand: "Nobody"})
	w.refuses(err, "brand")
	_, err = w.Searches(w.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 9, From: "2026-11-02", To: "2026-11-01"})
	w.refuses(err, "to")
}

// The number of answers that a request reads is limited. Of a longer period it reads some sweeps,
// and says how many.
func TestTooManyAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "earshot.db"))
	w.add(1, running, us, "x", contents(metric.Contents{}))
	w.add(5, running, us, "x", contents(metric.Contents{Ads: []metric.Ad{}}))
	w.sweeps[1].Answered = aggregate.MaxCounted + 1
	w.save()
	found, err := w.Ads(t.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 1})
	if err != nil || found.Sweeps != 1 || found.SweepsInPeriod != 2 || found.Answers != 1 || found.NotOffered != 0 {
		t.Errorf("the sample is %+v, %v", found, err)
	}
	_, err = w.Ads(t.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 1, To: "2026-11-02"})
	w.refuses(err, "from")
}
