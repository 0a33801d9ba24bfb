package selfcheck

import (
	"fmt"
	"math/rand/v2"

	"earshot/internal/stats"
	"earshot/internal/track/metric"
)

// compared is a world and the stated share of comparisons with the verdict moved. Two
// neighbouring periods of that many sweeps are compared; the log-odds of the second one are
// higher by fall.
type compared struct {
	guards string
	world
	sweeps int
	metric string
	fall   float64
	stated Range
}

const (
	wrongVariance = "the variance in a comparison, such as the sample variance instead of the long-run variance"
	wrongSums     = "samples, weights, missing answers or ratios in a comparison"
	weakTest      = "the power of a comparison"
)

// comparisons are the simulated comparisons.
var comparisons = []compared{
	{wrongVariance, usual(50, 0), 7, visibility, 0, Range{0.033, 0.050}},
	{wrongVariance, usual(50, 0), 14, visibility, 0, Range{0.036, 0.053}},
	{wrongVariance, usual(50, alike), 7, visibility, 0, Range{0.060, 0.078}},
	{wrongVariance, usual(50, alike), 14, visibility, 0, Range{0.061, 0.080}},
	{wrongVariance, unruly, 14, visibility, 0, Range{0.088, 0.112}},
	{wrongSums, mixed, 14, visibility, 0, Range{0.037, 0.056}},
	{wrongSums, mixedRivals, 14, shareOfVoice, 0, Range{0.031, 0.049}},
	{wrongSums, mixedUnreported, 14, adRate, 0, Range{0.035, 0.053}},
	{wrongSums, retrieved, 14, citedWhenRetrieved, 0, Range{0.032, 0.051}},
	{wrongSums, mixedSearching, 14, fanout, 0, Range{0.042, 0.062}},
	{weakTest, usual(50, 0), 7, visibility, fall, Range{0.80, 0.85}},
	{weakTest, usual(50, 0), 14, visibility, fall, Range{0.98, 1}},
	{weakTest, usual(50, alike), 14, visibility, fall, Range{0.955, 0.98}},
}

// change counts the comparisons with the verdict moved.
func (s simulation) change(c compared) {
	subject, setting := "change where there is none", c.setting(fmt.Sprintf("%d + %d", c.sweeps, c.sweeps))
	if c.fall != 0 {
		subject = fmt.Sprintf("fall of %.1f logits seen", -c.fall)
	}
	if c.metric != visibility {
		setting += ", " + c.metric
	}
	w := c.world
	w.shift, w.shiftAt = c.fall, c.sweeps
	def := w.definition(2 * c.sweeps)
	var periods metric.Periods
	for t, sweep := range def.Sweeps {
		if t < c.sweeps {
			periods.A = append(periods.A, sweep.ID)
		} else {
			periods.B = append(periods.B, sweep.ID)
		}
	}
	moved := 0
	for _, found := range repeat(s, subject+setting, s.repeats, func(r *rand.Rand) stats.Verdict {
		data := w.play(def, r).Dataset
		rows, err := data.Compare(ofFirstBrand(data, c.metric), periods)
		if err != nil {
			panic(err) // our own query
		}
		return rows[0].Verdict
	}) {
		moved += count(found == stats.Moved)
	}
	s.report(shareCheck(subject, setting, c.guards, c.stated, moved, s.repeats))
}
