package metric

import "earshot/internal/stats"

// Sums contain everything that the value, the intervals and the series of a rate or a ratio
// are computed from.
type Sums struct {
	Sweeps  []SweepSums // in the order of slots, one for each sweep of the cut
	Cells   []CellSums  // cells with answers; for a ratio m2 only the cells with a denominator
	Answers int         // of all cells
	Squares int         // Σ x² over answers, only for a mean of counts
}

// SweepSums are the sums over all cells with eligible answers in one sweep.
type SweepSums struct {
	Answers int     // eligible
	Weight  float64 // Σ w, where w is the weight of the cell's prompt
	X       float64 // Σ w·x̄, where x̄ is the mean of x over the cell's eligible answers
	Y       float64 // Σ w·ȳ, only for a ratio
}

// Mean returns the sweep mean of a rate, or false if the sweep has no eligible answers.
func (s SweepSums) Mean() (float64, bool) {
	if s.Answers == 0 {
		return 0, false
	}
	return s.X / s.Weight, true
}

// CellSums are the sums of one cell over the sweeps of the cut.
type CellSums struct {
	Prompt  int // index of the prompt version
	Weight  float64
	Answers int // eligible
	X, Y    float64
}

// Estimate is the value of a rate or ratio with its intervals.
type Estimate struct {
	Value       *float64 // nil if the denominator is 0
	Numerator   float64
	Denominator float64
	Answers     int
	Cells       int
	Sweeps      int
	Interval    *Intervals
	Lag1        *float64 // correlation of neighbouring sweep means
}

// Intervals are the two 95 % intervals of an estimate.
type Intervals struct {
	Rerun  *stats.Interval `json:"rerun"`  // nil if a mean of counts has a single count and fewer than 5 sweeps
	Market *stats.Interval `json:"market"` // nil with a single prompt
}

// Provisional reports whether there are too few sweeps to estimate the variance between days.
func (e Estimate) Provisional() bool { return e.Sweeps < stats.EnoughSweeps }

// totals are the sums over all cells.
type totals struct {
	answers      int
	x, y         float64 // unweighted sums
	weight       float64
	meanX, meanY float64 // weighted means of the means of cells
}

func (s Sums) totals() totals {
	var t totals
	for _, c := range s.Cells {
		t.answers += c.Answers
		t.x += c.X
		t.y += c.Y
		t.weight += c.Weight
		t.meanX += c.Weight * c.X / float64(c.Answers)
		t.meanY += c.Weight * c.Y / float64(c.Answers)
	}
	if t.weight > 0 {
		t.meanX /= t.weight
		t.meanY /= t.weight
	}
	return t
}

// counted returns the number of sweeps with eligible answers.
func (s Sums) counted() int {
	n := 0
	for _, sweep := range s.Sweeps {
		if sweep.Answers > 0 {
			n++
		}
	}
	return n
}

// Rate returns the weighted mean of the means of cells.
func (s Sums) Rate() Estimate {
	t := s.totals()
	e := Estimate{Numerator: t.x, Denominator: float64(t.answers), Answers: s.Answers, Cells: len(s.Cells), Sweeps: s.counted()}
	if t.answers == 0 {
		return e
	}
	s.estimate(&e, t.meanX, func(x, _ float64) float64 { return x }, t.meanX, wilson)
	return e
}

// Ratio returns R, the weighted mean of x ÷ the weighted mean of y. Its intervals are
// computed from the linearised ratio u = (x − R·y)/mean(y).
func (s Sums) Ratio() Estimate { return s.ratio(wilson) }

// Mean returns the mean of a count over the answers that have one. It is a ratio with other
// intervals, because it is not a proportion.
func (s Sums) Mean() Estimate {
	t := s.totals()
	variance := 0.0
	if t.y > 1 {
		variance = (t.y*float64(s.Squares) - t.x*t.x) / (t.y * (t.y - 1))
	}
	return s.ratio(func(c stats.Cut) Intervals {
		rerun, market := c.CountIntervals(variance)
		return Intervals{rerun, market}
	})
}

func (s Sums) ratio(intervals func(stats.Cut) Intervals) Estimate {
	t := s.totals()
	e := Estimate{Numerator: t.x, Denominator: t.y, Answers: s.Answers, Cells: len(s.Cells), Sweeps: s.counted()}
	if t.y == 0 {
		return e
	}
	ratio := t.meanX / t.meanY
	s.estimate(&e, ratio, func(x, y float64) float64 { return (x - ratio*y) / t.meanY }, 0, intervals)
	return e
}

// wilson returns the intervals of a proportion.
func wilson(c stats.Cut) Intervals {
	rerun, market, ok := c.Intervals()
	if !ok {
		return Intervals{Rerun: &rerun}
	}
	return Intervals{&rerun, &market}
}

// estimate sets the value and the intervals. f maps the means of x and y of a cell or sweep
// to a quantity whose mean is centre: x itself for a rate, the linearised ratio for a ratio.
func (s Sums) estimate(e *Estimate, value float64, f func(x, y float64) float64, centre float64, intervals func(stats.Cut) Intervals) {
	switch e.Numerator { // exactly 0 or 1, without rounding errors of the weights
	case 0:
		value = 0
	case e.Denominator:
		value = 1
	}
	cut := stats.Cut{
		Value: value, Numerator: e.Numerator, Denominator: e.Denominator, Cells: len(s.Cells), Unequal: s.unequal(),
		SweepMeans: s.means(f), Units: s.units(f, centre),
	}
	e.Value, e.Interval = &value, new(intervals(cut))
	if lag1, ok := stats.Lag1(cut.SweepMeans); ok {
		e.Lag1 = &lag1
	}
}

// unequal returns C·Σω² over the shares ω of the C cells in the total weight.
func (s Sums) unequal() float64 {
	weight, squares := 0.0, 0.0
	for _, c := range s.Cells {
		weight += c.Weight
		squares += c.Weight * c.Weight
	}
	return float64(len(s.Cells)) * squares / (weight * weight)
}

// means returns the means of f of all sweeps with answers.
func (s Sums) means(f func(x, y float64) float64) []float64 {
	var means []float64
	for _, sweep := range s.Sweeps {
		if sweep.Answers > 0 {
			means = append(means, f(sweep.X/sweep.Weight, sweep.Y/sweep.Weight))
		}
	}
	return means
}

// units returns one unit per prompt, which contains the cells of all targets. Targets that
// are asked the same prompt are not independent samples of prompts.
func (s Sums) units(f func(x, y float64) float64, centre float64) []stats.Unit {
	weight, last := 0.0, 0
	for _, c := range s.Cells {
		weight += c.Weight
		last = max(last, c.Prompt)
	}
	number := make([]int, last+1) // number of the unit of each prompt, from 1
	units := make([]stats.Unit, 0, min(len(s.Cells), last+1))
	for _, c := range s.Cells {
		if number[c.Prompt] == 0 {
			units = append(units, stats.Unit{})
			number[c.Prompt] = len(units)
		}
		n := float64(c.Answers)
		unit := &units[number[c.Prompt]-1]
		unit.Deviation += c.Weight / weight * (f(c.X/n, c.Y/n) - centre)
		unit.Some = unit.Some || c.X > 0
		unit.Lacking = unit.Lacking || c.X < c.Y
	}
	return units
}

// side returns the sweep means of a rate as one period of a comparison.
func (s Sums) side() stats.Side {
	return stats.Side{Sweeps: s.means(func(x, _ float64) float64 { return x }), Answers: s.totals().answers}
}
