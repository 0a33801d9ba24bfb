package stats

import (
	"maps"
	"math"
	"slices"
)

// Jaccard returns the Jaccard distance of two sets, the keys of the maps:
// 1 − |a ∩ b| ÷ |a ∪ b|. It returns false for two empty sets.
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

// BrayCurtis returns the Bray–Curtis distance Σ |a − b| ÷ Σ (a + b) of two maps of counts.
// It returns false if all counts are 0.
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

// Median returns the median of one or more values.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Mode returns the key with the largest count. Of several it returns the first by name.
func Mode(counts map[string]int) string {
	best := ""
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[key] > counts[best] {
			best = key
		}
	}
	return best
}
