package stats

import (
	"math"
	"slices"
)

// SeriesState is the state of the change detector of one metric of one brand on one target.
// It is stored as JSON between sweeps. The zero value is a series without sweeps.
type SeriesState struct {
	Detector CUSUM `json:"cusum"`
	Level    Level `json:"level"` // of the sweeps since the series started
	// Basis identifies the conditions of the values: the surface, the brand names. Values with
	// different bases are not comparable.
	Basis string `json:"basis"`
	// First is the first sweep since the series started or was reset.
	First string `json:"first"`
	// UpSince and DownSince are the sweeps since which the detector's sums are above 0, or
	// "". They are the estimated start of a change when a sum exceeds the threshold.
	UpSince   string `json:"upSince,omitempty"`
	DownSince string `json:"downSince,omitempty"`
}

// Level contains what each cell answered in some sweeps, by the number of the cell.
type Level map[int]Past

// Past contains the answers of a cell in some sweeps.
type Past struct {
	Sweeps int     `json:"s"` // with an answer
	N      float64 `json:"n"` // answers
	X      float64 `json:"x"` // their sum
}

// Value contains the cells of a series that answered in one sweep.
type Value struct {
	Sweep string
	Cells []CellValue
	Basis string
	Break bool // not comparable with earlier values, for a reason that Basis does not contain
}

// CellValue contains the answers of a cell in one sweep.
type CellValue struct {
	Cell   int
	Weight float64
	N      float64 // answers
	X      float64 // their sum
}

// Mean returns the weighted mean of the means of the cells.
func (v *Value) Mean() float64 {
	sum, weight := 0.0, 0.0
	for _, c := range v.Cells {
		sum += c.Weight * c.X / c.N
		weight += c.Weight
	}
	return sum / weight
}

func (v *Value) answers() int {
	n := 0.0
	for _, c := range v.Cells {
		n += c.N
	}
	return int(n)
}

// Shift is a lasting change that a detector found.
type Shift struct {
	Direction Direction
	Since     string // estimated first sweep of the change
	First     string // first sweep of the series
	Score     float64
	H         float64
}

// Difference returns by how much the cells differ from their own means in a level, as a weighted
// mean over the cells that the level contains. A missing cell therefore does not look like a
// change. scaled is the difference scaled to the variance of a single sweep: multiplied by
// √(K/(K+1)), where 1/K is the weighted mean of 1 ÷ the number of sweeps in the level. It returns
// false without such a cell.
func (l Level) Difference(v *Value) (difference, scaled float64, ok bool) {
	var weight, shares float64
	for _, c := range v.Cells {
		if before := l[c.Cell]; before.Sweeps > 0 {
			weight += c.Weight
			difference += c.Weight * (c.X/c.N - before.X/before.N)
			shares += c.Weight / float64(before.Sweeps)
		}
	}
	if weight == 0 {
		return 0, 0, false
	}
	difference /= weight
	k := weight / shares
	return difference, difference * math.Sqrt(k/(k+1)), true
}

// Add adds a sweep to the level.
func (l Level) Add(v *Value) {
	for _, c := range v.Cells {
		before := l[c.Cell]
		l[c.Cell] = Past{before.Sweeps + 1, before.N + c.N, before.X + c.X}
	}
}

// Point is what one sweep did to a series.
type Point struct {
	Step
	Residual *float64 // nil if no cell has answered before
}

// Step adds the next sweep with answers, with h as the current threshold, and reports whether it
// found a shift. After a shift the series is reset.
func (s *SeriesState) Step(v Value, h float64) (p Point, shift Shift, found bool) {
	if len(v.Cells) == 0 {
		return p, shift, false
	}
	if s.First == "" || s.Basis != v.Basis || v.Break {
		*s = SeriesState{Basis: v.Basis, First: v.Sweep}
	}
	if s.Level == nil {
		s.Level = Level{}
	}
	if s.Detector.H = h; s.Detector.K == 0 {
		s.Detector.K = DefaultK
	}
	p.Up, p.Down = s.Detector.Up, s.Detector.Down
	if difference, scaled, ok := s.Level.Difference(&v); ok {
		p.Residual, p.Step = &difference, s.Detector.Step(scaled, v.answers())
	}
	s.Level.Add(&v)
	s.UpSince, s.DownSince = since(s.UpSince, p.Up, v.Sweep), since(s.DownSince, p.Down, v.Sweep)
	if p.Alarm == "" {
		return p, shift, false
	}
	shift = Shift{Direction: p.Alarm, Since: s.UpSince, First: s.First, Score: p.Up, H: h}
	if p.Alarm == Down {
		shift.Since, shift.Score = s.DownSince, p.Down
	}
	*s = SeriesState{Basis: v.Basis, First: v.Sweep, Detector: s.Detector}
	return p, shift, true
}

// since returns the sweep since which a sum is above 0.
func since(before string, sum float64, sweep string) string {
	switch {
	case sum == 0:
		return ""
	case before == "":
		return sweep
	default:
		return before
	}
}

// Recovery follows a series after a shift and finds out whether it is back at the level from
// before. It is stored as JSON between sweeps.
type Recovery struct {
	Level   Level     `json:"level"`   // of the sweeps before the shift
	Spread  CUSUM     `json:"spread"`  // the residuals of these sweeps
	Basis   string    `json:"basis"`   // of the sweeps since the shift
	Scores  []float64 `json:"scores"`  // of the sweeps since the shift, at most as many as needed
	Further []string  `json:"further"` // sweeps in which further shifts were found
}

// maxRecovered is the largest score of a sweep that is within the range of a level.
const maxRecovered = 3

// NewRecovery returns a Recovery to the level of the sweeps before a shift, or nil if they are too
// few to know their range.
func NewRecovery(before []Value) *Recovery {
	r := &Recovery{Level: Level{}}
	for _, v := range before {
		if _, scaled, ok := r.Level.Difference(&v); ok {
			r.Spread.Count++
			r.Spread.Squares += scaled * scaled
		}
		r.Level.Add(&v)
	}
	if r.Spread.Count < WarmUp {
		return nil
	}
	return r
}

// Step adds the next sweep and reports whether the value has recovered: as many sweeps as the
// detector needs at the threshold h to find a shift of one standard deviation, h/(1 − k), are
// within the range of the level from before, and their mean score is closer to that level than to
// such a shift.
func (r *Recovery) Step(v Value, h float64) bool {
	if r.Basis != v.Basis || v.Break {
		r.Basis, r.Scores = v.Basis, nil
	}
	_, scaled, ok := r.Level.Difference(&v)
	if !ok {
		return false
	}
	needed := int(math.Ceil(h / (1 - DefaultK)))
	r.Scores = append(r.Scores, r.Spread.score(scaled, v.answers()))
	r.Scores = r.Scores[max(0, len(r.Scores)-needed):]
	return len(r.Scores) == needed && math.Abs(Mean(r.Scores)) < DefaultK &&
		!slices.ContainsFunc(r.Scores, func(score float64) bool { return math.Abs(score) > maxRecovered })
}
