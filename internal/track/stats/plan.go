package stats

// Components are the variances that a sweep mean of a rate is made of, in squared
// shares: 0.0004 is a standard deviation of 2 points.
type Components struct {
	Day       float64 `json:"day"`       // what moves all questions of a day together
	PromptDay float64 `json:"promptDay"` // what moves one question on one day
	Answer    float64 `json:"answer"`    // one answer against the next to the same question on the same day
	Lag1      float64 `json:"lag1"`      // correlation of neighbouring days
}

// DefaultComponents are used until a tracker has variances of its own: a brand named in
// a third of answers, whose days differ by 2 points and whose questions by another 15
// on a day, neighbouring days alike by 0.3.
var DefaultComponents = Components{Day: 0.0004, PromptDay: 0.0225, Answer: 0.14, Lag1: 0.3}

// Plan is how much is asked in one period.
type Plan struct {
	Prompts int // in each sweep
	Sweeps  int // in the period
	Samples int // of each cell in a sweep
}

// Visible is the smallest change between two periods of this plan that would be seen in
// 80 of 100 cases. The sweep mean has the variance
//
//	day + promptDay/prompts + answer/(prompts·samples)
//
// and the mean of S sweeps that ÷ S · (1 + r)/(1 − r), r their lag-1 correlation (the
// long-run variance of an AR(1) process). The test's degrees are those of LongRun, twice.
// A plan of fewer than 5 sweeps sees nothing: its comparison would be too early.
func (p Plan) Visible(c Components) (float64, bool) {
	if p.Sweeps < EnoughSweeps || p.Prompts < 1 || p.Samples < 1 {
		return 0, false
	}
	prompts := float64(p.Prompts)
	v := c.Day + c.PromptDay/prompts + c.Answer/(prompts*float64(p.Samples))
	v *= (1 + c.Lag1) / (1 - c.Lag1) / float64(p.Sweeps)
	return smallest(Variance{2 * v, 2 * float64(cosines(p.Sweeps))}), true
}

// maxSweeps is ten years of days: what takes longer is not planned.
const maxSweeps = 3653

// SweepsFor is the inverse: how many sweeps a period needs for a change of that size to
// be seen. False where ten years of days are not enough.
func (p Plan) SweepsFor(change float64, c Components) (int, bool) {
	for p.Sweeps = EnoughSweeps; p.Sweeps <= maxSweeps; p.Sweeps++ {
		if visible, ok := p.Visible(c); ok && visible <= change {
			return p.Sweeps, true
		}
	}
	return 0, false
}

// PromptsFor is the other inverse: how many prompts it takes with the sweeps of the
// plan. False where no number is enough, since days move all of them together.
func (p Plan) PromptsFor(change float64, c Components) (int, bool) {
	const most = 1_000_000
	low, high := 0, 1
	enough := func(prompts int) bool {
		visible, ok := Plan{prompts, p.Sweeps, p.Samples}.Visible(c)
		return ok && visible <= change
	}
	for !enough(high) {
		if low, high = high, high*2; high > most {
			return 0, false
		}
	}
	for high-low > 1 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}
