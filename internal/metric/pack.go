package metric

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"earshot/internal/packed"
)

// packFormat is the first byte of what is packed here.
const packFormat = 1

var errDamaged = errors.New("a stored tally is damaged")

// PackCells writes tallies in few bytes, in the order of their prompts' numbers. Sources
// are left out.
func PackCells(cells []NumberedTally) []byte {
	slices.SortFunc(cells, func(a, b NumberedTally) int { return cmp.Compare(a.Prompt, b.Prompt) })
	w := packed.Writer{packFormat}
	w.Number(len(cells))
	before := 0
	for _, cell := range cells {
		w.Number(cell.Prompt - before)
		before = cell.Prompt
		packTally(&w, cell.Tally)
	}
	return w
}

// UnpackCells reads what PackCells wrote, for a panel of that many brands.
func UnpackCells(stored []byte, brands int) ([]NumberedTally, error) {
	if len(stored) == 0 || stored[0] != packFormat {
		return nil, errDamaged
	}
	u := unpacker{Reader: packed.NewReader(string(stored[1:])), brands: brands}
	cells := make([]NumberedTally, u.Count())
	tallies, parts := make([]Tally, len(cells)), make([]BrandTally, len(cells)*brands)
	number := 0
	for i := range cells {
		number += u.Number()
		tallies[i].Brands = parts[i*brands : (i+1)*brands]
		u.tally(&tallies[i])
		cells[i] = NumberedTally{number, &tallies[i]}
	}
	if !u.Done() {
		return nil, errDamaged
	}
	return cells, nil
}

// PackGroups writes groups in few bytes.
func PackGroups(groups []Group) []byte {
	w := packed.Writer{packFormat}
	w.Number(len(groups))
	for i := range groups {
		g := &groups[i]
		w.Number(map[bool]int{true: 1}[g.Branded], g.Cells)
		w.Fraction(g.Weight)
		packTally(&w, &g.Tally)
	}
	return w
}

// UnpackGroups reads what PackGroups wrote.
func UnpackGroups(stored []byte, brands int) ([]Group, error) {
	if len(stored) == 0 || stored[0] != packFormat {
		return nil, errDamaged
	}
	u := unpacker{Reader: packed.NewReader(string(stored[1:])), brands: brands}
	groups := make([]Group, u.Count())
	for i := range groups {
		groups[i] = Group{Branded: u.Number() == 1, Cells: u.Number(), Weight: u.Fraction()}
		groups[i].Tally.Brands = make([]BrandTally, brands)
		u.tally(&groups[i].Tally)
	}
	if !u.Done() {
		return nil, errDamaged
	}
	return groups, nil
}

// MergeCells adds up the packed cells of several sweeps.
func MergeCells(all [][]byte, brands int) ([]byte, error) {
	merged := map[int]*Tally{}
	for _, stored := range all {
		cells, err := UnpackCells(stored, brands)
		if err != nil {
			return nil, err
		}
		for _, cell := range cells {
			if merged[cell.Prompt] == nil {
				merged[cell.Prompt] = NewTally(brands)
			}
			merged[cell.Prompt].Merge(cell.Tally)
		}
	}
	var cells []NumberedTally
	for _, prompt := range slices.Sorted(maps.Keys(merged)) {
		cells = append(cells, NumberedTally{prompt, merged[prompt]})
	}
	return PackCells(cells), nil
}

// numbers are the counts of a tally that are written, each if it is not 0.
func (t *Tally) numbers() [6]*int {
	return [...]*int{&t.Eligible, &t.Informative, &t.Citations, &t.Organic, &t.Attached, &t.Refused}
}

// numbers are those of a brand: what is seldom there comes last.
func (t *BrandTally) numbers() [7]*int {
	return [...]*int{&t.Named, &t.Mentions, &t.Cited, &t.Citations, &t.Both, &t.Supported, &t.Retrieved}
}

func (t *BrandTally) places() [3]*PlaceCounts {
	return [...]*PlaceCounts{&t.Positions, &t.ListRanks, &t.Ranks}
}

// packTally writes a number whose bits say which counts are not 0, and these.
func packTally(w *packed.Writer, t *Tally) {
	counts := t.numbers()
	packCounts(w, counts[:], 0)
	for i := range t.Brands {
		b := &t.Brands[i]
		var more int
		for bit, places := range b.places() {
			if len(*places) > 0 {
				more |= 1 << bit
			}
		}
		counts := b.numbers()
		packCounts(w, counts[:], more)
		for _, places := range b.places() {
			if len(*places) == 0 {
				continue
			}
			w.Number(len(*places))
			for _, place := range *places {
				w.Number(place.At, place.Count)
			}
		}
	}
}

// packCounts writes counts behind their bits, above which others may stand.
func packCounts(w *packed.Writer, counts []*int, more int) {
	present := more << len(counts)
	for bit, count := range counts {
		if *count != 0 {
			present |= 1 << bit
		}
	}
	w.Number(present)
	for _, count := range counts {
		if *count != 0 {
			w.Number(*count)
		}
	}
}

// unpacker reads tallies. Places share a slab of memory.
type unpacker struct {
	*packed.Reader
	brands int
	slab   []PlaceCount
}

func (u *unpacker) tally(t *Tally) {
	t.noSources = true
	counts := t.numbers()
	u.counts(counts[:])
	for i := range t.Brands {
		b := &t.Brands[i]
		counts := b.numbers()
		more := u.counts(counts[:])
		if more == 0 {
			continue
		}
		for bit, places := range b.places() {
			if more&(1<<bit) != 0 {
				*places = u.places()
			}
		}
	}
}

func (u *unpacker) counts(counts []*int) (more int) {
	present := u.Number()
	for bit, count := range counts {
		if present&(1<<bit) != 0 {
			*count = u.Number()
		}
	}
	return present >> len(counts)
}

func (u *unpacker) places() PlaceCounts {
	n := u.Count()
	if n > cap(u.slab)-len(u.slab) {
		u.slab = make([]PlaceCount, 0, max(n, 256))
	}
	start := len(u.slab)
	for range n {
		u.slab = append(u.slab, PlaceCount{u.Number(), u.Number()})
	}
	// Its capacity ends there, so that adding to it does not change the next.
	return PlaceCounts(u.slab[start:len(u.slab):len(u.slab)])
}
