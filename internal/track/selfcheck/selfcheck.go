// Package selfcheck measures the accuracy of the service by simulation and compares it with
// the stated accuracy. [Detection] writes texts that name known brands (texts.go) and counts
// the brands that are found. [Statistics] simulates trackers with known rates (world.go).
// Their answers are processed by internal/track/metric, internal/track/stats and
// internal/track/alert like real answers, so that the checks notice faults there:
//
//	intervals.go  coverage of intervals
//	changes.go    false positive rate and power of comparisons
//	alarms.go     false alarms and power of change detectors
//
// Each file begins with a table of its simulations, the faults that they detect, and the
// stated ranges. docs/statistics.md lists the stated ranges as well.
package selfcheck

import "math"

// Check is the result of one check.
type Check struct {
	Subject string
	Setting string
	Unit    Unit
	Stated  Range
	Found   float64
	Error   float64 // standard error of Found
	Guards  string  // the probable fault if the check fails
}

// Range is the stated range of a number.
type Range [2]float64

// Unit is the unit of the numbers of a check.
type Unit string

// The units.
const (
	Share   Unit = "share" // 1 is 100 %
	PerYear Unit = "a year"
	Sweeps  Unit = "sweeps"
)

// Passed reports whether the check passes: Found is within the stated range or at most three
// standard errors outside.
func (c Check) Passed() bool {
	return c.Found >= c.Stated[0]-3*c.Error && c.Found <= c.Stated[1]+3*c.Error
}

// shareCheck returns the check of a share: hits out of n.
func shareCheck(subject, setting, guards string, stated Range, hits, n int) Check {
	n = max(n, 1)                               // avoids a division by 0
	p := (float64(hits) + 1) / (float64(n) + 2) // keeps the standard error above 0
	return Check{
		Subject: subject, Setting: setting, Unit: Share, Stated: stated, Guards: guards,
		Found: float64(hits) / float64(n), Error: math.Sqrt(p * (1 - p) / float64(n)),
	}
}
