package metric_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot/internal/track/metric"
)

// odd makes up a definition and its answers: weights that are no binary fractions, one to
// three samples, prompts that come and go, a target that two surfaces answered, branded
// prompts, cells and sweeps without answers, refusals, search pages.
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
	return a
}

// numbered are the numbers by which kept sheets know prompts.
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

// keptBook is a dataset of the sheets of another, as they are stored; neighbouring sweeps are
// put together where spans has a length, and only these then have cells. Of every so many
// sweeps one is there.
func keptBook(t *testing.T, def metric.Definition, from *metric.Dataset, spans, every int) *metric.Dataset {
	t.Helper()
	b := must[*metric.Dataset](t)(metric.NewDataset(def))
	b.NumberPrompts(numbered(def))
	cells := map[string]map[string]string{}
	for i, s := range def.Sweeps {
		cells[s.ID] = map[string]string{}
		if i%every != 0 {
			continue
		}
		for _, target := range def.Targets {
			sheet, ok := from.Sheet(s.ID, target.Key)
			if !ok {
				continue
			}
			cells[s.ID][target.Key] = sheet.Cells
			groups := must[[]metric.Group](t)(metric.UnpackGroups(metric.PackGroups(sheet.Groups), len(def.Brands)))
			kept := metric.Sheet{Groups: groups, Cells: sheet.Cells}
			if spans > 0 {
				kept.Cells = ""
			}
			if err := b.AddSheet(s.ID, target.Key, kept); err != nil {
				t.Fatal(err)
			}
		}
	}
	if spans == 0 {
		return b
	}
	for some := range slices.Chunk(def.Sweeps, spans) {
		var ids []string
		together := map[string]string{}
		for _, target := range def.Targets {
			var parts []string
			for _, s := range some {
				if packed := cells[s.ID][target.Key]; packed != "" {
					parts = append(parts, packed)
				}
			}
			together[target.Key] = must[string](t)(metric.MergeCells(parts, len(def.Brands)))
		}
		for _, s := range some {
			ids = append(ids, s.ID)
		}
		if err := b.AddSpan(ids, together); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// oddQueries are divided by time and prompts, too.
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

// said is what a dataset says to a query: rows, series, a comparison, grades. It is empty where
// cells are needed that the dataset was not given.
func said(t *testing.T, b *metric.Dataset, def metric.Definition, q metric.Query) (parts [4]string) {
	t.Helper()
	note := func(part int, value any, err error) {
		if err == nil {
			parts[part] = string(must[[]byte](t)(json.Marshal(value)))
		} else if !errors.Is(err, metric.ErrCells) {
			t.Fatal(err)
		}
	}
	rows, err := b.Rows(q)
	note(0, rows, err)
	note(1, b.Series(), nil)
	if !slices.ContainsFunc(q.By, func(by string) bool { return by == "week" || by == "sweep" }) {
		compared, err := b.Compare(q, *def.Periods)
		note(2, compared, err)
	}
	grades, err := b.Grades(q)
	note(3, grades, err)
	return parts
}

// Kept sheets give the same digits as answers do, all of them: nothing is within a tolerance.
func TestKeptSheetsGiveTheSameDigits(t *testing.T) {
	t.Parallel()
	together := 0
	for seed := range uint64(2) {
		def, answers := odd(seed)
		rows := must[*metric.Dataset](t)(metric.NewDataset(def))
		rows.CountSources(metric.NoSources)
		rows.NumberPrompts(numbered(def))
		for _, a := range answers {
			if err := rows.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		unpacked := keptBook(t, def, rows, 0, 1)
		if err := unpacked.Unpack(); err != nil {
			t.Fatal(err)
		}
		// Every other sweep of which no sheet is kept yet.
		mixed := keptBook(t, def, rows, 0, 2)
		mixed.CountSources(metric.NoSources)
		for _, a := range answers {
			if a.Sweep[len(a.Sweep)-1]%2 == 0 {
				continue
			}
			if err := mixed.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		kept := []*metric.Dataset{keptBook(t, def, rows, 0, 1), unpacked, mixed, keptBook(t, def, rows, 1, 1), keptBook(t, def, rows, 1+len(def.Sweeps)/3, 1)}
		// Of packed cells only the counts are read that a metric looks at.
		for _, name := range metric.Names() {
			if strings.HasPrefix(name, "stability.") {
				continue // needs each sweep by itself, and domains: TestStabilityByName
			}
			q := metric.Query{BrandsOnly: true, Metrics: []string{name}}
			want := must[[]byte](t)(json.Marshal(rowsOf(t, rows, q)))
			for _, b := range []*metric.Dataset{kept[0], kept[4]} {
				if got := must[[]byte](t)(json.Marshal(rowsOf(t, b, q))); string(got) != string(want) {
					t.Fatalf("world %d, %s alone:\n%.2000s\nwant\n%.2000s", seed, name, got, want)
				}
			}
		}
		for i, q := range oddQueries {
			want := said(t, rows, def, q)
			for j, b := range kept {
				for part, got := range said(t, b, def, q) {
					switch {
					case got == want[part] && j == 4 && part == 0:
						together++
					case got != want[part] && (got != "" || j < 3):
						t.Fatalf("world %d, query %d, book %d, part %d:\n%.2000s\nwant\n%.2000s", seed, i, j, part, got, want[part])
					}
				}
			}
		}
	}
	if together == 0 {
		t.Error("no number came from cells that were kept together: the test proves little")
	}
}

func TestDamagedSheetsAreErrors(t *testing.T) {
	t.Parallel()
	def, answers := odd(3)
	b := bookOf(t, def, answers)
	b.NumberPrompts(numbered(def))
	sheet, ok := b.Sheet(def.Sweeps[1].ID, "engine/DE")
	if !ok {
		t.Fatal("there is no sheet")
	}
	groups := metric.PackGroups(sheet.Groups)
	for i := range sheet.Cells {
		if _, err := metric.MergeCells([]string{sheet.Cells[:i]}, len(def.Brands)); err == nil {
			t.Errorf("%d of %d bytes are read as cells", i, len(sheet.Cells))
		}
	}
	for i := range groups {
		if _, err := metric.UnpackGroups(groups[:i], len(def.Brands)); err == nil {
			t.Errorf("%d of %d bytes are read as groups", i, len(groups))
		}
	}
}
