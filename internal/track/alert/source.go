package alert

import (
	"cmp"
	"math"
	"slices"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/track/metric"
)

const (
	// Window is the number of sweeps in each of the two windows that are compared. Sources
	// are compared once every Window sweeps, so that each sweep is used once in each window.
	Window = 14
	// screenRate is the maximum false discovery rate of a comparison.
	screenRate = 0.05
	// FewestCitations is the minimum number of citations of a compared domain.
	FewestCitations = 5
	// maxSources is the maximum number of sources in an alert.
	maxSources = 10
)

// ScreenRate returns the false discovery rate for a number of comparisons per year that
// keeps their false alarms within the yearly budget.
func ScreenRate(falseAlarms, screensPerYear float64) float64 {
	return min(screenRate, falseAlarms/max(1, screensPerYear))
}

// Sources returns the domains whose share of all citations changed by more than normal variation,
// the largest changes first. All domains are tested together at the given false discovery rate
// (Benjamini and Hochberg).
func Sources(changes []metric.SourceChange, rate float64) (moved []earshot.SourceShift) {
	changes = slices.DeleteFunc(changes, func(c metric.SourceChange) bool { return c.P == nil || c.Verdict == stats.TooEarly })
	p := make([]float64, len(changes))
	for i, c := range changes {
		p[i] = *c.P
	}
	for i, found := range stats.Discoveries(p, rate) {
		if c := changes[i]; found {
			moved = append(moved, earshot.SourceShift{Domain: c.Domain, From: *c.A, To: *c.B, P: *c.P})
		}
	}
	slices.SortFunc(moved, func(a, b earshot.SourceShift) int {
		return cmp.Or(cmp.Compare(math.Abs(b.To-b.From), math.Abs(a.To-a.From)), cmp.Compare(a.Domain, b.Domain))
	})
	return moved[:min(len(moved), maxSources)]
}
