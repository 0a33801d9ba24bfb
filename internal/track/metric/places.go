package metric

import "earshot/internal/track/tally"

// PlaceCounts counts answers by a place such as a position or a rank.
type PlaceCounts tally.Places

// add counts more answers with a place.
func (p *PlaceCounts) add(at, count int) { (*tally.Places)(p).Add(at, count) }

func (p *PlaceCounts) merge(others PlaceCounts) {
	for _, other := range others {
		p.add(other.At, other.Count)
	}
}

// between counts the answers with a place from low to high. A high of 0 means no limit.
func (p PlaceCounts) between(low, high int) int {
	n := 0
	for _, place := range p {
		if place.At >= low && (high == 0 || place.At <= high) {
			n += place.Count
		}
	}
	return n
}

// prominence returns Σ 1/place. It adds in the order of places, so that the order of
// answers does not change a digit.
func (p PlaceCounts) prominence() float64 {
	sum := 0.0
	for _, place := range p {
		sum += float64(place.Count) / float64(place.At)
	}
	return sum
}

// median returns the median place: the mean of the two middle ones if the number is even.
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
