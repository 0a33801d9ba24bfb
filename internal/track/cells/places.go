package cells

import "slices"

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

// Merge adds the counts of others.
func (p *Places) Merge(others Places) {
	for _, other := range others {
		p.Add(other.At, other.Count)
	}
}

// Between counts the answers with a place from low to high. A high of 0 means no limit.
func (p Places) Between(low, high int) int {
	n := 0
	for _, place := range p {
		if place.At >= low && (high == 0 || place.At <= high) {
			n += place.Count
		}
	}
	return n
}

// Prominence returns Σ 1/place. It adds in the order of places, so that the order of
// answers does not change a digit.
func (p Places) Prominence() float64 {
	sum := 0.0
	for _, place := range p {
		sum += float64(place.Count) / float64(place.At)
	}
	return sum
}

// Median returns the median place: the mean of the two middle ones if the number is even.
func (p Places) Median() float64 {
	n := p.Between(1, 0)
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
