package selfcheck

import (
	"math"
	"math/rand/v2"

	"earshot/internal/metric"
	"earshot/internal/stats"
)

// world is a brand with known rates: the log-odds that prompt i names it in sweep t are
//
//	centre + a_i + d_t + e_it + shift, from the sweep of the shift on
//
// a, d and e normal with the deviations below; d_t resembles its neighbours.
type world struct {
	prompts   int
	targets   int // asked the same questions; each has an e_it of its own
	centre    float64
	spread    float64 // between prompts
	day       float64 // between days, all prompts together
	promptDay float64 // of one prompt on one day
	lag1      float64 // correlation of d_t with d_{t+1}
	shift     float64
	shiftAt   int
}

// usual is a world like those of real trackers: a brand named in about four of ten
// answers, in some questions hardly ever and in others nearly always.
func usual(prompts int, lag1 float64) world {
	return world{prompts: prompts, targets: 1, centre: -0.5, spread: 1.2, day: 0.2, promptDay: 0.5, lag1: lag1}
}

// history is what one world answered.
type history struct {
	metric.Sums
	effects []float64 // a_i
}

// play asks every prompt once in each of that many sweeps.
func (w world) play(sweeps int, r *rand.Rand) history {
	h := history{effects: make([]float64, w.prompts)}
	for i := range h.effects {
		h.effects[i] = w.spread * r.NormFloat64()
	}
	h.Cells = make([]metric.CellSums, w.prompts*w.targets)
	for i := range h.Cells {
		h.Cells[i] = metric.CellSums{Prompt: i % w.prompts, Weight: 1, Answers: sweeps, Y: float64(sweeps)}
	}
	day := w.day * r.NormFloat64()
	for t := range sweeps {
		if t > 0 {
			day = w.lag1*day + w.day*math.Sqrt(1-w.lag1*w.lag1)*r.NormFloat64()
		}
		odds := w.centre + day
		if w.shift != 0 && t >= w.shiftAt {
			odds += w.shift
		}
		named := 0.0
		for i := range h.Cells {
			cell := &h.Cells[i]
			if r.Float64() < logistic(odds+h.effects[cell.Prompt]+w.promptDay*r.NormFloat64()) {
				named++
				cell.X++
			}
		}
		count := float64(len(h.Cells))
		h.Sweeps = append(h.Sweeps, metric.SweepSums{Answers: len(h.Cells), Weight: count, X: named, Y: count})
	}
	return h
}

// side is a part of the history as one side of a comparison.
func (h history) side(from, to int) stats.Side {
	var s stats.Side
	for _, sweep := range h.Sweeps[from:to] {
		s.SweepMeans = append(s.SweepMeans, sweep.X/sweep.Weight)
		s.Answers += sweep.Answers
	}
	return s
}

// rerunTruth is the rate that these prompts have over all days.
func (w world) rerunTruth(effects []float64) float64 {
	sum := 0.0
	for _, a := range effects {
		sum += meanRate(w.centre+a, math.Hypot(w.day, w.promptDay))
	}
	return sum / float64(len(effects))
}

// marketTruth is the rate that prompts like these have over all days.
func (w world) marketTruth() float64 {
	return meanRate(w.centre, math.Hypot(w.spread, math.Hypot(w.day, w.promptDay)))
}

// meanRate is the mean of logistic(centre + sd·Z) over normal Z, by the trapezoidal
// rule, which is exact to far more digits than the simulation.
func meanRate(centre, sd float64) float64 {
	const step = 0.5
	sum, weight := 0.0, 0.0
	for z := -6.0; z <= 6; z += step {
		density := math.Exp(-z * z / 2)
		sum += density * logistic(centre+sd*z)
		weight += density
	}
	return sum / weight
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
