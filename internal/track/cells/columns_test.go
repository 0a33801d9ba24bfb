package cells_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/track/cells"
)

// prompts are the numbers of four cells.
var prompts = []int{5, 7, 70, 200}

// columns have every kind of values.
func columns() []cells.Column {
	return []cells.Column{
		cells.NewColumn([]int32{0, 0, 0, 0}), cells.NewColumn([]int32{3, 3, 3, 3}), cells.NewColumn([]int32{1, 0, 0, 1}),
		cells.NewColumn([]int32{1, 2, 0, 255}), cells.NewColumn([]int32{1, 256, 0, 70000}),
		cells.NewPlaces([]cells.Places{nil, {{At: 2, Count: 1}}, {{At: 300, Count: 1}}, nil}),
		cells.NewPlaces([]cells.Places{{{At: 1, Count: 2}, {At: 40, Count: 1}}, nil, {{At: 1, Count: 1}}, nil}),
	}
}

// The bytes of the stored form. They must not change, because cells outlive their answers.
const stored = "\x01" + "\x00" + "\x20" + // prompts 5 and 7 of word 0, 70 of word 1, 200 of word 3
	"\xa0\x00\x00\x00\x00\x00\x00\x00" + "\x40\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x01\x00\x00\x00\x00\x00\x00" +
	"\x07" + "\x00" + "\x01\x03" + "\x02\x09" + "\x03\x01\x02\x00\xff" + "\x04\x01\x80\x02\x00\xf0\xa2\x04" +
	"\x04\x00\x02\xac\x02\x00" + "\x05\x02\x01\x02\x28\x01\x00\x01\x01\x01\x00"

func TestStoredForm(t *testing.T) {
	t.Parallel()
	if got := string(cells.Encode(prompts, columns())); got != stored {
		t.Errorf("stored as %x, want %x", got, stored)
	}
	set, read, err := cells.Decode([]byte(stored))
	if diff := cmp.Diff(prompts, cells.Prompts(set)); diff != "" || err != nil {
		t.Fatalf("the prompts differ: %s, %v", diff, err)
	}
	for i, want := range columns() {
		for cell := range prompts {
			var got, list cells.Places
			read[i].PlacesAt(cell, &got)
			want.PlacesAt(cell, &list)
			if diff := cmp.Diff(list, got); read[i].At(cell) != want.At(cell) || diff != "" {
				t.Errorf("column %d, cell %d: is %d and %v, want %d and %v", i, cell, read[i].At(cell), got, want.At(cell), list)
			}
		}
	}
}

func TestDamagedCountsAreErrors(t *testing.T) {
	t.Parallel()
	for n := range len(stored) {
		if _, _, err := cells.Decode([]byte(stored[:n])); !errors.Is(err, cells.ErrDamaged) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	for name, damaged := range map[string]string{"longer": stored + "\x00", "another format": "\x02" + stored[1:], "another kind": "\x01\x00\x00\x01\x06", "a cell too many": "\x01\x00\x08\x01\x00\x00\x00\x00\x00\x00\x00\x01\x02\x02"} {
		if _, _, err := cells.Decode([]byte(damaged)); !errors.Is(err, cells.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All cells, some cells, one group and several groups give the sums of single counts.
func TestSums(t *testing.T) {
	t.Parallel()
	for _, some := range [][]int32{nil, {1, 3}} {
		for _, split := range []bool{false, true} {
			p := cells.Picked{Cells: some, Prompt: []int32{3, 2, 1, 0}}
			groups := 1
			if split {
				groups = p.Split(func(cell int) int32 { return int32(9 - cell) })
			}
			for i, column := range columns() {
				sums, ofGroups, wantSums, wantGroups := make([]int32, 4), make([]int32, groups), make([]int32, 4), make([]int32, groups)
				places, groupPlaces := cells.NewPlaceSums(4), cells.NewPlaceSums(groups)
				column.AddPlaces(&p, places, groupPlaces)
				if i < 6 {
					column.Add(&p, sums, ofGroups)
				}
				for cell := range 4 {
					if some != nil && cell%2 == 0 {
						continue
					}
					if i < 6 {
						wantSums[3-cell] += column.At(cell)
						wantGroups[p.GroupOf(cell)] += column.At(cell)
					}
					var want cells.Places
					column.PlacesAt(cell, &want)
					if diff := cmp.Diff(want, places.Take(3-cell)); diff != "" {
						t.Errorf("column %d, cell %d of %v: the places differ: %s", i, cell, some, diff)
					}
				}
				if diff := cmp.Diff([][]int32{wantSums, wantGroups}, [][]int32{sums, ofGroups}); diff != "" {
					t.Errorf("column %d, cells %v: the sums differ: %s", i, some, diff)
				}
			}
		}
	}
}
