package stats

import "math"

// Interval is a lower and an upper end.
type Interval [2]float64

// Wilson is the score interval of 95 % of a proportion p of n answers (Wilson 1927):
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) ÷ (1 + z²/n)
//
// held to 0..1, and exactly 0 below p = 0 and 1 above p = 1. n need not be whole: it is
// the effective number of answers where these are not independent.
func Wilson(p, n float64) Interval {
	square := z975 * z975
	centre := (p + square/(2*n)) / (1 + square/n)
	half := z975 / (1 + square/n) * math.Sqrt(p*(1-p)/n+square/(4*n*n))
	ends := Interval{math.Max(0, centre-half), math.Min(1, centre+half)}
	if p == 0 {
		ends[0] = 0
	}
	if p == 1 {
		ends[1] = 1
	}
	return ends
}

// effectiveN is the number of independent answers that would leave a proportion p as
// uncertain as a variance v with df degrees of freedom does:
//
//	n = p(1−p)/v · (z/t)², t the Student quantile of df
//
// The second factor widens the interval for a variance that is itself an estimate.
func effectiveN(p, v, df float64) float64 {
	ratio := z975 / student975(df)
	return p * (1 - p) / v * ratio * ratio
}
