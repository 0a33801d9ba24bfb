package stats

import "math"

// CountIntervals returns the 95 % intervals of R, a mean of counts that are at least 1, such
// as searches per answer that searched. A mean of counts is not a proportion, so the intervals
// are R ± t·√v instead of Wilson's, with a lower end of at least 1. SweepMeans and Units are of
// the linearised ratio, and N is the number of counts.
//
// For the rerun interval v is max(V, 1/N²) with the degrees of V. With fewer than 5 sweeps v is
// max(s²/N, 1/N²) with N − 1 degrees, where s² is the sample variance of the counts; the
// interval is nil with a single count. For the market interval
//
//	v = max(C/(C−1) · Σ deviation² + V, 1/N²), with C − 1 degrees
//
// over C units. It is nil with a single unit.
func (c Cut) CountIntervals(variance float64) (rerun, market *Interval) {
	between, n := LongRun(c.SweepMeans), c.Denominator
	if len(c.SweepMeans) >= EnoughSweeps {
		rerun = c.around(between)
	} else if n > 1 {
		rerun = c.around(Variance{variance / n, n - 1})
	}
	if units := float64(len(c.Units)); units > 1 {
		squares := 0.0
		for _, unit := range c.Units {
			squares += unit.Deviation * unit.Deviation
		}
		market = c.around(Variance{units/(units-1)*squares + between.Value, units - 1})
	}
	return rerun, market
}

// around returns Value ± t·√v, where v is at least 1/N² and the lower end at least 1.
func (c Cut) around(v Variance) *Interval {
	half := student975(v.Degrees) * math.Sqrt(math.Max(v.Value, 1/(c.Denominator*c.Denominator)))
	return &Interval{math.Max(1, c.Value-half), c.Value + half}
}
