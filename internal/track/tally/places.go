package tally

import (
	"slices"

	"earshot/internal/track/packed"
)

// Places counts answers by a place such as a position or a rank, in ascending order of the place.
type Places []PlaceCount

// PlaceCount is the number of answers with one place.
type PlaceCount struct {
	At    int // from 1
	Count int
}

// Add counts more answers with a place. A linear search is fast, because there are few places.
func (p *Places) Add(at, count int) {
	i := 0
	for i < len(*p) && (*p)[i].At < at {
		i++
	}
	if i == len(*p) || (*p)[i].At != at {
		*p = slices.Insert(*p, i, PlaceCount{At: at})
	}
	(*p)[i].Count += count
}

func (p Places) encode(w *packed.Writer) {
	w.Number(len(p))
	for _, place := range p {
		w.Number(place.At, place.Count)
	}
}
