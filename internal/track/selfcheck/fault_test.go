package selfcheck

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"earshot/internal/stats"
	"earshot/internal/track/metric"
)

// fault is a planted fault of the intervals.
type fault struct {
	noRareRule    bool    // n is not limited to the number of prompts
	factor        float64 // n is too large by this factor
	usualVariance bool    // sample variance ÷ S instead of the long-run variance
	keepsEmpty    bool    // a ratio counts prompts without a denominator
}

// intervals computes both intervals from the sums of a dataset by the formulas of
// internal/track/stats, with the fault.
func (f fault) intervals(b *metric.Dataset, name string) metric.Intervals {
	sums, err := b.Sums(name, 0)
	if err != nil {
		panic(err)
	}
	if f.keepsEmpty {
		addEmpty(b, &sums)
	}
	ratio := name != visibility && name != adRate
	answers, x, y, weight, meanX, meanY := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for _, c := range sums.Cells {
		n := float64(c.Answers)
		answers, x, y, weight = answers+n, x+c.X, y+c.Y, weight+c.Weight
		meanX, meanY = meanX+c.Weight*c.X/n, meanY+c.Weight*c.Y/n
	}
	p, of, all := meanX/weight, func(x, _ float64) float64 { return x - meanX/weight }, answers
	if ratio {
		p, all = meanX/meanY, y
		of = func(x, y float64) float64 { return (x - p*y) / (meanY / weight) }
	}
	if x == 0 || x == all {
		i := stats.Wilson(math.Round(p), float64(len(sums.Cells))*f.factor)
		return metric.Intervals{Rerun: &i, Market: &i}
	}

	var means []float64
	for _, s := range sums.Sweeps {
		if s.Answers > 0 {
			means = append(means, of(s.X/s.Weight, s.Y/s.Weight))
		}
	}
	between := stats.LongRun(means)
	if f.usualVariance {
		between = stats.Variance{Value: stats.SampleVariance(means) / float64(len(means)), Degrees: float64(len(means) - 1)}
	}
	type unit struct {
		deviation     float64
		some, lacking bool
	}
	units := map[int]unit{}
	for _, c := range sums.Cells {
		u, n := units[c.Prompt], float64(c.Answers)
		u.deviation += c.Weight / weight * of(c.X/n, c.Y/n)
		u.some, u.lacking = u.some || c.X > 0, u.lacking || c.X < c.Y
		units[c.Prompt] = u
	}
	v, some, lacking := 0.0, 0, 0
	for _, u := range units {
		v += u.deviation * u.deviation
		some, lacking = some+count(u.some), lacking+count(u.lacking)
	}
	prompts := float64(len(units))
	n := math.Min(effective(p, prompts/(prompts-1)*v+between.Value, prompts-1), all)
	if !f.noRareRule && (some < 5 || lacking < 5) {
		n = math.Min(n, prompts)
	}
	market := stats.Wilson(p, n*f.factor)
	rerun := all
	if len(means) >= stats.EnoughSweeps {
		rerun = effective(p, math.Max(between.Value, 1/(all*all)), between.Degrees)
	}
	return metric.Intervals{Rerun: new(stats.Wilson(p, rerun*f.factor)), Market: &market}
}

// addEmpty adds the cells that citedWhenRetrieved leaves out. retrievalRate has all of them.
func addEmpty(b *metric.Dataset, sums *metric.Sums) {
	all, err := b.Sums("retrievalRate@m2", 0)
	if err != nil {
		panic(err)
	}
	kept := map[int]bool{}
	for _, c := range sums.Cells {
		kept[c.Prompt] = true
	}
	for _, c := range all.Cells {
		if !kept[c.Prompt] {
			sums.Cells = append(sums.Cells, metric.CellSums{Prompt: c.Prompt, Weight: c.Weight, Answers: c.Answers})
		}
	}
	for i, s := range all.Sweeps {
		sums.Sweeps[i].Answers, sums.Sweeps[i].Weight = s.Answers, s.Weight
	}
}

// countUnreported counts answers without the measured field as answers in which it is empty.
func countUnreported(a *metric.Observation) {
	if a.Unreported != nil {
		a.Contents = metric.Contents{Sources: []metric.Citation{}, Cited: []metric.Citation{}, Ads: []metric.Ad{}}
	}
}

// effective returns the effective sample size of a proportion p with variance v.
func effective(p, v, degrees float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile(0.975)
	return p * (1 - p) / v * 1.959963984540054 * 1.959963984540054 / (t * t)
}
