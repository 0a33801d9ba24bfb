package alert

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"earshot"
	"earshot/internal/stats"
)

const (
	// Window is the number of sweeps in each of the two windows that are compared. Sources
	// are compared once every Window sweeps, so that each sweep is used once in each window.
	Window = 14
	// screenRate is the maximum false discovery rate of a comparison.
	screenRate = 0.05
	// fewestCitations is the minimum number of citations of a compared domain.
	fewestCitations = 5
	// maxSources is the maximum number of sources in an alert.
	maxSources = 10
)

// Cited counts the citations in the answers of one sweep, by domain and in total.
type Cited struct {
	Domains map[string]int
	All     int
	Answers int
}

// ScreenRate returns the false discovery rate for a number of comparisons per year that
// keeps their false alarms within the yearly budget.
func ScreenRate(falseAlarms, screensPerYear float64) float64 {
	return min(screenRate, falseAlarms/max(1, screensPerYear))
}

// Sources returns the domains whose share of all citations differs between two windows of
// sweeps by more than normal variation, the largest differences first. All domains are
// tested together at the given false discovery rate (Benjamini and Hochberg).
func Sources(before, after []Cited, rate float64) (moved []earshot.SourceShift) {
	totals := map[string]int{}
	for _, sweep := range slices.Concat(before, after) {
		for domain, n := range sweep.Domains {
			totals[domain] += n
		}
	}
	var shifts []earshot.SourceShift
	var p []float64
	for _, domain := range slices.Sorted(maps.Keys(totals)) {
		if totals[domain] < fewestCitations {
			continue
		}
		first, second := shares(before, domain), shares(after, domain)
		change := stats.Compare(first, second)
		if change.Verdict == stats.TooEarly {
			return nil // the verdict depends on the number of sweeps, so it holds for all domains
		}
		shifts = append(shifts, earshot.SourceShift{Domain: domain, From: first.Value, To: second.Value, P: change.P})
		p = append(p, change.P)
	}
	for i, found := range stats.Discoveries(p, rate) {
		if found {
			moved = append(moved, shifts[i])
		}
	}
	slices.SortFunc(moved, func(a, b earshot.SourceShift) int {
		return cmp.Or(cmp.Compare(math.Abs(b.To-b.From), math.Abs(a.To-a.From)), cmp.Compare(a.Domain, b.Domain))
	})
	return moved[:min(len(moved), maxSources)]
}

// shares returns a domain's share of all citations by sweep.
func shares(sweeps []Cited, domain string) (side stats.Side) {
	for _, sweep := range sweeps {
		if sweep.All > 0 {
			side.Sweeps = append(side.Sweeps, float64(sweep.Domains[domain])/float64(sweep.All))
			side.Answers += sweep.Answers
		}
	}
	side.Value = stats.Mean(side.Sweeps)
	return side
}
