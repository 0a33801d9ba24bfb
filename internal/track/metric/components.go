package metric

import (
	"math"
	"slices"

	"earshot/internal/stats"
)

// Components estimates the variance components of the visibility of a brand, which a
// precision plan starts from. Let x be the mean of a cell in a sweep, and ms the mean square
// of x − x̄(cell) − x̄(sweep) + x̄, as in a two-way analysis of variance. Then
//
//	answer    = mean of n/(n−1)·x(1−x) over cells with n ≥ 2 answers in a sweep
//	promptDay = ms − answer·mean(1/n)
//	day       = variance of the sweep means − ms/cells
//
// Negative estimates become 0, and weights are ignored. If no cell has two answers in a
// sweep, answer and promptDay cannot be separated, and answer is ms. Components returns
// false with fewer than 5 sweeps or fewer than 2 cells.
func (b *Dataset) Components(brand string) (stats.Components, bool) {
	index := slices.IndexFunc(b.def.Brands, func(known PanelBrand) bool { return known.Name == brand })
	if index < 0 {
		return stats.Components{}, false
	}
	var entries []entry
	for _, c := range b.cuts(Query{PoolSurfaces: true}) {
		cells := map[int][][]*CellCounts{}
		for _, target := range c.targets {
			cells[target] = b.cellsOf(c.sweeps, target, colEligible|colNamed)
		}
		for i, at := range c.sweeps {
			for _, prompt := range c.prompts {
				for _, target := range c.targets {
					if lacks := b.plans[at].lacks; lacks != nil && lacks[index] {
						continue
					}
					t := cells[target][i][prompt]
					if t != nil && t.Eligible > 0 && !b.def.Prompts[prompt].Branded {
						n := float64(t.Eligible)
						entries = append(entries, entry{at, [2]int{prompt, target}, float64(t.Brands[index].Named) / n, n})
					}
				}
			}
		}
	}
	return components(entries)
}

// entry is the mean x of n answers of a cell in a sweep.
type entry struct {
	sweep int
	cell  [2]int
	x, n  float64
}

// components estimates the variance components of entries, which are ordered by sweep.
func components(entries []entry) (stats.Components, bool) {
	var all, inverse, within, sweepMeans []float64
	bySweep, byCell := map[int][]float64{}, map[[2]int][]float64{}
	for _, e := range entries {
		bySweep[e.sweep] = append(bySweep[e.sweep], e.x)
		byCell[e.cell] = append(byCell[e.cell], e.x)
		all = append(all, e.x)
		inverse = append(inverse, 1/e.n)
		if e.n >= 2 {
			within = append(within, e.n/(e.n-1)*e.x*(1-e.x))
		}
	}
	if len(bySweep) < stats.EnoughSweeps || len(byCell) < 2 {
		return stats.Components{}, false
	}
	mean, ofSweep, ofCell := stats.Mean(all), means(bySweep), means(byCell)
	squares := 0.0
	for i, e := range entries {
		rest := e.x - ofCell[e.cell] - ofSweep[e.sweep] + mean
		squares += rest * rest
		if i == 0 || entries[i-1].sweep != e.sweep {
			sweepMeans = append(sweepMeans, ofSweep[e.sweep])
		}
	}
	meanSquare := squares / math.Max(1, float64(len(entries)-len(bySweep)-len(byCell)+1))
	c := stats.Components{Answer: meanSquare}
	if len(within) > 0 {
		c.Answer = stats.Mean(within)
		c.PromptDay = math.Max(0, meanSquare-c.Answer*stats.Mean(inverse))
	}
	c.Day = math.Max(0, stats.SampleVariance(sweepMeans)-meanSquare/float64(len(byCell)))
	if lag1, ok := stats.Lag1(sweepMeans); ok {
		c.Lag1 = math.Min(math.Max(lag1, 0), 0.8)
	}
	return c, true
}

func means[K comparable](values map[K][]float64) map[K]float64 {
	found := map[K]float64{}
	for key, list := range values {
		found[key] = stats.Mean(list)
	}
	return found
}
