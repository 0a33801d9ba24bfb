package stats

import "math"

// Interval is a lower and an upper end.
type Interval [2]float64

// Wilson returns the 95 % score interval of a proportion p of n answers (Wilson 1927),
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) ÷ (1 + z²/n)
//
// limited to 0..1. The lower end is exactly 0 for p = 0, and the upper end exactly 1 for
// p = 1. n may be an effective sample size, which need not be an integer.
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

// effectiveN returns the number of independent answers for which a proportion p has the
// variance v:
//
//	n = p(1−p)/v · (z/t)², where t is the Student quantile of df
//
// The second factor widens the interval, because v is an estimate with df degrees of freedom.
func effectiveN(p, v, df float64) float64 {
	ratio := z975 / student975(df)
	return p * (1 - p) / v * ratio * ratio
}
