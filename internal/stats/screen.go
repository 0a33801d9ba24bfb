package stats

import (
	"cmp"
	"slices"
)

// Discoveries reports which of m tests are significant at a false discovery rate (Benjamini
// and Hochberg 1995): of the sorted p-values, all up to the largest k with p_(k) ≤ k/m · rate.
func Discoveries(p []float64, rate float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	last := -1
	for k, i := range order {
		if p[i] <= float64(k+1)/float64(len(p))*rate {
			last = k
		}
	}
	found := make([]bool, len(p))
	for _, i := range order[:last+1] {
		found[i] = true
	}
	return found
}
