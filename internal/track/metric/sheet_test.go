package metric_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/track/metric"
)

// odd returns a random definition and its answers: weights that are not binary fractions,
// one to three samples, prompts that are added and removed, a target that two surfaces
// answered, branded prompts, cells and sweeps without answers, refusals, search pages, and
// answers that report different fields.
func odd(seed uint64) (metric.Definition, []metric.Observation) {
	r := rand.New(rand.NewPCG(seed, 17))
	def := metric.Definition{
		Samples: 1 + r.IntN(3),
		Brands:  []metric.PanelBrand{{Name: "A", Own: true, Domains: []string{"a.example"}}, {Name: "B"}, {Name: "C"}},
		Targets: []metric.Target{{Key: "chat/US@api", Surface: "api"}, {Key: "chat/US@web", Surface: "web"}, {Key: "engine/DE", Surface: "web"}, {Key: "search/DE", Surface: "web"}},
		Periods: &metric.Periods{},
	}
	weights := []float64{1, 1, 2, 0.1, 3.7, 1.0 / 3}
	for i := range 4 + r.IntN(12) {
		def.Prompts = append(def.Prompts, metric.Prompt{Text: fmt.Sprint("prompt ", i), Weight: weights[r.IntN(len(weights))], Branded: r.IntN(6) == 0, Tags: []string{fmt.Sprint("t", i%2)}})
	}
	var answers []metric.Observation
	var asked []int
	for s := range 3 + r.IntN(16) {
		id := fmt.Sprintf("s%02d", s)
		if s == 0 || r.IntN(5) == 0 {
			asked = []int{}
			for p := range def.Prompts {
				if r.IntN(5) > 0 {
					asked = append(asked, p)
				}
			}
		}
		sweep := metric.AskedSweep{ID: id, Slot: fmt.Sprintf("2026-08-%02dT06:00", 1+s), Samples: def.Samples, Prompts: asked, Targets: []string{"chat/US@web", "engine/DE", "search/DE"}}
		def.Sweeps = append(def.Sweeps, sweep)
		if r.IntN(8) == 0 {
			continue // nothing was answered
		}
		for _, p := range asked {
			for _, target := range []string{"chat/US@web", "engine/DE", "search/DE"} {
				for sample := range def.Samples {
					key := target
					if key == "chat/US@web" && r.IntN(4) == 0 {
						key = "chat/US@api"
					}
					if r.IntN(8) > 0 {
						answers = append(answers, oddAnswer(r, answer(r, p, key, id, sample+1, len(answers))))
					}
				}
			}
		}
	}
	for i, s := range def.Sweeps {
		if i < 1+len(def.Sweeps)/3 {
			def.Periods.A = append(def.Periods.A, s.ID)
		} else {
			def.Periods.B = append(def.Periods.B, s.ID)
		}
	}
	return def, answers
}

func oddAnswer(r *rand.Rand, a metric.Observation) metric.Observation {
	for i := range a.Mentions {
		a.Mentions[i].ListRank = r.IntN(4)
		if r.IntN(3) == 0 {
			a.Mentions[i].Domains = []string{"press.example"}
		}
	}
	a.Plain = r.IntN(5) == 0
	if r.IntN(10) == 0 {
		a.Outcome = metric.Refused
	}
	if a.Target == "search/DE" && r.IntN(3) > 0 {
		a.Organic = []metric.Citation{{URL: "https://x.example/", Position: 1}, {URL: "https://a.example/", Host: "a.example", Position: 2 + r.IntN(200)}}
	}
	if a.Target == "engine/DE" && r.IntN(2) > 0 {
		a.Attached = []metric.Citation{{URL: "https://a.example/", Host: "a.example"}}[:r.IntN(2)]
	}
	addContents(r, &a)
	return a
}

// addContents adds searches, pages, products, ads and blocks to an answer. Some are not
// requested, some are not offered.
func addContents(r *rand.Rand, a *metric.Observation) {
	own := []metric.Citation{{URL: "https://a.example/", Host: "a.example"}}
	if r.IntN(4) > 0 {
		a.Searches = []string{"one", " ONE", "two", "three"}[:r.IntN(5)]
	}
	if r.IntN(4) > 0 {
		a.Sources = own[:r.IntN(2)]
	}
	if r.IntN(2) > 0 {
		a.Cited = own[:r.IntN(2)]
	}
	if r.IntN(4) > 0 {
		a.Products = []metric.Product{
			{Position: 2, Title: "Shoe", Named: []string{"A"}, Merchant: "Shop", Price: &metric.Price{Value: 10 + 0.1*float64(r.IntN(9)), Currency: "EUR"}},
			{Position: 1, ID: "b", Named: []string{"B"}, Domain: "a.example"},
		}[:r.IntN(3)]
	}
	if r.IntN(4) > 0 {
		a.Ads = []metric.Ad{{Named: []string{"B"}}, {URL: "https://a.example/ad"}, {Title: "other"}}[:r.IntN(4)]
	}
	if a.Organic != nil && r.IntN(4) > 0 {
		a.Layout = []metric.Block{{Type: "organic", Position: 2}, {Type: "searchoverview", Position: 1}}[:r.IntN(3)]
	}
	if r.IntN(2) > 0 {
		a.Parts = []metric.Part{{Kind: metric.Sponsored, Start: 0, End: 5}}
		for i := range a.Mentions {
			a.Mentions[i].Start, a.Mentions[i].End = 3*i, 3*i+3
		}
	}
	if r.IntN(6) == 0 {
		a.Unreported = metric.Unreported{metric.FieldSearches: metric.NotRequested, metric.FieldAds: metric.NotRequested, metric.FieldCited: metric.NotOffered}
	}
}

// numbered returns the numbers of prompts in stored sheets.
func numbered(def metric.Definition) (numbers []int) {
	for i := range def.Prompts {
		numbers = append(numbers, 3*i+7)
	}
	return numbers
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// storedDataset returns a dataset of the stored counts of another. With every = n it has every
// n-th sweep.
func storedDataset(t *testing.T, def metric.Definition, from *metric.Dataset, every int) *metric.Dataset {
	t.Helper()
	b := must[*metric.Dataset](t)(metric.NewDataset(def))
	b.NumberPrompts(numbered(def))
	for i, s := range def.Sweeps {
		for _, target := range def.Targets {
			stored := from.Store(s.ID, target.Key)
			if i%every != 0 || stored == nil {
				continue
			}
			for f, family := range stored.Families {
				if err := b.AddStored(s.ID, target.Key, metric.Family(f), stored.Answers, family, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return b
}

// oddQueries also split by time and by prompt.
var oddQueries = []metric.Query{
	{BrandsOnly: true},
	{BrandsOnly: true, By: []string{"target"}},
	{BrandsOnly: true, PoolSurfaces: true, Branded: true},
	{BrandsOnly: true, By: []string{"week"}},
	{BrandsOnly: true, By: []string{"prompt", "target"}},
	{BrandsOnly: true, By: []string{"tag"}},
	{BrandsOnly: true, By: []string{"sweep"}, Filter: metric.Selection{"tag": {"t1"}}},
	{BrandsOnly: true, Filter: metric.Selection{"brand": {"A", "C"}, "provider": {"chat"}}},
}

// resultsOf returns the results of a query as JSON: rows, series, a comparison, grades.
func resultsOf(t *testing.T, b *metric.Dataset, def metric.Definition, q metric.Query) (parts [4]string) {
	t.Helper()
	set := func(part int, value any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		parts[part] = string(must[[]byte](t)(json.Marshal(value)))
	}
	rows, err := b.Rows(q)
	set(0, rows, err)
	series, err := b.Series()
	set(1, series, err)
	if !slices.ContainsFunc(q.By, func(by string) bool { return by == "week" || by == "sweep" }) {
		compared, err := b.Compare(q, *def.Periods)
		set(2, compared, err)
	}
	var ids []string
	for _, s := range def.Sweeps {
		ids = append(ids, s.ID)
	}
	grades, err := b.Grades(q, ids)
	set(3, grades, err)
	return parts
}

// Numbers from stored counts equal numbers from answers in every digit, without a tolerance.
func TestStoredCountsGiveTheSameDigits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		def, answers := odd(seed)
		counted := must[*metric.Dataset](t)(metric.NewDataset(def))
		counted.CountSources(metric.NoSources)
		counted.NumberPrompts(numbered(def))
		for _, a := range answers {
			if err := counted.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		stored := storedDataset(t, def, counted, 1)
		// Every second sweep has no stored counts yet.
		mixed := storedDataset(t, def, counted, 2)
		mixed.CountSources(metric.NoSources)
		for _, a := range answers {
			if a.Sweep[len(a.Sweep)-1]%2 == 0 {
				continue
			}
			if err := mixed.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		// Only the families that a metric reads are there.
		for _, name := range metric.Names() {
			q := metric.Query{BrandsOnly: true, Metrics: []string{name}}
			some := must[*metric.Dataset](t)(metric.NewDataset(def))
			some.NumberPrompts(numbered(def))
			for _, s := range def.Sweeps {
				for _, target := range def.Targets {
					if all := counted.Store(s.ID, target.Key); all != nil {
						for _, f := range q.Families() {
							if err := some.AddStored(s.ID, target.Key, f, all.Answers, all.Families[f], nil); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
			}
			want, got := must[[]byte](t)(json.Marshal(rowsOf(t, counted, q))), must[[]byte](t)(json.Marshal(rowsOf(t, some, q)))
			if string(got) != string(want) {
				t.Fatalf("world %d, %s alone:\n%.2000s\nwant\n%.2000s", seed, name, got, want)
			}
		}
		for i, q := range oddQueries {
			want := resultsOf(t, counted, def, q)
			for j, b := range []*metric.Dataset{stored, mixed} {
				for part, got := range resultsOf(t, b, def, q) {
					if got != want[part] {
						t.Fatalf("world %d, query %d, dataset %d, part %d:\n%.2000s\nwant\n%.2000s", seed, i, j, part, got, want[part])
					}
				}
			}
		}
	}
}

// The counts in testdata/contents/stored.json were stored by an earlier version of the service. If this
// test fails, numbers of deleted answers would be lost: new counts need a new family.
func TestCountsOfEarlierVersionsAreRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "contents")
	var earlier map[string]map[string]*metric.Stored // by sweep and target
	if err := json.Unmarshal(must[[]byte](t)(os.ReadFile(filepath.Join(dir, "stored.json"))), &earlier); err != nil {
		t.Fatal(err)
	}
	counted := readDataset(t, dir)
	read := must[*metric.Dataset](t)(metric.NewDataset(counted.Definition()))
	for sweep, targets := range earlier {
		for target, stored := range targets {
			if diff := cmp.Diff(stored, counted.Store(sweep, target)); diff != "" {
				t.Errorf("sweep %s, target %s: the counts are stored in another form: %s", sweep, target, diff)
			}
			for f, family := range stored.Families {
				if err := read.AddStored(sweep, target, metric.Family(f), stored.Answers, family, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	q := metric.Query{BrandsOnly: true, By: []string{"target"}}
	if diff := cmp.Diff(rowsOf(t, counted, q), rowsOf(t, read, q)); diff != "" {
		t.Errorf("the rows differ from the counted ones (-want +got):\n%s", diff)
	}
}
