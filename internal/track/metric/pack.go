package metric

import (
	"cmp"
	"errors"
	"slices"

	"earshot/internal/track/packed"
)

// The first bytes of what is packed here.
const (
	groupFormat = 2
	cellFormat  = 3
)

var errDamaged = errors.New("a stored tally is damaged")

// columns are a set of the counts that a tally has: those that a measure looks at.
type columns uint32

// The counts, in the order in which they are packed: those of a tally, those of each brand,
// and the places of each brand.
const (
	colEligible columns = 1 << iota
	colInformative
	colCitations
	colOrganic
	colAttached
	colRefused
	colPlain

	colNamed
	colMentions
	colCited
	colBrandCitations
	colBoth
	colSupported
	colRetrieved

	colPositions
	colListRanks
	colRanks

	allColumns columns = 1<<iota - 1
)

var (
	tallyCounts = [...]func(*CellCounts) *int{
		func(t *CellCounts) *int { return &t.Eligible },
		func(t *CellCounts) *int { return &t.Informative },
		func(t *CellCounts) *int { return &t.Citations },
		func(t *CellCounts) *int { return &t.Organic },
		func(t *CellCounts) *int { return &t.Attached },
		func(t *CellCounts) *int { return &t.Refused },
		func(t *CellCounts) *int { return &t.Plain },
	}
	brandCounts = [...]func(*BrandCounts) *int{ // what is seldom there comes last
		func(t *BrandCounts) *int { return &t.Named },
		func(t *BrandCounts) *int { return &t.Mentions },
		func(t *BrandCounts) *int { return &t.Cited },
		func(t *BrandCounts) *int { return &t.Citations },
		func(t *BrandCounts) *int { return &t.Both },
		func(t *BrandCounts) *int { return &t.Supported },
		func(t *BrandCounts) *int { return &t.Retrieved },
	}
	brandPlaces = [...]func(*brandLists) *PlaceCounts{
		func(l *brandLists) *PlaceCounts { return &l.positions },
		func(l *brandLists) *PlaceCounts { return &l.listRanks },
		func(l *brandLists) *PlaceCounts { return &l.ranks },
	}
)

// PackCells writes tallies in few bytes, in the order of their prompts' numbers. Sources
// are left out. One count of all tallies follows the other, each with its length, so that
// a reader passes over what it does not need.
func PackCells(cells []NumberedCounts) string {
	slices.SortFunc(cells, func(a, b NumberedCounts) int { return cmp.Compare(a.Prompt, b.Prompt) })
	w := packed.Writer{cellFormat}
	w.Number(len(cells))
	before := 0
	for _, cell := range cells {
		w.Number(cell.Prompt - before)
		before = cell.Prompt
	}
	for _, count := range tallyCounts {
		packColumn(&w, cells, func(w *packed.Writer, t *CellCounts) bool {
			w.Number(*count(t))
			return *count(t) != 0
		})
	}
	for brand := 0; len(cells) > 0 && brand < len(cells[0].Brands); brand++ {
		for _, count := range brandCounts {
			packColumn(&w, cells, func(w *packed.Writer, t *CellCounts) bool {
				n := *count(&t.Brands[brand])
				w.Number(n)
				return n != 0
			})
		}
		for _, places := range brandPlaces {
			packColumn(&w, cells, func(w *packed.Writer, t *CellCounts) bool {
				lists := t.Brands[brand].listed()
				packPlaces(w, *places(&lists))
				return len(*places(&lists)) > 0
			})
		}
	}
	return string(w)
}

// packColumn writes what write writes of each tally, and nothing where it says of none
// that there is something.
func packColumn(w *packed.Writer, cells []NumberedCounts, write func(w *packed.Writer, t *CellCounts) bool) {
	var column packed.Writer
	some := false
	for _, cell := range cells {
		some = write(&column, cell.CellCounts) || some
	}
	if !some {
		column = nil
	}
	w.Text(string(column))
}

func packPlaces(w *packed.Writer, places PlaceCounts) {
	w.Number(len(places))
	for _, place := range places {
		w.Number(place.At, place.Count)
	}
}

// unpackCells reads what PackCells wrote, and adds the wanted counts of each tally to the
// one that of has for the number of a prompt, nil to pass it over.
func unpackCells(stored string, brands int, wanted columns, of func(prompt int) *CellCounts) error {
	if stored == "" || stored[0] != cellFormat {
		return errDamaged
	}
	r := packed.NewReader(stored[1:])
	cells := make([]*CellCounts, r.Count())
	var unused *CellCounts
	number := 0
	for i := range cells {
		number += r.Number()
		if cells[i] = of(number); cells[i] != nil {
			continue
		}
		if unused == nil {
			unused = NewCellCounts(brands)
		}
		cells[i] = unused
	}
	// next is the next column, nil where it is not wanted or has nothing but zeros.
	next := func(bit int) *packed.Reader {
		if column := r.Text(r.Number()); column != "" && wanted&(1<<bit) != 0 {
			return packed.NewReader(column)
		}
		return nil
	}
	ok := true
	for i, count := range tallyCounts {
		if column := next(i); column != nil {
			for _, t := range cells {
				*count(t) += column.Number()
			}
			ok = ok && column.Done()
		}
	}
	for brand := 0; len(cells) > 0 && brand < brands; brand++ {
		for i, count := range brandCounts {
			if column := next(len(tallyCounts) + i); column != nil {
				for _, t := range cells {
					*count(&t.Brands[brand]) += column.Number()
				}
				ok = ok && column.Done()
			}
		}
		for i, places := range brandPlaces {
			if column := next(len(tallyCounts) + len(brandCounts) + i); column != nil {
				for _, t := range cells {
					unpackPlaces(column, &t.Brands[brand], places)
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

// unpackPlaces adds places.
func unpackPlaces(r *packed.Reader, b *BrandCounts, of func(*brandLists) *PlaceCounts) {
	n := r.Count()
	if n == 0 {
		return
	}
	places := of(b.own())
	if *places == nil {
		*places = make(PlaceCounts, 0, n)
	}
	for range n {
		places.add(r.Number(), r.Number())
	}
}

// PackGroups writes groups in few bytes.
func PackGroups(groups []Group) string {
	w := packed.Writer{groupFormat}
	w.Number(len(groups))
	for i := range groups {
		g := &groups[i]
		w.Number(map[bool]int{true: 1}[g.Branded], g.Cells)
		w.Fraction(g.Weight)
		packTally(&w, &g.Tally)
	}
	return string(w)
}

// UnpackGroups reads what PackGroups wrote.
func UnpackGroups(stored string, brands int) ([]Group, error) {
	if len(stored) == 0 || stored[0] != groupFormat {
		return nil, errDamaged
	}
	r := packed.NewReader(stored[1:])
	groups := make([]Group, r.Count())
	for i := range groups {
		groups[i] = Group{Branded: r.Number() == 1, Cells: r.Number(), Weight: r.Fraction()}
		groups[i].Tally.Brands = make([]BrandCounts, brands)
		unpackTally(r, &groups[i].Tally)
	}
	if !r.Done() {
		return nil, errDamaged
	}
	return groups, nil
}

// MergeCells adds up the packed cells of several sweeps.
func MergeCells(all []string, brands int) (string, error) {
	merged, m := map[int]*CellCounts{}, memory{brands: brands, together: 64}
	for _, stored := range all {
		err := unpackCells(stored, brands, allColumns, func(prompt int) *CellCounts {
			if merged[prompt] == nil {
				merged[prompt] = m.tally()
			}
			return merged[prompt]
		})
		if err != nil {
			return "", err
		}
	}
	var cells []NumberedCounts
	for prompt, t := range merged {
		cells = append(cells, NumberedCounts{prompt, t})
	}
	return PackCells(cells), nil
}

// packTally writes one after the other: a number whose bits say which counts are not 0,
// and these.
func packTally(w *packed.Writer, t *CellCounts) {
	packCounts(w, t, tallyCounts[:], 0)
	for i := range t.Brands {
		b := &t.Brands[i]
		lists, more := b.listed(), 0
		for bit, places := range brandPlaces {
			if len(*places(&lists)) > 0 {
				more |= 1 << bit
			}
		}
		packCounts(w, b, brandCounts[:], more)
		for _, places := range brandPlaces {
			if len(*places(&lists)) > 0 {
				packPlaces(w, *places(&lists))
			}
		}
	}
}

// packCounts writes counts behind their bits, above which others may stand.
func packCounts[T any](w *packed.Writer, of *T, counts []func(*T) *int, more int) {
	present := more << len(counts)
	for bit, count := range counts {
		if *count(of) != 0 {
			present |= 1 << bit
		}
	}
	w.Number(present)
	for _, count := range counts {
		if *count(of) != 0 {
			w.Number(*count(of))
		}
	}
}

// unpackTally adds what packTally wrote to a tally.
func unpackTally(r *packed.Reader, t *CellCounts) {
	unpackCounts(r, t, tallyCounts[:])
	for i := range t.Brands {
		b := &t.Brands[i]
		more := unpackCounts(r, b, brandCounts[:])
		for bit := 0; more>>bit != 0; bit++ {
			if more&(1<<bit) != 0 {
				unpackPlaces(r, b, brandPlaces[bit%len(brandPlaces)])
			}
		}
	}
}

func unpackCounts[T any](r *packed.Reader, of *T, counts []func(*T) *int) (more int) {
	present := r.Number()
	for bit, count := range counts {
		if present&(1<<bit) != 0 {
			*count(of) += r.Number()
		}
	}
	return present >> len(counts)
}

// memory gives tallies that lie together, many at a time: one by one they take longer to
// get than to fill.
type memory struct {
	brands   int
	together int // how many are made at a time
	tallies  []CellCounts
	ofBrand  []BrandCounts
}

// tally is an empty one.
func (m *memory) tally() *CellCounts {
	if len(m.tallies) == 0 {
		m.tallies, m.ofBrand = make([]CellCounts, m.together), make([]BrandCounts, m.together*m.brands)
	}
	t := &m.tallies[0]
	t.Brands = m.ofBrand[:m.brands:m.brands]
	m.tallies, m.ofBrand = m.tallies[1:], m.ofBrand[m.brands:]
	return t
}
