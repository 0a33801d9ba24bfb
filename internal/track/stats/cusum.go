package stats

import "math"

// DefaultK is the drift that a CUSUM forgives in each step, in standard deviations: half
// of the shift that it finds fastest, which is one.
const DefaultK = 0.5

// DefaultH is the threshold where no budget of alarms is given.
const DefaultH = 5

const (
	warmUp     = 10  // values before the first score
	maxScore   = 8   // scores are held to ± this
	maxProduct = 1.5 // and to ± this in the estimate of their correlation
	maxLag1    = 0.8
)

// Direction is the way in which a series moved.
type Direction string

// The directions of an alarm.
const (
	Up   Direction = "up"
	Down Direction = "down"
)

// CUSUM watches one series for a lasting shift (Page 1954), and starts by itself
// (Hawkins 1987): it needs no known mean, since each value is measured by those before
// it. All of its state is exported, to be stored as JSON and taken up again. The zero
// value is a new series; H and K are the caller's.
type CUSUM struct {
	H float64 `json:"h"`
	K float64 `json:"k"`

	Count   int     `json:"count"`   // values so far
	Mean    float64 `json:"mean"`    // of them
	Squares float64 `json:"squares"` // Σ (y − mean)², kept up to date after Welford 1962

	Last     *float64 `json:"last,omitempty"` // the last score, held to ±1.5
	Products float64  `json:"products"`       // X: the sum of products of neighbouring scores
	Pairs    int      `json:"pairs"`          // m: how many they are

	Up   float64 `json:"up"`
	Down float64 `json:"down"`
}

// Step is what one value of a series did.
type Step struct {
	Score *float64 // none for the first ten values
	Up    float64
	Down  float64
	Alarm Direction // empty without one
}

// Step takes the n-th value y of the series, the mean of a sweep with that many eligible
// answers. From the 11th on:
//
//	T  = (y − mean)/max(s, 1/answers) · √((n−1)/n), mean and s of the n − 1 before
//	U  = Φ⁻¹(F(T)), F of Student's t with n − 2 degrees, held to ±8: the score
//	r  = X ÷ (m + 5), held to 0..0.8
//	W  = U·√((1 − r)/(1 + r))
//	up = max(0, up + W − k), down = max(0, down − W − k), an alarm when above h
//
// X is the sum and m the number of the products of neighbouring scores before this one,
// each held to ±1.5: where days resemble their neighbours, W shrinks by as much as that
// would inflate the sums. After an alarm the series starts anew.
func (c *CUSUM) Step(y float64, answers int) Step {
	var step Step
	if c.Count >= warmUp {
		score := c.score(y, answers)
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
	before := y - c.Mean
	c.Mean += before / float64(c.Count)
	c.Squares += before * (y - c.Mean)
	return step
}

// Reset begins the series anew, as a break does before the sweep that it names.
func (c *CUSUM) Reset() { *c = CUSUM{H: c.H, K: c.K} }

func (c *CUSUM) score(y float64, answers int) float64 {
	before := float64(c.Count)
	s := math.Sqrt(c.Squares / (before - 1))
	t := (y - c.Mean) / math.Max(s, 1/float64(answers)) * math.Sqrt(before/(before+1))
	return held(normalScore(t, before-1), maxScore)
}

func (c *CUSUM) move(score float64) {
	r := math.Min(math.Max(c.Products/(float64(c.Pairs)+5), 0), maxLag1)
	w := score * math.Sqrt((1-r)/(1+r))
	c.Up = math.Max(0, c.Up+w-c.K)
	c.Down = math.Max(0, c.Down-w-c.K)
}

func (c *CUSUM) remember(score float64) {
	score = held(score, maxProduct)
	if c.Last != nil {
		c.Products += *c.Last * score
		c.Pairs++
	}
	c.Last = &score
}

// held is value, or the nearer of ±limit when it lies beyond.
func held(value, limit float64) float64 {
	return math.Max(-limit, math.Min(limit, value))
}

// Threshold is h for a budget of false alarms a year over all of a number of series,
// each with that many sweeps a year:
//
//	sweeps · series ÷ ARL(h) = budget,  ARL(h) = (e^b − 1 − b)/(2k²)/2,  b = 2k(h + 1.166)
//
// the average run length between false alarms after Siegmund 1985, halved for the two
// sides. h is at least 1.
func Threshold(budget float64, series int, sweepsPerYear, k float64) float64 {
	wanted := sweepsPerYear * float64(series) / budget
	low, high := 1.0, 2.0
	if runLength(low, k) >= wanted {
		return low
	}
	for runLength(high, k) < wanted {
		high *= 2
	}
	for range 200 { // halves the gap until nothing lies between its ends
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
