package metric

import (
	"cmp"
	"errors"
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

// unpackCells reads what PackCells wrote, and adds each tally to the one that of has for
// the number of a prompt, nil to pass it over.
func unpackCells(stored []byte, brands int, of func(prompt int) *Tally) error {
	if len(stored) == 0 || stored[0] != packFormat {
		return errDamaged
	}
	r := packed.NewReader(string(stored[1:]))
	var unused *Tally
	number := 0
	for range r.Count() {
		number += r.Number()
		t := of(number)
		if t == nil {
			if unused == nil {
				unused = NewTally(brands)
			}
			t = unused
		}
		unpackTally(r, t)
	}
	if !r.Done() {
		return errDamaged
	}
	return nil
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
	r := packed.NewReader(string(stored[1:]))
	groups := make([]Group, r.Count())
	for i := range groups {
		groups[i] = Group{Branded: r.Number() == 1, Cells: r.Number(), Weight: r.Fraction()}
		groups[i].Tally.Brands = make([]BrandTally, brands)
		unpackTally(r, &groups[i].Tally)
	}
	if !r.Done() {
		return nil, errDamaged
	}
	return groups, nil
}

// MergeCells adds up the packed cells of several sweeps.
func MergeCells(all [][]byte, brands int) ([]byte, error) {
	merged := map[int]*Tally{}
	for _, stored := range all {
		err := unpackCells(stored, brands, func(prompt int) *Tally {
			if merged[prompt] == nil {
				merged[prompt] = NewTally(brands)
			}
			return merged[prompt]
		})
		if err != nil {
			return nil, err
		}
	}
	var cells []NumberedTally
	for prompt, t := range merged {
		cells = append(cells, NumberedTally{prompt, t})
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

// unpackTally adds what packTally wrote to a tally.
func unpackTally(r *packed.Reader, t *Tally) {
	t.noSources = true
	counts := t.numbers()
	unpackCounts(r, counts[:])
	for i := range t.Brands {
		b := &t.Brands[i]
		counts := b.numbers()
		more := unpackCounts(r, counts[:])
		for bit := 0; more>>bit != 0; bit++ {
			if more&(1<<bit) == 0 {
				continue
			}
			places := b.places()[bit%len(b.places())]
			for range r.Count() {
				places.add(r.Number(), r.Number())
			}
		}
	}
}

func unpackCounts(r *packed.Reader, counts []*int) (more int) {
	present := r.Number()
	for bit, count := range counts {
		if present&(1<<bit) != 0 {
			*count += r.Number()
		}
	}
	return present >> len(counts)
}
