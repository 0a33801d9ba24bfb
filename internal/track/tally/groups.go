package tally

import "earshot/internal/track/packed"

func (l *Layout[Cell, Brand, Lists]) encodeGroups(groups []Group[Cell]) string {
	w := packed.Writer{groupFormat}
	w.Number(len(groups))
	for i := range groups {
		g := &groups[i]
		w.Number(map[bool]int{true: 1}[g.Branded], g.Cells)
		w.Fraction(g.Weight)
		g.Prompts.encode(&w)
		encodeNonzero(&w, &g.Counts, l.Cell, 0)
		brands := *l.Brands(&g.Counts)
		for i := range brands {
			b, present := &brands[i], 0
			for bit, list := range l.Places {
				if len(l.places(b, list)) > 0 {
					present |= 1 << bit
				}
			}
			encodeNonzero(&w, b, l.Brand, present)
			for bit, list := range l.Places {
				if present&(1<<bit) != 0 {
					l.places(b, list).encode(&w)
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

func (l *Layout[Cell, Brand, Lists]) decodeGroups(stored string, brands int) ([]Group[Cell], error) {
	if stored == "" || stored[0] != groupFormat {
		return nil, ErrDamaged
	}
	r := packed.NewReader(stored[1:])
	groups := make([]Group[Cell], r.Count())
	for i := range groups {
		groups[i] = Group[Cell]{Branded: r.Number() == 1, Cells: r.Number(), Weight: r.Fraction(), Prompts: decodePrompts(r)}
		c := &groups[i].Counts
		decodeNonzero(r, c, l.Cell)
		ofBrands := make([]Brand, brands)
		*l.Brands(c) = ofBrands
		for i := range ofBrands {
			lists := decodeNonzero(r, &ofBrands[i], l.Brand)
			for bit, list := range l.Places {
				if lists&(1<<bit) != 0 {
					l.decodePlaces(r, &ofBrands[i], list)
				}
			}
		}
	}
	if !r.Done() {
		return nil, ErrDamaged
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
