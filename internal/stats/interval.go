package stats

import "math"

// enoughUnits is the number of prompts that must have a mention, and the number that must
// lack one, for a reliable variance between prompts. Without this rule the interval of a
// rare brand covers the truth in only 85 to 88 % of cases.
const enoughUnits = 5

// Cut contains the data of the two intervals of a number.
type Cut struct {
	Value       float64 // p, the weighted mean over cells, or a ratio of two such means
	Numerator   float64 // plain count; 0 or equal to Denominator if all answers agree
	Denominator float64 // N, the eligible answers; for a ratio, its plain denominator
	Cells       int
	// Unequal is C·Σω² over the shares ω of the cells in the total weight: 1 if all weights are equal.
	Unequal    float64
	SweepMeans []float64 // in the order of slots
	Units      []Unit
}

// Unit is a prompt with its cells on all targets.
type Unit struct {
	// Deviation is Σ ω·(m − p) over the cells, where m is the mean of the cell and ω its
	// share of the total weight. For a ratio it is Σ ω·(x − R·y)/mean(y).
	Deviation float64
	Some      bool // some answer has a mention
	Lacking   bool // some answer lacks a mention
}

// constant reports whether all answers agree. No variance can be estimated then, and both
// intervals are Wilson intervals with n = number of cells.
func (c Cut) constant() bool {
	return c.Numerator == 0 || c.Numerator == c.Denominator
}

// Intervals returns the 95 % intervals for a rerun of the same prompts, and for the market:
// prompts like these. ok is false if there is no market interval, because there is only one
// unit.
//
// Both are Wilson intervals with the effective n of a variance v. Let V be the long-run
// variance of the sweep means. For the rerun interval
//
//	v = max(V, 1/N²), with the degrees of V
//
// where 1/N² is the variance that one different answer causes, so that identical sweeps do
// not give a width of 0. With fewer than 5 sweeps n is N ÷ Unequal. For the market interval
//
//	v = C/(C−1) · Σ deviation² + V, with C − 1 degrees
//
// over C units. The first term is the variance of the means of units ÷ C if all weights are
// equal. n is at most N, and at most C if fewer than 5 units have a mention or fewer than 5
// lack one.
func (c Cut) Intervals() (rerun, market Interval, ok bool) {
	v := LongRun(c.SweepMeans)
	market, ok = c.market(v)
	return c.rerun(v), market, ok
}

func (c Cut) rerun(v Variance) Interval {
	if c.constant() {
		return Wilson(c.Value, float64(c.Cells))
	}
	if len(c.SweepMeans) < EnoughSweeps {
		return Wilson(c.Value, c.Denominator/c.Unequal)
	}
	floor := 1 / (c.Denominator * c.Denominator)
	return Wilson(c.Value, effectiveN(c.Value, math.Max(v.Value, floor), v.Degrees))
}

func (c Cut) market(between Variance) (Interval, bool) {
	if c.constant() {
		return Wilson(c.Value, float64(c.Cells)), true
	}
	count := float64(len(c.Units))
	if count < 2 {
		return Interval{}, false
	}
	squares, some, lacking := 0.0, 0, 0
	for _, unit := range c.Units {
		squares += unit.Deviation * unit.Deviation
		if unit.Some {
			some++
		}
		if unit.Lacking {
			lacking++
		}
	}
	v := count/(count-1)*squares + between.Value
	n := math.Min(effectiveN(c.Value, v, count-1), c.Denominator)
	if some < enoughUnits || lacking < enoughUnits {
		n = math.Min(n, count)
	}
	return Wilson(c.Value, n), true
}
