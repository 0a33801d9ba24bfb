package stats

import (
	"maps"
	"math"
	"slices"
)

// Jaccard is the distance of two sets (Jaccard 1901): 1 − |a ∩ b| ÷ |a ∪ b|. The keys of
// the maps are the sets. Two empty sets have none, and false.
func Jaccard[K comparable, V any](a, b map[K]V) (float64, bool) {
	both := 0
	for key := range a {
		if _, ok := b[key]; ok {
			both++
		}
	}
	either := len(a) + len(b) - both
	if either == 0 {
		return 0, false
	}
	return 1 - float64(both)/float64(either), true
}

// BrayCurtis is the distance of two counts (Bray and Curtis 1957):
//
//	Σ |a − b| ÷ Σ (a + b)
//
// Two counts of nothing have none, and false.
func BrayCurtis(a, b map[string]float64) (float64, bool) {
	apart, together := 0.0, 0.0
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		apart += math.Abs(a[key] - b[key])
		together += a[key] + b[key]
	}
	if together == 0 {
		return 0, false
	}
	return apart / together, true
}
