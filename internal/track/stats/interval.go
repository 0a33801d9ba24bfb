package stats

import "math"

// enoughUnits is how many questions must have a mention, and how many must lack one,
// before the variance between them is trusted: rare brands are covered in 85 to 88 % of
// cases without this rule.
const enoughUnits = 5

// Cut is what the two intervals of a number are computed from.
type Cut struct {
	Value       float64 // p: the weighted mean over cells, or a ratio of two such means
	Numerator   float64 // plain counts: 0, or equal to the denominator, is a case of its own
	Denominator float64 // N: the eligible answers; of a ratio, its plain denominator
	Cells       int
	SweepMeans  []float64 // in the order of slots
	Units       []Unit    // the questions; one for each cell where there is one target
}

// Unit is a question, with all of its cells.
type Unit struct {
	// Deviation is Σ ω·(m − p) over the cells, m the cell's mean, ω its weight where all
	// weights of the cut add up to 1. In a ratio it is Σ ω·(x − R·y)/mean(y).
	Deviation float64
	Some      bool // has a mention: mean > 0
	Lacking   bool // lacks one: mean < 1
}

// constant reports whether all answers agree. Then no variance can be estimated, and
// both intervals are Wilson's on the number of cells.
func (c Cut) constant() bool {
	return c.Numerator == 0 || c.Numerator == c.Denominator
}

// Rerun is the interval for "these questions, asked again": Wilson on the effective n of
//
//	v = max(V, 1/N²)
//
// V the long-run variance of the sweep means, with its degrees; 1/N² is what one
// flipped answer makes, and keeps identical sweeps from a width of 0. Below 5 sweeps it
// is Wilson's on the N answers.
func (c Cut) Rerun() Interval { return c.rerun(LongRun(c.SweepMeans)) }

func (c Cut) rerun(v Variance) Interval {
	if c.constant() {
		return Wilson(c.Value, float64(c.Cells))
	}
	if len(c.SweepMeans) < EnoughSweeps {
		return Wilson(c.Value, c.Denominator)
	}
	floor := 1 / (c.Denominator * c.Denominator)
	return Wilson(c.Value, effectiveN(c.Value, math.Max(v.Value, floor), v.Degrees))
}

// Market is the interval for "questions like these": Wilson on the effective n of
//
//	v = C/(C−1) · Σ deviation² + V, with C − 1 degrees
//
// over C units; the first part is the variance of the units' means ÷ C where weights
// are equal. n is at most N, and at most C when fewer than 5 units have a mention or
// fewer than 5 lack one. There is none, and false, with a single unit.
func (c Cut) Market() (Interval, bool) { return c.market(LongRun(c.SweepMeans)) }

// Intervals are both. It is Rerun and Market with one estimate of V.
func (c Cut) Intervals() (rerun, market Interval, ok bool) {
	v := LongRun(c.SweepMeans)
	market, ok = c.market(v)
	return c.rerun(v), market, ok
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
