package tally_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"earshot/internal/track/packed"
	"earshot/internal/track/tally"
)

type cell struct {
	Answers, Refused int32
	Brands           []brand
}

type brand struct {
	Named int32
	Lists *lists
}

type lists struct{ Positions, Ranks tally.Places }

var layout = &tally.Layout[cell, brand, lists]{
	Cell:   []func(*cell) *int32{func(c *cell) *int32 { return &c.Answers }, func(c *cell) *int32 { return &c.Refused }},
	Brands: func(c *cell) *[]brand { return &c.Brands },
	Brand:  []func(*brand) *int32{func(b *brand) *int32 { return &b.Named }},
	Lists: func(b *brand, create bool) *lists {
		if create && b.Lists == nil {
			b.Lists = new(lists)
		}
		return b.Lists
	},
	Places: []func(*lists) *tally.Places{func(l *lists) *tally.Places { return &l.Positions }, func(l *lists) *tally.Places { return &l.Ranks }},
}

const (
	brands     = 2
	allColumns = ^tally.Columns(0)
)

// cells returns the counts of prompts 5 and 7.
func cells() map[int]*cell {
	return map[int]*cell{
		5: {Answers: 3, Brands: []brand{{Named: 2, Lists: &lists{Positions: tally.Places{{At: 1, Count: 2}}}}, {}}},
		7: {Answers: 300, Brands: []brand{{Named: 1}, {}}},
	}
}

// sheets returns a sheet with the cells and their sum.
func sheets() []tally.Sheet[cell] {
	g := tally.Group[cell]{Branded: true, Weight: 0.5, Cells: 2, Counts: cell{Answers: 303, Brands: []brand{{Named: 3, Lists: &lists{Positions: tally.Places{{At: 1, Count: 2}}}}, {}}}}
	g.Prompts.Add(7)
	g.Prompts.Add(5)
	return []tally.Sheet[cell]{{Key: tally.Key{Target: 1, Surface: "web"}, Answers: 303, Groups: []tally.Group[cell]{g}, Cells: layout.NewCells(cells(), brands)}}
}

// The bytes of the stored form, which must not change while Format is the same.
const (
	storedGroups = "\x04" + "\x01" + // a list of 1 sheet
		"\x01\xaf\x02" + "\x03web" + // target, answers and surface
		"\x1f" + // length of the groups
		"\x03" + "\x01" + // 1 group
		"\x01\x02" + "\x00\x00\x00\x00\x00\x00\xe0\x3f" + // branded, 2 cells, weight
		"\x00" + "\x08" + "\xa0\x00\x00\x00\x00\x00\x00\x00" + // prompts: bits 5 and 7 of word 0
		"\x01\xaf\x02" + // counts: only answers
		"\x03\x03" + "\x01\x01\x02" + // the first brand: named 3 times, position 1 twice
		"\x00" // the second brand
	storedCells = "\x04" + "\x01" +
		"\x01\xaf\x02" + "\x03web" +
		"\x15" + // length of the cells
		"\x04" + "\x02" + "\x05\x02" + // 2 cells: prompt 5 and prompt 5 + 2
		"\x03\x03\xac\x02" + "\x00" + // answers, and an empty column of refusals
		"\x02\x02\x01" + "\x04\x01\x01\x02\x00" + "\x00" + // the first brand: named, positions, ranks
		"\x00\x00\x00" // the second brand
)

func TestStoredForm(t *testing.T) {
	t.Parallel()
	if got := string(layout.EncodeGroups(sheets())); got != storedGroups {
		t.Errorf("the groups are\n%q, want\n%q", got, storedGroups)
	}
	if got := string(layout.EncodeCells(sheets())); got != storedCells {
		t.Errorf("the cells are\n%q, want\n%q", got, storedCells)
	}
	compare := cmp.Options{cmp.AllowUnexported(tally.PromptSet{}, tally.Cells{}), cmpopts.EquateEmpty()}
	want := sheets()
	groups, err := layout.DecodeGroups([]byte(storedGroups), brands)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[0].Groups, groups[0].Groups, compare); diff != "" {
		t.Errorf("the groups differ (-want +got):\n%s", diff)
	}
	read, err := layout.DecodeCells([]byte(storedCells))
	if err != nil {
		t.Fatal(err)
	}
	want[0].Groups = nil
	if diff := cmp.Diff(want, read, compare); diff != "" {
		t.Errorf("the sheets differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(cells(), added(t, read[0].Cells, allColumns), compare); diff != "" {
		t.Errorf("the cells differ (-want +got):\n%s", diff)
	}
}

// added adds the cells of a sheet to empty counts.
func added(t *testing.T, from tally.Cells, wanted tally.Columns) map[int]*cell {
	t.Helper()
	found, empty := map[int]*cell{}, layout.Allocator(brands, 1)
	err := layout.AddCells(from, brands, wanted, func(prompt int) *cell {
		found[prompt] = empty()
		return found[prompt]
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOnlyWantedCountsAreAdded(t *testing.T) {
	t.Parallel()
	from := layout.NewCells(cells(), brands)
	want := map[int]*cell{5: {Brands: []brand{{Named: 2}, {}}}, 7: {Brands: []brand{{Named: 1}, {}}}}
	if diff := cmp.Diff(want, added(t, from, 1<<2)); diff != "" {
		t.Errorf("only named is wanted (-want +got):\n%s", diff)
	}
	only := layout.Allocator(brands, 1)()
	err := layout.AddCells(from, brands, allColumns, func(prompt int) *cell {
		if prompt == 7 {
			return only
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cells()[7], only); diff != "" {
		t.Errorf("only prompt 7 is wanted (-want +got):\n%s", diff)
	}
}

func TestMergedCellsAreSums(t *testing.T) {
	t.Parallel()
	more := []tally.Sheet[cell]{
		{Key: tally.Key{Target: 1, Surface: "web"}, Cells: layout.NewCells(map[int]*cell{5: {Answers: 1, Brands: []brand{{Named: 1, Lists: &lists{Positions: tally.Places{{At: 1, Count: 1}, {At: 4, Count: 1}}}}, {}}}}, brands)},
		{Key: tally.Key{Target: 1, Surface: "api"}, Cells: layout.NewCells(map[int]*cell{9: {Refused: 1, Brands: make([]brand, brands)}}, brands)},
	}
	merged, err := layout.MergeCells([][]byte{layout.EncodeCells(sheets()), layout.EncodeCells(more)}, brands)
	if err != nil {
		t.Fatal(err)
	}
	read, err := layout.DecodeCells(merged)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[int]*cell{}
	for _, s := range read {
		found[s.Surface] = added(t, s.Cells, allColumns)
	}
	web := cells()
	web[5] = &cell{Answers: 4, Brands: []brand{{Named: 3, Lists: &lists{Positions: tally.Places{{At: 1, Count: 3}, {At: 4, Count: 1}}}}, {}}}
	want := map[string]map[int]*cell{"web": web, "api": {9: {Refused: 1, Brands: make([]brand, brands)}}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("the merged cells differ (-want +got):\n%s", diff)
	}
}

func TestDamagedTalliesAreErrors(t *testing.T) {
	t.Parallel()
	for i := range storedGroups {
		if _, err := layout.DecodeGroups([]byte(storedGroups[:i]), brands); err == nil {
			t.Errorf("the first %d bytes are accepted as groups", i)
		}
	}
	_, contents, _ := strings.Cut(storedCells, "\x03web\x15")
	for i := range contents {
		damaged := packed.Writer{tally.Format}
		damaged.Number(1, 1, 303)
		damaged.Text("web")
		damaged.Text(contents[:i])
		if _, err := layout.MergeCells([][]byte{damaged}, brands); err == nil {
			t.Errorf("the first %d bytes are accepted as cells", i)
		}
	}
	for _, other := range []string{"", "\x03" + storedCells[1:]} {
		if tally.IsReadable([]byte(other)) {
			t.Errorf("%q is readable", other)
		}
	}
}

func TestPromptSets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var a, b tally.PromptSet
		inA, both := map[int]bool{}, map[int]bool{}
		for range r.IntN(30) {
			n := 1 + r.IntN(500)
			a.Add(n)
			inA[n] = true
		}
		for range r.IntN(30) {
			n := 1 + r.IntN(500)
			b.Add(n)
			if inA[n] {
				both[n] = true
			}
		}
		if a.Common(b) != len(both) || b.Common(a) != len(both) {
			t.Fatalf("%d and %d common numbers, want %d", a.Common(b), b.Common(a), len(both))
		}
	}
}
