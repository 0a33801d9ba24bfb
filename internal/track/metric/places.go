package metric

import "slices"

// PlaceCounts counts answers by the place that something has in them, the first place first.
type PlaceCounts []PlaceCount

// PlaceCount is how many answers have one place.
type PlaceCount struct {
	At    int // from 1
	Count int
}

// add counts more answers of a place.
func (p *PlaceCounts) add(at, count int) {
	i := 0
	for i < len(*p) && (*p)[i].At < at { // there are few
		i++
	}
	if i < len(*p) && (*p)[i].At == at {
		(*p)[i].Count += count
		return
	}
	*p = slices.Insert(*p, i, PlaceCount{at, count})
}

// merge adds the counts of others.
func (p *PlaceCounts) merge(others PlaceCounts) {
	for _, other := range others {
		p.add(other.At, other.Count)
	}
}

// between is how many have a place from low to high; a high of 0 is none.
func (p PlaceCounts) between(low, high int) int {
	n := 0
	for _, place := range p {
		if place.At >= low && (high == 0 || place.At <= high) {
			n += place.Count
		}
	}
	return n
}

// prominence is Σ 1/place, summed from the front so that it does not depend on the order
// of answers.
func (p PlaceCounts) prominence() float64 {
	sum := 0.0
	for _, place := range p {
		sum += float64(place.Count) / float64(place.At)
	}
	return sum
}

// median is the middle place; that of an even number is the mean of the middle two.
func (p PlaceCounts) median() float64 {
	n := p.between(1, 0)
	at := func(index int) float64 {
		for _, place := range p {
			if index -= place.Count; index < 0 {
				return float64(place.At)
			}
		}
		return 0
	}
	return (at((n-1)/2) + at(n/2)) / 2
}
