package metric

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"earshot/internal/track/packed"
)

// This file defines how sheets are stored. Package packed defines number, text and
// fraction. Every stored value starts with a byte that names its format.
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
//	  counts                   the counts of CellCounts, then the counts of each brand
//
// The counts of a group start with a number whose bits mark the counts that are not zero,
// in the order of cellColumns, or of brandColumns and placeColumns. The marked counts
// follow.
//
// Cells (format 4):
//
//	number of cells
//	prompts  the prompt number of each cell, as a difference from the one before
//	columns  one text per count: cellColumns, then brandColumns and placeColumns of each brand
//
// A column contains one value per cell, and is empty if all of its values are zero. Its
// length lets a reader skip a column that it does not need. A value of a place column is
// the number of places, and for each place the place and its count.
const (
	groupFormat = 3
	cellFormat  = 4

	// SheetFormat is the first byte of a stored list of sheets. Lists that start with
	// another byte are not read: their sweeps are counted again.
	SheetFormat = 4
)

var errDamaged = errors.New("a stored tally is damaged")

// EncodedCells are the encoded counts of the cells of one target. Sources are left out.
// The empty string means that the cells are unknown.
type EncodedCells string

// SheetKey identifies a sheet within a sweep by the number of its target and by the surface
// that answered.
type SheetKey struct {
	Target  int
	Surface string
}

// StoredSheet is a sheet with its key.
type StoredSheet struct {
	SheetKey
	Answers int // eligible ones; 0 if cells of several sweeps were merged
	Sheet
}

// EncodeGroups encodes sheets without their cells.
func EncodeGroups(sheets []StoredSheet) []byte {
	return encodeSheets(sheets, func(s *StoredSheet) string { return encodeGroups(s.Groups) })
}

// EncodeCells encodes sheets without their groups.
func EncodeCells(sheets []StoredSheet) []byte {
	return encodeSheets(sheets, func(s *StoredSheet) string { return string(s.Cells) })
}

func encodeSheets(sheets []StoredSheet, contents func(*StoredSheet) string) []byte {
	slices.SortFunc(sheets, func(a, b StoredSheet) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Surface, b.Surface))
	})
	w := packed.Writer{SheetFormat}
	w.Number(len(sheets))
	for i := range sheets {
		w.Number(sheets[i].Target, sheets[i].Answers)
		w.Text(sheets[i].Surface)
		w.Text(contents(&sheets[i]))
	}
	return w
}

// DecodeGroups decodes sheets that EncodeGroups encoded, for a panel of that many brands.
func DecodeGroups(stored []byte, brands int) ([]StoredSheet, error) {
	return decodeSheets(stored, func(s *StoredSheet, contents string) (err error) {
		s.Groups, err = decodeGroups(contents, brands)
		return err
	})
}

// DecodeCells decodes sheets that EncodeCells or MergeCells encoded.
func DecodeCells(stored []byte) ([]StoredSheet, error) {
	return decodeSheets(stored, func(s *StoredSheet, contents string) error {
		s.Cells = EncodedCells(contents)
		return nil
	})
}

func decodeSheets(stored []byte, set func(s *StoredSheet, contents string) error) ([]StoredSheet, error) {
	if len(stored) == 0 || stored[0] != SheetFormat {
		return nil, errDamaged
	}
	r := packed.NewReader(string(stored[1:]))
	sheets := make([]StoredSheet, r.Count())
	for i := range sheets {
		s := &sheets[i]
		s.Target, s.Answers = r.Number(), r.Number()
		s.Surface = r.Text(r.Number())
		if err := set(s, r.Text(r.Number())); err != nil {
			return nil, err
		}
	}
	if !r.Done() {
		return nil, errDamaged
	}
	return sheets, nil
}

// MergeCells adds up the cells of several sweeps, each as EncodeCells encoded it.
func MergeCells(sweeps [][]byte, brands int) ([]byte, error) {
	merged := map[SheetKey]map[int]*CellCounts{}
	allocate := allocator{brands: brands, batch: 64}
	for _, stored := range sweeps {
		sheets, err := DecodeCells(stored)
		if err != nil {
			return nil, err
		}
		for _, s := range sheets {
			cells := merged[s.SheetKey]
			if cells == nil {
				cells = map[int]*CellCounts{}
				merged[s.SheetKey] = cells
			}
			err := decodeCells(s.Cells, brands, allColumns, func(prompt int) *CellCounts {
				if cells[prompt] == nil {
					cells[prompt] = allocate.next()
				}
				return cells[prompt]
			})
			if err != nil {
				return nil, err
			}
		}
	}
	var sheets []StoredSheet
	for key, cells := range merged {
		sheets = append(sheets, StoredSheet{SheetKey: key, Sheet: Sheet{Cells: encodeCells(cells, brands)}})
	}
	return EncodeCells(sheets), nil
}

// encodeCells encodes cells by the numbers of their prompts.
func encodeCells(byPrompt map[int]*CellCounts, brands int) EncodedCells {
	w := packed.Writer{cellFormat}
	w.Number(len(byPrompt))
	var cells []*CellCounts
	before := 0
	for _, prompt := range slices.Sorted(maps.Keys(byPrompt)) {
		w.Number(prompt - before)
		before = prompt
		cells = append(cells, byPrompt[prompt])
	}
	for _, column := range cellColumns {
		encodeColumn(&w, cells, func(w *packed.Writer, c *CellCounts) (isZero bool) {
			w.Number(int(*column(c)))
			return *column(c) == 0
		})
	}
	for brand := 0; len(cells) > 0 && brand < brands; brand++ {
		for _, column := range brandColumns {
			encodeColumn(&w, cells, func(w *packed.Writer, c *CellCounts) (isZero bool) {
				n := *column(&c.Brands[brand])
				w.Number(int(n))
				return n == 0
			})
		}
		for _, column := range placeColumns {
			encodeColumn(&w, cells, func(w *packed.Writer, c *CellCounts) (isZero bool) {
				lists := c.Brands[brand].readable()
				encodePlaces(w, *column(&lists))
				return len(*column(&lists)) == 0
			})
		}
	}
	return EncodedCells(w)
}

// encodeColumn writes one value per cell, or an empty column if all values are zero.
func encodeColumn(w *packed.Writer, cells []*CellCounts, write func(w *packed.Writer, c *CellCounts) (isZero bool)) {
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

// decodeCells adds the wanted counts of each cell to the counts that target returns for the
// number of its prompt. It skips a cell if target returns nil.
func decodeCells(stored EncodedCells, brands int, wanted columns, target func(prompt int) *CellCounts) error {
	if stored == "" || stored[0] != cellFormat {
		return errDamaged
	}
	r := packed.NewReader(string(stored[1:]))
	cells := make([]*CellCounts, r.Count())
	var skipped *CellCounts
	prompt := 0
	for i := range cells {
		prompt += r.Number()
		if cells[i] = target(prompt); cells[i] != nil {
			continue
		}
		if skipped == nil {
			skipped = NewCellCounts(brands)
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
	for i, count := range cellColumns {
		if column := next(i); column != nil {
			for _, c := range cells {
				*count(c) += int32(column.Number())
			}
			ok = ok && column.Done()
		}
	}
	for brand := 0; len(cells) > 0 && brand < brands; brand++ {
		for i, count := range brandColumns {
			if column := next(len(cellColumns) + i); column != nil {
				for _, c := range cells {
					*count(&c.Brands[brand]) += int32(column.Number())
				}
				ok = ok && column.Done()
			}
		}
		for i, places := range placeColumns {
			if column := next(len(cellColumns) + len(brandColumns) + i); column != nil {
				for _, c := range cells {
					decodePlaces(column, &c.Brands[brand], places)
				}
				ok = ok && column.Done()
			}
		}
	}
	if !ok || !r.Done() {
		return errDamaged
	}
	return nil
}

func encodePlaces(w *packed.Writer, places PlaceCounts) {
	w.Number(len(places))
	for _, place := range places {
		w.Number(place.At, place.Count)
	}
}

// decodePlaces adds places to a list of a brand.
func decodePlaces(r *packed.Reader, b *BrandCounts, list func(*brandLists) *PlaceCounts) {
	n := r.Count()
	if n == 0 {
		return
	}
	places := list(b.writable())
	if *places == nil {
		*places = make(PlaceCounts, 0, n)
	}
	for range n {
		places.add(r.Number(), r.Number())
	}
}

func encodeGroups(groups []Group) string {
	w := packed.Writer{groupFormat}
	w.Number(len(groups))
	for i := range groups {
		g := &groups[i]
		w.Number(map[bool]int{true: 1}[g.Branded], g.Cells)
		w.Fraction(g.Weight)
		g.prompts.encode(&w)
		encodeNonzero(&w, &g.Counts, cellColumns, 0)
		for i := range g.Counts.Brands {
			b := &g.Counts.Brands[i]
			lists, present := b.readable(), 0
			for bit, list := range placeColumns {
				if len(*list(&lists)) > 0 {
					present |= 1 << bit
				}
			}
			encodeNonzero(&w, b, brandColumns[:], present)
			for bit, list := range placeColumns {
				if present&(1<<bit) != 0 {
					encodePlaces(&w, *list(&lists))
				}
			}
		}
	}
	return string(w)
}

// encodeNonzero writes the bits of the counts that are not zero, with the bits of the lists
// above them, and then these counts.
func encodeNonzero[T any](w *packed.Writer, from *T, counts []func(*T) *int32, lists int) {
	present := lists << len(counts)
	for bit, count := range counts {
		if *count(from) != 0 {
			present |= 1 << bit
		}
	}
	w.Number(present)
	for _, count := range counts {
		if *count(from) != 0 {
			w.Number(int(*count(from)))
		}
	}
}

func decodeGroups(stored string, brands int) ([]Group, error) {
	if stored == "" || stored[0] != groupFormat {
		return nil, errDamaged
	}
	r := packed.NewReader(stored[1:])
	groups := make([]Group, r.Count())
	for i := range groups {
		groups[i] = Group{Branded: r.Number() == 1, Cells: r.Number(), Weight: r.Fraction(), prompts: decodePrompts(r)}
		c := &groups[i].Counts
		c.Brands = make([]BrandCounts, brands)
		decodeNonzero(r, c, cellColumns)
		for i := range c.Brands {
			lists := decodeNonzero(r, &c.Brands[i], brandColumns[:])
			for bit, list := range placeColumns {
				if lists&(1<<bit) != 0 {
					decodePlaces(r, &c.Brands[i], list)
				}
			}
		}
	}
	if !r.Done() {
		return nil, errDamaged
	}
	return groups, nil
}

// decodeNonzero reads what encodeNonzero wrote and returns the bits of the lists.
func decodeNonzero[T any](r *packed.Reader, into *T, counts []func(*T) *int32) (lists int) {
	present := r.Number()
	for bit, count := range counts {
		if present&(1<<bit) != 0 {
			*count(into) += int32(r.Number())
		}
	}
	return present >> len(counts)
}

// allocator allocates empty counts in batches. Allocating millions of cells one by one
// takes longer than filling them.
type allocator struct {
	brands int
	batch  int
	cells  []CellCounts
	ofCell []BrandCounts
}

func (a *allocator) next() *CellCounts {
	if len(a.cells) == 0 {
		a.cells, a.ofCell = make([]CellCounts, a.batch), make([]BrandCounts, a.batch*a.brands)
	}
	c := &a.cells[0]
	c.Brands = a.ofCell[:a.brands:a.brands]
	a.cells, a.ofCell = a.cells[1:], a.ofCell[a.brands:]
	return c
}
