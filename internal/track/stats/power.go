package stats

import (
	"math"
	"math/rand/v2"
)

const (
	// Fall is the lasting change that Found plays: 0.8 logits, as from 40 to 27 %.
	Fall = 0.135
	// FallWithin is how many sweeps a detector has to find it.
	FallWithin = 14

	fallAfter   = 60  // sweeps before it
	fallRepeats = 400 // how often it is played: the share found is exact to about 2.5 points
	fallSeed    = 17
)

// Found returns the share of lasting falls that a CUSUM with the threshold h finds within
// FallWithin sweeps. It plays sweep means that have the variance that Visible takes, and
// resemble their neighbours by the lag-1 correlation, always with the same random numbers.
func (p Plan) Found(c Components, h float64) float64 {
	if p.Prompts < 1 || p.Samples < 1 {
		return 0
	}
	prompts, answers := float64(p.Prompts), p.Prompts*p.Samples
	deviation := math.Sqrt(c.Day + c.PromptDay/prompts + c.Answer/float64(answers))
	r, found := rand.New(rand.NewPCG(fallSeed, 0)), 0
	for range fallRepeats {
		series, noise := CUSUM{H: h, K: DefaultK}, r.NormFloat64()
		for t := range fallAfter + FallWithin {
			y := deviation * noise
			if t >= fallAfter {
				y -= Fall
			}
			noise = c.Lag1*noise + math.Sqrt(1-c.Lag1*c.Lag1)*r.NormFloat64()
			if series.Step(y, answers).Alarm == Down && t >= fallAfter {
				found++
				break
			}
		}
	}
	return float64(found) / fallRepeats
}
