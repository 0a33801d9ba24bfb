// Package selfcheck measures whether the service keeps what it says about its own
// numbers. [Detection] writes texts of which it is known whom they name, and counts what
// is found in them (texts.go has what they are made of). [Statistics] plays worlds whose
// truth is known (world.go). Their answers take the way of real ones through
// internal/track/metric, internal/track/stats and internal/track/alert, so that a fault there shows:
//
//	intervals.go  how often intervals hold the truth
//	changes.go    how often a change is seen that is none, and one that is there
//	alarms.go     false alarms of a tracker, and the falls that it finds
//
// Each of these begins with the table of its worlds: what each guards, and what is stated.
//
// What is stated stands in docs/metrics.md, too. Checks of other subjects go in a file of
// their own, with a function like these, and in the list of the command.
package selfcheck

import "math"

// Check is one promise and what became of it.
type Check struct {
	Subject string
	Setting string
	Unit    Unit
	Stated  Range
	Found   float64
	Error   float64 // standard error of what was found
	Guards  string  // what is likely to be wrong when it is not kept
}

// Range is from where to where a number is promised to lie.
type Range [2]float64

// Unit is what the numbers of a check count.
type Unit string

// The units.
const (
	Share   Unit = "share" // 1 is 100 %
	PerYear Unit = "a year"
	Sweeps  Unit = "sweeps"
)

// Kept reports whether what was found lies within what is stated, give or take three
// standard errors of the simulation.
func (c Check) Kept() bool {
	return c.Found >= c.Stated[0]-3*c.Error && c.Found <= c.Stated[1]+3*c.Error
}

// ofAll is the check of something that happened in some of n repeats.
func ofAll(subject, setting, guards string, stated Range, hits, n int) Check {
	n = max(n, 1)                               // of nothing at all there is nothing to tell
	p := (float64(hits) + 1) / (float64(n) + 2) // not 0 when it happened never or always
	return Check{
		Subject: subject, Setting: setting, Unit: Share, Stated: stated, Guards: guards,
		Found: float64(hits) / float64(n), Error: math.Sqrt(p * (1 - p) / float64(n)),
	}
}
