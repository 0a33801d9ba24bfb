package metric

import (
	"fmt"
	"math"

	"earshot/internal/stats"
)

// Noise is the difference between a sweep and its repetition at the same time, over the
// unbranded cells with an eligible answer in both. A smaller change may be chance.
type Noise struct {
	Labels
	Cells   int
	Differs *float64 // mean of BrandNoise.Differs over all brands
	Named   *float64 // mean Jaccard distance of the brands that a cell names; nil if no brand is named
	Domains *float64 // mean Jaccard distance of the domains that a cell cites
	Brands  []BrandNoise
}

// BrandNoise is the noise of one brand.
type BrandNoise struct {
	Brand      string
	Differs    float64  // share of cells in which only one of the two sweeps names the brand
	Visibility *float64 // absolute difference of its visibility in the two sweeps
}

// Noise compares a sweep with the sweep that repeats it: all targets of a surface together,
// then each target.
func (b *Dataset) Noise(sweep, repeat string) ([]Noise, error) {
	positions, err := b.positions([]string{sweep, repeat})
	if err != nil {
		return nil, err
	}
	if len(positions) != 2 {
		return nil, fmt.Errorf("noise: sweeps %q and %q are not two closed sweeps", sweep, repeat)
	}
	var found []Noise
	seen := map[string]bool{} // skips a target that is the only one of its surface
	for _, by := range [][]string{nil, {"target"}} {
		q := Query{Metrics: []string{"visibility"}, By: by}
		rows, err := b.Compare(q, Periods{A: []string{sweep}, B: []string{repeat}})
		if err != nil {
			return nil, err
		}
		for _, c := range b.cuts(q) {
			if seen[c.labels.Target] {
				continue
			}
			seen[c.labels.Target] = true
			one := b.noise(c, positions)
			for i := range one.Brands {
				one.Brands[i].Visibility = apart(rows, one.Brands[i].Brand, c.labels.Target)
			}
			found = append(found, one)
		}
	}
	return found, nil
}

// apart returns the absolute change of a brand's visibility on a target, or nil.
func apart(rows []Comparison, brand, target string) *float64 {
	for _, row := range rows {
		if *row.Brand == brand && row.Target == target && row.Change != nil {
			return new(math.Abs(*row.Change))
		}
	}
	return nil
}

// noise returns the noise of a cut in two sweeps, without BrandNoise.Visibility.
func (b *Dataset) noise(c cut, sweeps []int) Noise {
	n := Noise{Labels: c.labels}
	differs := make([]int, len(b.def.Brands))
	var named, domains, shares []float64
	for _, target := range c.targets {
		cells := b.cellsOf(sweeps, target, colEligible|colNamed)
		for _, prompt := range c.prompts {
			first, second := cells[0][prompt], cells[1][prompt]
			if first == nil || second == nil || first.Eligible == 0 || second.Eligible == 0 || b.def.Prompts[prompt].Branded {
				continue
			}
			n.Cells++
			if distance, ok := stats.Jaccard(b.named(first), b.named(second)); ok {
				named = append(named, distance)
			}
			if distance, ok := stats.Jaccard(first.Domains, second.Domains); ok {
				domains = append(domains, distance)
			}
			for i := range differs {
				if (first.Brands[i].Named > 0) != (second.Brands[i].Named > 0) {
					differs[i]++
				}
			}
		}
	}
	if n.Cells == 0 {
		return n
	}
	for i, count := range differs {
		share := float64(count) / float64(n.Cells)
		shares = append(shares, share)
		n.Brands = append(n.Brands, BrandNoise{Brand: b.def.Brands[i].Name, Differs: share})
	}
	n.Named, n.Domains, n.Differs = stats.MeanOrNil(named), stats.MeanOrNil(domains), stats.MeanOrNil(shares)
	return n
}
