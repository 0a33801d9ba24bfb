package alert

import "earshot/internal/track/stats"

// Metrics are those that have a change detector. Share of voice has none: it moves with
// the visibility of any brand of the panel, and would tell the same twice.
var Metrics = []string{"visibility", "citationRate"}

// SeriesState is one metric of one brand on one target over sweeps, with its change detector.
// All of its state is exported, to be stored as JSON and taken up again; the zero value
// is a series without any sweep.
type SeriesState struct {
	Detector stats.CUSUM `json:"detector"`
	// Basis is what values depend on beside what is asked for: the surface, the
	// questions, the names. Values of different bases are not compared.
	Basis string `json:"basis"`
	// First is the sweep with which it began, or began anew.
	First string `json:"first"`
	// UpSince and DownSince are the sweeps since which the sums of the detector are
	// above 0: where a change began, should one of them pass the threshold. "" at 0.
	UpSince   string `json:"upSince,omitempty"`
	DownSince string `json:"downSince,omitempty"`
}

// Value is the mean of a series in one sweep.
type Value struct {
	Sweep   string
	Mean    float64
	Answers int    // eligible ones
	Basis   string // of the mean
	Break   bool   // it cannot be compared with those before for another reason
}

// Shift is a lasting change that a detector saw.
type Shift struct {
	Direction stats.Direction
	Since     string // the sweep in which it began, as the detector estimates it
	First     string // the sweep with which the series began
	Score     float64
	H         float64
}

// Step takes the next value, with the threshold that holds now, and tells of a shift when
// there is one. After it the series starts anew.
func (s *SeriesState) Step(v Value, h float64) (Shift, bool) {
	if v.Answers == 0 {
		return Shift{}, false
	}
	if s.First == "" || s.Basis != v.Basis || v.Break {
		*s = SeriesState{Basis: v.Basis, First: v.Sweep}
	}
	s.Detector.H, s.Detector.K = h, stats.DefaultK
	step := s.Detector.Step(v.Mean, v.Answers)
	s.UpSince, s.DownSince = since(s.UpSince, step.Up, v.Sweep), since(s.DownSince, step.Down, v.Sweep)
	if step.Alarm == "" {
		return Shift{}, false
	}
	shift := Shift{Direction: step.Alarm, Since: s.UpSince, First: s.First, Score: step.Up, H: h}
	if step.Alarm == stats.Down {
		shift.Since, shift.Score = s.DownSince, step.Down
	}
	*s = SeriesState{Basis: v.Basis, First: v.Sweep, Detector: s.Detector}
	return shift, true
}

// since is the sweep since which a sum is above 0.
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

// Threshold is h for a budget of false alarms a year over a number of series with that
// many sweeps a year.
func Threshold(falseAlarms float64, series int, sweepsPerYear float64) float64 {
	return stats.Threshold(falseAlarms, max(1, series), sweepsPerYear, stats.DefaultK)
}
