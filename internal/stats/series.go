package stats

// SeriesState is the state of the change detector of one metric of one brand on one target.
// It is stored as JSON between sweeps. The zero value is a series without sweeps.
type SeriesState struct {
	Detector CUSUM   `json:"cusum"`
	Values   int     `json:"values"` // since the series started
	Mean     float64 `json:"mean"`   // of these values
	// Basis identifies the conditions of the values: the surface, the prompts, the brand
	// names. Values with different bases are not comparable.
	Basis string `json:"basis"`
	// First is the first sweep since the series started or was reset.
	First string `json:"first"`
	// UpSince and DownSince are the sweeps since which the detector's sums are above 0, or
	// "". They are the estimated start of a change when a sum exceeds the threshold.
	UpSince   string `json:"upSince,omitempty"`
	DownSince string `json:"downSince,omitempty"`
}

// Value is the mean of a series in one sweep.
type Value struct {
	Sweep   string
	Mean    float64
	Answers int // eligible answers
	Basis   string
	Break   bool // not comparable with earlier values, for a reason that Basis does not contain
}

// Shift is a lasting change that a detector found.
type Shift struct {
	Direction Direction
	Since     string // estimated first sweep of the change
	First     string // first sweep of the series
	Score     float64
	H         float64
}

// Step adds the value of the next sweep, with h as the current threshold, and reports
// whether it found a shift. After a shift the series is reset.
func (s *SeriesState) Step(v Value, h float64) (Shift, bool) {
	if v.Answers == 0 {
		return Shift{}, false
	}
	if s.First == "" || s.Basis != v.Basis || v.Break {
		*s = SeriesState{Basis: v.Basis, First: v.Sweep}
	}
	s.Detector.H, s.Detector.K = h, DefaultK
	difference, earlier := v.Mean-s.Mean, float64(s.Values)
	s.Values++
	s.Mean += difference / float64(s.Values)
	if earlier == 0 {
		return Shift{}, false
	}
	step := s.Detector.Step(Residual(difference, earlier), v.Answers)
	s.UpSince, s.DownSince = since(s.UpSince, step.Up, v.Sweep), since(s.DownSince, step.Down, v.Sweep)
	if step.Alarm == "" {
		return Shift{}, false
	}
	shift := Shift{Direction: step.Alarm, Since: s.UpSince, First: s.First, Score: step.Up, H: h}
	if step.Alarm == Down {
		shift.Since, shift.Score = s.DownSince, step.Down
	}
	*s = SeriesState{Basis: v.Basis, First: v.Sweep, Detector: s.Detector}
	return shift, true
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
