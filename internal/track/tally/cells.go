package tally

import (
	"maps"
	"slices"

	"earshot/internal/track/packed"
)

// Cells are the counts of the cells of one target. The zero value means that they are unknown.
type Cells struct{ encoded string }

// IsKnown reports whether the counts are known.
func (c Cells) IsKnown() bool { return c.encoded != "" }

// NewCells returns the counts of cells by the numbers of their prompts.
func (l *Layout[Cell, Brand, Lists]) NewCells(byPrompt map[int]*Cell, brands int) Cells {
	w := packed.Writer{cellFormat}
	w.Number(len(byPrompt))
	var cells []*Cell
	before := 0
	for _, prompt := range slices.Sorted(maps.Keys(byPrompt)) {
		w.Number(prompt - before)
		before = prompt
		cells = append(cells, byPrompt[prompt])
	}
	for _, column := range l.Cell {
		encodeColumn(&w, cells, func(w *packed.Writer, c *Cell) (isZero bool) {
			n := *column(c)
			w.Number(int(n))
			return n == 0
		})
	}
	for brand := 0; len(cells) > 0 && brand < brands; brand++ {
		for _, column := range l.Brand {
			encodeColumn(&w, cells, func(w *packed.Writer, c *Cell) (isZero bool) {
				n := *column(&(*l.Brands(c))[brand])
				w.Number(int(n))
				return n == 0
			})
		}
		for _, column := range l.Places {
			encodeColumn(&w, cells, func(w *packed.Writer, c *Cell) (isZero bool) {
				places := l.places(&(*l.Brands(c))[brand], column)
				places.encode(w)
				return len(places) == 0
			})
		}
	}
	return Cells{string(w)}
}

// encodeColumn writes one value per cell, or an empty column if all values are zero.
func encodeColumn[Cell any](w *packed.Writer, cells []*Cell, write func(w *packed.Writer, c *Cell) (isZero bool)) {
	var column packed.Writer
	allZero := true
	for _, c := range cells {
		isZero := write(&column, c)
		allZero = allZero && isZero
	}
	if allZero {
		column = nil
	}
	w.Text(string(column))
}

// places returns a list of a brand, which is empty if the brand has no lists.
func (l *Layout[Cell, Brand, Lists]) places(b *Brand, column func(*Lists) *Places) Places {
	if lists := l.Lists(b, false); lists != nil {
		return *column(lists)
	}
	return nil
}

// AddCells adds the wanted counts of each cell to the counts that target returns for the number
// of its prompt. It skips a cell if target returns nil.
func (l *Layout[Cell, Brand, Lists]) AddCells(from Cells, brands int, wanted Columns, target func(prompt int) *Cell) error {
	if from.encoded == "" || from.encoded[0] != cellFormat {
		return ErrDamaged
	}
	r := packed.NewReader(from.encoded[1:])
	cells := make([]*Cell, r.Count())
	var skipped *Cell
	prompt := 0
	for i := range cells {
		prompt += r.Number()
		if cells[i] = target(prompt); cells[i] != nil {
			continue
		}
		if skipped == nil {
			skipped = l.Allocator(brands, 1)()
		}
		cells[i] = skipped
	}
	// next returns a reader of the next column, or nil if the column is empty or not wanted.
	next := func(bit int) *packed.Reader {
		if column := r.Text(r.Number()); column != "" && wanted&(1<<bit) != 0 {
			return packed.NewReader(column)
		}
		return nil
	}
	ok := true
	for i, count := range l.Cell {
		if column := next(i); column != nil {
			for _, c := range cells {
				*count(c) += int32(column.Number())
			}
			ok = ok && column.Done()
		}
	}
	ofBrand := make([]*Brand, len(cells))
	for brand := 0; len(cells) > 0 && brand < brands; brand++ {
		for i, c := range cells {
			ofBrand[i] = &(*l.Brands(c))[brand]
		}
		for i, count := range l.Brand {
			if column := next(len(l.Cell) + i); column != nil {
				for _, b := range ofBrand {
					*count(b) += int32(column.Number())
				}
				ok = ok && column.Done()
			}
		}
		for i, places := range l.Places {
			if column := next(len(l.Cell) + len(l.Brand) + i); column != nil {
				for _, b := range ofBrand {
					l.decodePlaces(column, b, places)
				}
				ok = ok && column.Done()
			}
		}
	}
	if !ok || !r.Done() {
		return ErrDamaged
	}
	return nil
}

// decodePlaces adds places to a list of a brand.
func (l *Layout[Cell, Brand, Lists]) decodePlaces(r *packed.Reader, b *Brand, list func(*Lists) *Places) {
	n := r.Count()
	if n == 0 {
		return
	}
	places := list(l.Lists(b, true))
	if *places == nil {
		*places = make(Places, 0, n)
	}
	for range n {
		places.Add(r.Number(), r.Number())
	}
}

// Allocator returns a function that returns empty counts for a panel of that many brands. It
// allocates several at once, because allocating millions of cells one by one takes longer than
// filling them.
func (l *Layout[Cell, Brand, Lists]) Allocator(brands, atOnce int) func() *Cell {
	var cells []Cell
	var ofCells []Brand
	return func() *Cell {
		if len(cells) == 0 {
			cells, ofCells = make([]Cell, atOnce), make([]Brand, atOnce*brands)
		}
		c := &cells[0]
		*l.Brands(c) = ofCells[:brands:brands]
		cells, ofCells = cells[1:], ofCells[brands:]
		return c
	}
}
