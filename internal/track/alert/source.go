package alert

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"earshot"
	"earshot/internal/track/stats"
)

const (
	// Window is how many sweeps each of the two windows has between which sources are
	// compared. They are screened once in so many sweeps, so that no sweep is looked at
	// twice in the same place.
	Window = 14
	// screenRate is the most that may be false of what a screen finds.
	screenRate = 0.05
	// fewestCitations is from where on a domain is looked at.
	fewestCitations = 5
	// maxSources is how many of those that moved are told.
	maxSources = 10
)

// Cited is what the answers of one sweep cite: citations by domain, and all of them.
type Cited struct {
	Domains map[string]int
	All     int
	Answers int
}

// ScreenRate is the share of false discoveries that a screen allows where sources are
// screened that many times a year: what it finds by chance alone stays within a budget of
// false alarms a year.
func ScreenRate(falseAlarms, screensPerYear float64) float64 {
	return min(screenRate, falseAlarms/max(1, screensPerYear))
}

// Sources are the domains whose share of all citations moved between two windows of
// sweeps by more than noise, of all domains that are looked at together (Benjamini and
// Hochberg): those that moved most first.
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
		change := stats.Compare(shares(before, domain), shares(after, domain))
		if change.Verdict == stats.TooEarly {
			return nil // it is of all domains
		}
		shifts = append(shifts, earshot.SourceShift{Domain: domain, From: change.A, To: change.B, P: change.P})
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

// shares are what a domain has of all citations, sweep by sweep.
func shares(sweeps []Cited, domain string) (side stats.Side) {
	for _, sweep := range sweeps {
		if sweep.All > 0 {
			side.SweepMeans = append(side.SweepMeans, float64(sweep.Domains[domain])/float64(sweep.All))
			side.Answers += sweep.Answers
		}
	}
	return side
}
