package stats

import "slices"

// AllInPart returns the probability that all of x marked items, which are spread at random over
// part + rest items, are in the part. It is the p-value of Fisher's exact test if the rest has
// none.
func AllInPart(x, part, rest int) float64 {
	p := 1.0
	for i := range x {
		p *= float64(part-i) / float64(part+rest-i)
	}
	return max(0, p)
}

// OutsideRange returns how many values in a row must be outside the range of the n values before
// them, all above or all below, so that this happens by chance with a probability of at most p. By
// chance means that every order of the values is equally likely. It returns false if more than n
// values would be needed.
func OutsideRange(n int, p float64) (values int, ok bool) {
	orders := 1.0 // the number of ways to choose the last k of n+k values
	for k := 1; k <= n; k++ {
		orders *= float64(n+k) / float64(k)
		if 2/orders <= p*(1+1e-12) {
			return k, true
		}
	}
	return 0, false
}

// LeftRange reports whether the last k values are all above or all below all values before them.
func LeftRange(values []float64, k int) bool {
	before, last := values[:len(values)-k], values[len(values)-k:]
	return slices.Min(last) > slices.Max(before) || slices.Max(last) < slices.Min(before)
}
