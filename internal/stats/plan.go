package stats

// Components are the variance components of the sweep mean of a rate. The rate is a share:
// a variance of 0.0004 is a standard deviation of 2 points.
type Components struct {
	Day       float64 `json:"day"`       // between days, common to all prompts
	PromptDay float64 `json:"promptDay"` // between days of one prompt
	Answer    float64 `json:"answer"`    // between answers to one prompt on one day
	Lag1      float64 `json:"lag1"`      // correlation of neighbouring days
}

// DefaultComponents are used until a tracker has enough sweeps: a brand named in a third of
// answers, a standard deviation of 2 points between days and of 15 points between the days of
// one prompt, and a correlation of 0.3 between neighbouring days.
var DefaultComponents = Components{Day: 0.0004, PromptDay: 0.0225, Answer: 0.14, Lag1: 0.3}

// Plan is the number of questions in one period.
type Plan struct {
	Prompts int // per sweep
	Sweeps  int // in the period
	Samples int // per cell and sweep
}

// sweepVariance returns the variance of a sweep mean:
//
//	day + promptDay/prompts + answer/(prompts·samples)
func (p Plan) sweepVariance(c Components) float64 {
	prompts := float64(p.Prompts)
	return c.Day + c.PromptDay/prompts + c.Answer/(prompts*float64(p.Samples))
}

// Visible returns the smallest change between two periods of this plan that Compare finds
// with a power of 80 %. The mean of S sweeps with lag-1 correlation r has the variance of a
// sweep mean ÷ S · (1 + r)/(1 − r), the long-run variance of an AR(1) process. The test has
// twice the degrees of LongRun. Visible returns false for a plan of fewer than 5 sweeps.
func (p Plan) Visible(c Components) (float64, bool) {
	if p.Sweeps < EnoughSweeps || p.Prompts < 1 || p.Samples < 1 {
		return 0, false
	}
	v := p.sweepVariance(c) * ((1 + c.Lag1) / (1 - c.Lag1) / float64(p.Sweeps))
	return smallest(Variance{2 * v, 2 * float64(cosines(p.Sweeps))}), true
}
