// Package tally defines the stored form of the counts of closed sweeps. Other packages see the
// counts only as the struct that a [Layout] describes.
//
// A [Sheet] contains the counts of one target in one sweep, in two forms: groups, which are the
// sums that sweep means need, and cells, one for each prompt. The sheets of a sweep are stored
// twice: with their groups only, and with their cells only. Cells of several sweeps may be merged.
//
// # Format
//
// Package packed defines number, text and fraction. Every stored value starts with a byte that
// names its format.
//
// A list of sheets (format 4) contains either the groups or the cells of each sheet:
//
//	number of sheets, and for each sheet:
//	  target, answers  numbers
//	  surface          text
//	  contents         text, in the format of groups or of cells
//
// Groups (format 3):
//
//	number of groups, and for each group:
//	  branded (0 or 1), cells  numbers
//	  weight                   fraction
//	  prompts                  the set of their numbers: the number of its first word, and a
//	                           text of 8 bytes per word
//	  counts                   the counts of the cells, then the counts of each brand
//
// The counts of a group start with a number whose bits mark the counts that are not zero, in the
// order of Layout.Cell, or of Layout.Brand and Layout.Places. The marked counts follow.
//
// Cells (format 4):
//
//	number of cells
//	prompts  the prompt number of each cell, as a difference from the one before
//	columns  one text per count: Layout.Cell, then Layout.Brand and Layout.Places of each brand
//
// A column contains one value per cell, and is empty if all of its values are zero. Its length
// lets a reader skip a column that it does not need. A value of a list of places is the number
// of places, and for each place the place and its count.
package tally

import (
	"cmp"
	"errors"
	"slices"

	"earshot/internal/track/packed"
)

const (
	groupFormat = 3
	cellFormat  = 4

	// Format is the first byte of a stored list of sheets. Lists that start with another byte
	// are not read: their sweeps are counted again.
	Format = 4
)

// ErrDamaged is returned for a stored tally that cannot be decoded.
var ErrDamaged = errors.New("a stored tally is damaged")

// Layout describes the counts of a cell: Cell is a struct with the counts of one prompt on one
// target, Brand its counts of one brand, and Lists the counts of a brand by place. The order of
// the columns is part of the stored format.
type Layout[Cell, Brand, Lists any] struct {
	Cell   []func(*Cell) *int32
	Brands func(*Cell) *[]Brand
	Brand  []func(*Brand) *int32
	// Lists returns the lists of a brand. If the brand has none, Lists adds empty ones if create
	// is set, and returns nil otherwise.
	Lists  func(b *Brand, create bool) *Lists
	Places []func(*Lists) *Places
}

// Columns is a set of counts. Its lowest bits are the columns of Layout.Cell, followed by the
// columns of Layout.Brand and Layout.Places.
type Columns uint64

// Key identifies a sheet within a sweep by the number of its target and by the surface that
// answered.
type Key struct {
	Target  int
	Surface string
}

// Sheet contains the counts of one target in one sweep, in two forms.
type Sheet[Cell any] struct {
	Key
	Answers int // eligible ones; 0 if cells of several sweeps were merged
	// Groups are the sums that sweep means need. They depend on the weights of prompts and on
	// which prompts are branded.
	Groups []Group[Cell]
	Cells  Cells
}

// Group is the sum of all cells of a sheet whose prompts have the same weight and which have
// the same numbers of answers in every denominator. The sums are integers, so that a mean has
// the same digits whether its groups were stored or counted again.
type Group[Cell any] struct {
	Branded bool
	Weight  float64 // of each prompt
	Cells   int
	Counts  Cell // the sum of all cells
	Prompts PromptSet
}

// IsReadable reports whether a stored list of sheets has the current format.
func IsReadable(stored []byte) bool { return len(stored) > 0 && stored[0] == Format }

// EncodeGroups returns the stored form of sheets without their cells. It sorts the sheets.
func (l *Layout[Cell, Brand, Lists]) EncodeGroups(sheets []Sheet[Cell]) []byte {
	return encodeSheets(sheets, func(s *Sheet[Cell]) string { return l.encodeGroups(s.Groups) })
}

// EncodeCells returns the stored form of sheets without their groups. It sorts the sheets.
func (l *Layout[Cell, Brand, Lists]) EncodeCells(sheets []Sheet[Cell]) []byte {
	return encodeSheets(sheets, func(s *Sheet[Cell]) string { return s.Cells.encoded })
}

func encodeSheets[Cell any](sheets []Sheet[Cell], contents func(*Sheet[Cell]) string) []byte {
	slices.SortFunc(sheets, func(a, b Sheet[Cell]) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Surface, b.Surface))
	})
	w := packed.Writer{Format}
	w.Number(len(sheets))
	for i := range sheets {
		w.Number(sheets[i].Target, sheets[i].Answers)
		w.Text(sheets[i].Surface)
		w.Text(contents(&sheets[i]))
	}
	return w
}

// DecodeGroups reads the result of EncodeGroups for a panel of that many brands.
func (l *Layout[Cell, Brand, Lists]) DecodeGroups(stored []byte, brands int) ([]Sheet[Cell], error) {
	return decodeSheets(stored, func(s *Sheet[Cell], contents string) (err error) {
		s.Groups, err = l.decodeGroups(contents, brands)
		return err
	})
}

// DecodeCells reads the result of EncodeCells or MergeCells.
func (l *Layout[Cell, Brand, Lists]) DecodeCells(stored []byte) ([]Sheet[Cell], error) {
	return decodeSheets(stored, func(s *Sheet[Cell], contents string) error {
		s.Cells = Cells{contents}
		return nil
	})
}

func decodeSheets[Cell any](stored []byte, set func(s *Sheet[Cell], contents string) error) ([]Sheet[Cell], error) {
	if !IsReadable(stored) {
		return nil, ErrDamaged
	}
	r := packed.NewReader(string(stored[1:]))
	sheets := make([]Sheet[Cell], r.Count())
	for i := range sheets {
		s := &sheets[i]
		s.Target, s.Answers = r.Number(), r.Number()
		s.Surface = r.Text(r.Number())
		if err := set(s, r.Text(r.Number())); err != nil {
			return nil, err
		}
	}
	if !r.Done() {
		return nil, ErrDamaged
	}
	return sheets, nil
}

// MergeCells adds up the cells of several sweeps, each in the form that EncodeCells returned.
func (l *Layout[Cell, Brand, Lists]) MergeCells(sweeps [][]byte, brands int) ([]byte, error) {
	merged := map[Key]map[int]*Cell{}
	empty := l.Allocator(brands, 64)
	for _, stored := range sweeps {
		sheets, err := l.DecodeCells(stored)
		if err != nil {
			return nil, err
		}
		for _, s := range sheets {
			cells := merged[s.Key]
			if cells == nil {
				cells = map[int]*Cell{}
				merged[s.Key] = cells
			}
			err := l.AddCells(s.Cells, brands, ^Columns(0), func(prompt int) *Cell {
				if cells[prompt] == nil {
					cells[prompt] = empty()
				}
				return cells[prompt]
			})
			if err != nil {
				return nil, err
			}
		}
	}
	var sheets []Sheet[Cell]
	for key, cells := range merged {
		sheets = append(sheets, Sheet[Cell]{Key: key, Cells: l.NewCells(cells, brands)})
	}
	return l.EncodeCells(sheets), nil
}
