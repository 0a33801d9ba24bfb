package stats

import "math"

// DefaultK is the default allowance of a CUSUM per step, in standard deviations. It is half
// of the shift that the CUSUM finds fastest, which is one standard deviation.
const DefaultK = 0.5

// DefaultH is the default threshold, for trackers without an alarm budget.
const DefaultH = 5

// WarmUp is the number of residuals before the first score.
const WarmUp = 9

const (
	maxScore   = 8   // limits the absolute value of scores
	maxProduct = 1.5 // limits the absolute value of scores in the estimate of their correlation
	maxLag1    = 0.8
)

// Direction is the direction of a change.
type Direction string

// The directions of an alarm.
const (
	Up   Direction = "up"
	Down Direction = "down"
)

// CUSUM detects a lasting change of a series (Page 1954). It is self-starting (Hawkins 1987):
// each residual is the difference from earlier values and needs no known mean. The state can be
// stored as JSON. The zero value with H and K set is a new series.
type CUSUM struct {
	H float64 `json:"h"` // threshold
	K float64 `json:"k"` // allowance per step

	Count   int     `json:"residuals"` // q, the number of residuals
	Squares float64 `json:"squares"`   // Q, the sum of their squares

	Last     *float64 `json:"last,omitempty"` // the last score, limited to ±1.5
	Products float64  `json:"products"`       // X, the sum of products of neighbouring scores
	Pairs    int      `json:"pairs"`          // m, the number of these products

	Up   float64 `json:"up"`
	Down float64 `json:"down"`
}

// Step is the result of one residual.
type Step struct {
	Score *float64 // nil for the first residuals
	Up    float64
	Down  float64
	Alarm Direction // empty without an alarm
}

// Step adds a residual e of a sweep with that many eligible answers. After q ≥ 9 residuals with
// the sum of squares Q it computes
//
//	T  = e/max(√(Q/q), 1/answers)
//	U  = Φ⁻¹(F(T)), limited to ±8: the score, where F is Student's t with q degrees
//	r  = X ÷ (m + 5), limited to 0..0.8
//	W  = U·√((1 − r)/(1 + r))
//	up = max(0, up + W − k), down = max(0, down − W − k)
//
// and raises an alarm if up or down is above h. X is the sum of the m products of
// neighbouring scores before this one, each score limited to ±1.5. W corrects for the
// correlation of neighbouring days, which would inflate up and down. After an alarm the
// series restarts.
func (c *CUSUM) Step(e float64, answers int) Step {
	var step Step
	if c.Count >= WarmUp {
		score := c.score(e, answers)
		c.move(score)
		c.remember(score)
		step.Score = &score
	}
	step.Up, step.Down = c.Up, c.Down
	switch {
	case c.Up > c.H:
		step.Alarm = Up
	case c.Down > c.H:
		step.Alarm = Down
	}
	if step.Alarm != "" {
		c.Reset()
		return step
	}
	c.Count++
	c.Squares += e * e
	return step
}

// Reset restarts the series, for example at a break.
func (c *CUSUM) Reset() { *c = CUSUM{H: c.H, K: c.K} }

func (c *CUSUM) score(e float64, answers int) float64 {
	before := float64(c.Count)
	t := e / math.Max(math.Sqrt(c.Squares/before), 1/float64(answers))
	return limit(normalScore(t, before), maxScore)
}

func (c *CUSUM) move(score float64) {
	r := math.Min(math.Max(c.Products/(float64(c.Pairs)+5), 0), maxLag1)
	w := score * math.Sqrt((1-r)/(1+r))
	c.Up = math.Max(0, c.Up+w-c.K)
	c.Down = math.Max(0, c.Down-w-c.K)
}

func (c *CUSUM) remember(score float64) {
	score = limit(score, maxProduct)
	if c.Last != nil {
		c.Products += *c.Last * score
		c.Pairs++
	}
	c.Last = &score
}

func limit(value, most float64) float64 {
	return math.Max(-most, math.Min(most, value))
}

// Threshold returns the threshold h for a budget of false alarms per year over all series,
// each with that many sweeps per year:
//
//	sweeps · series ÷ ARL(h) = budget,  ARL(h) = (e^b − 1 − b)/(2k²)/2,  b = 2k(h + 1.166)
//
// ARL is the average run length between false alarms (Siegmund 1985), halved because the
// detector has two sides. h is at least 1.
func Threshold(budget float64, series int, sweepsPerYear, k float64) float64 {
	wanted := sweepsPerYear * float64(series) / budget
	low, high := 1.0, 2.0
	if runLength(low, k) >= wanted {
		return low
	}
	for runLength(high, k) < wanted {
		high *= 2
	}
	for range 200 { // bisection, until low and high are neighbouring numbers
		middle := (low + high) / 2
		if middle == low || middle == high {
			break
		}
		if runLength(middle, k) < wanted {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func runLength(h, k float64) float64 {
	b := 2 * k * (h + 1.166)
	return (math.Expm1(b) - b) / (2 * k * k) / 2
}
