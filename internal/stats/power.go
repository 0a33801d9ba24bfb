package stats

import (
	"math"
	"math/rand/v2"
)

const (
	// Fall is the lasting change that Found simulates: 0.8 logits, such as from 40 to 27 %.
	Fall = 0.135
	// FallWithin is the number of sweeps in which a detector must find the change.
	FallWithin = 14

	fallAfter   = 60  // sweeps before the change
	fallRepeats = 400 // simulations, for a standard error of about 2.5 points
	fallSeed    = 17
)

// Found returns the share of lasting falls that a CUSUM with the threshold h finds within
// FallWithin sweeps.
func (p Plan) Found(c Components, h float64) float64 { return p.found(c, h, Fall, FallWithin) }

// SmallestFall returns the smallest lasting fall from 50 % that a CUSUM with the threshold h finds
// within the sweeps of the plan in 8 of 10 cases, to about a point. It returns false if none is
// found.
func (p Plan) SmallestFall(c Components, h float64) (float64, bool) {
	low, high := 0.0, 0.5
	if p.found(c, h, high, p.Sweeps) < 0.8 {
		return 0, false
	}
	for high-low > 0.01 {
		if middle := (low + high) / 2; p.found(c, h, middle, p.Sweeps) < 0.8 {
			low = middle
		} else {
			high = middle
		}
	}
	return high, true
}

// found returns the share of lasting falls by fall that are found within so many sweeps. It
// simulates sweep means with the variances of c. The random numbers are the same in each call.
func (p Plan) found(c Components, h, fall float64, within int) float64 {
	if p.Prompts < 1 || p.Samples < 1 {
		return 0
	}
	answers, deviation := p.Prompts*p.Samples, math.Sqrt(p.sweepVariance(c))
	r, found := rand.New(rand.NewPCG(fallSeed, 0)), 0
	for range fallRepeats {
		series, noise := SeriesState{}, r.NormFloat64()
		for t := range fallAfter + within {
			y := deviation * noise
			if t >= fallAfter {
				y -= fall
			}
			noise = c.Lag1*noise + math.Sqrt(1-c.Lag1*c.Lag1)*r.NormFloat64()
			cells := []CellValue{{Weight: 1, N: float64(answers), X: y * float64(answers)}}
			if _, shift, moved := series.Step(Value{Sweep: "any", Cells: cells}, h); moved && shift.Direction == Down && t >= fallAfter {
				found++
				break
			}
		}
	}
	return float64(found) / fallRepeats
}
