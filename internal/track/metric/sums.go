package metric

import "earshot/internal/track/stats"

// Sums are all that a rate or a ratio of a cut is computed from, together with its
// intervals and its series. Those of several targets are appended and added: see Add.
type Sums struct {
	Sweeps []SweepSums // in the order of slots, one for each sweep of the cut
	Cells  []CellSums  // those with eligible answers
}

// SweepSums are the sums over the cells of one sweep. Cells without eligible answers in
// that sweep are left out of all of them.
type SweepSums struct {
	Answers int     // eligible
	Weight  float64 // Σ w, w the weight of the cell's prompt
	X       float64 // Σ w·x̄, x̄ the cell's mean over its eligible answers of the sweep
	Y       float64 // Σ w·ȳ, of a ratio
}

// Mean is the sweep mean of a rate, and false where the sweep has no eligible answers.
// It is what a change detector is stepped with, together with Answers.
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

// Add puts the sums of other targets beside these. The sweeps of both are the same.
func (s *Sums) Add(other Sums) {
	if s.Sweeps == nil {
		s.Sweeps = make([]SweepSums, len(other.Sweeps))
	}
	for i, sweep := range other.Sweeps {
		s.Sweeps[i].Answers += sweep.Answers
		s.Sweeps[i].Weight += sweep.Weight
		s.Sweeps[i].X += sweep.X
		s.Sweeps[i].Y += sweep.Y
	}
	s.Cells = append(s.Cells, other.Cells...)
}

// Estimate is a number with all that says how far it can be trusted.
type Estimate struct {
	Value       *float64 // nil where there is none
	Numerator   float64
	Denominator float64
	Answers     int
	Cells       int
	Sweeps      int
	Interval    *Intervals
	Lag1        *float64 // correlation of neighbouring sweep means
}

// Intervals are the two of an estimate.
type Intervals struct {
	Rerun  stats.Interval  `json:"rerun"`
	Market *stats.Interval `json:"market"` // nil with a single question
}

// Provisional reports whether there are too few sweeps to know how days differ.
func (e Estimate) Provisional() bool { return e.Sweeps < stats.EnoughSweeps }

// totals are the sums over all cells.
type totals struct {
	answers      int
	x, y         float64 // plain
	weight       float64
	meanX, meanY float64 // weighted means of the cells' means
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

// counted is how many sweeps have eligible answers.
func (s Sums) counted() int {
	n := 0
	for _, sweep := range s.Sweeps {
		if sweep.Answers > 0 {
			n++
		}
	}
	return n
}

// Rate is the mean of the cells' means by weight. It has none without eligible answers.
func (s Sums) Rate() Estimate {
	t := s.totals()
	e := Estimate{Numerator: t.x, Denominator: float64(t.answers), Answers: t.answers, Cells: len(s.Cells), Sweeps: s.counted()}
	if t.answers == 0 {
		return e
	}
	s.judge(&e, t.meanX, func(x, _ float64) float64 { return x }, t.meanX)
	return e
}

// Ratio is the weighted mean of x ÷ that of y. It has none where y is 0 everywhere. Its
// intervals are those of u = (x − R·y)/mean(y), the linearised ratio.
func (s Sums) Ratio() Estimate {
	t := s.totals()
	e := Estimate{Numerator: t.x, Denominator: t.y, Answers: t.answers, Cells: len(s.Cells), Sweeps: s.counted()}
	if t.y == 0 {
		return e
	}
	ratio := t.meanX / t.meanY
	s.judge(&e, ratio, func(x, y float64) float64 { return (x - ratio*y) / t.meanY }, 0)
	return e
}

// judge fills in value and intervals. value is p; of turns the means of x and y into what
// varies around centre.
func (s Sums) judge(e *Estimate, value float64, of func(x, y float64) float64, centre float64) {
	switch e.Numerator { // exactly, whatever the weights add up to
	case 0:
		value = 0
	case e.Denominator:
		value = 1
	}
	cut := stats.Cut{
		Value: value, Numerator: e.Numerator, Denominator: e.Denominator, Cells: len(s.Cells),
		SweepMeans: s.means(of), Units: s.units(of, centre),
	}
	e.Value = &value
	rerun, market, ok := cut.Intervals()
	e.Interval = &Intervals{Rerun: rerun}
	if ok {
		e.Interval.Market = &market
	}
	if lag1, ok := stats.Lag1(cut.SweepMeans); ok {
		e.Lag1 = &lag1
	}
}

// means are the sweep means, of sweeps that have any answers.
func (s Sums) means(of func(x, y float64) float64) []float64 {
	var means []float64
	for _, sweep := range s.Sweeps {
		if sweep.Answers > 0 {
			means = append(means, of(sweep.X/sweep.Weight, sweep.Y/sweep.Weight))
		}
	}
	return means
}

// units are the questions, each with the cells of all targets: engines that are asked the
// same question are no independent sample of questions.
func (s Sums) units(of func(x, y float64) float64, centre float64) []stats.Unit {
	weight, most := s.totals().weight, 0
	for _, c := range s.Cells {
		most = max(most, c.Prompt)
	}
	places := make([]int, most+1) // of prompts among the units, from 1
	units := make([]stats.Unit, 0, min(len(s.Cells), most+1))
	for _, c := range s.Cells {
		if places[c.Prompt] == 0 {
			units = append(units, stats.Unit{})
			places[c.Prompt] = len(units)
		}
		at := places[c.Prompt] - 1
		n := float64(c.Answers)
		unit := &units[at]
		unit.Deviation += c.Weight / weight * (of(c.X/n, c.Y/n) - centre)
		unit.Some = unit.Some || c.X > 0
		unit.Lacking = unit.Lacking || c.X < c.Y
	}
	return units
}
