package metric

import (
	"fmt"
	"math"

	"earshot/internal/track/stats"
)

// Noise is how far two sweeps are apart that asked the same at once, over the cells with an
// eligible answer in both whose prompts name no brand. Whatever changed by less may have
// changed by chance.
type Noise struct {
	Labels
	Cells   int
	Differs *float64 // share of cells and brands in which one sweep names the brand and the other does not
	Named   *float64 // mean Jaccard distance of the brands that a cell names; nil where none are named
	Domains *float64 // mean Jaccard distance of the domains that a cell cites
	Brands  []BrandNoise
}

// BrandNoise is that of one brand.
type BrandNoise struct {
	Brand      string
	Differs    float64  // share of cells that only one of the sweeps names it in
	Visibility *float64 // difference of its visibility in the two, above 0
}

// Noise compares a sweep with one that repeats it: all targets of a surface together, then
// each of them.
func (b *Dataset) Noise(sweep, repeat string) ([]Noise, error) {
	places, err := b.places([]string{sweep, repeat})
	if err != nil {
		return nil, err
	}
	if len(places) != 2 {
		return nil, fmt.Errorf("noise: sweeps %q and %q are not two closed ones", sweep, repeat)
	}
	var found []Noise
	seen := map[string]bool{} // a surface with one target is its own sum
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
			one, err := b.noise(c, places)
			if err != nil {
				return nil, err
			}
			for i := range one.Brands {
				one.Brands[i].Visibility = apart(rows, one.Brands[i].Brand, c.labels.Target)
			}
			found = append(found, one)
		}
	}
	return found, nil
}

// apart is the difference of a brand's visibility in two sweeps, nil where it has none.
func apart(rows []Comparison, brand, target string) *float64 {
	for _, row := range rows {
		if *row.Brand == brand && row.Target == target && row.Change != nil {
			distance := math.Abs(*row.Change)
			return &distance
		}
	}
	return nil
}

// noise counts the cells of a cut in two sweeps, all but the visibility of brands.
func (b *Dataset) noise(c cut, places []int) (Noise, error) {
	n := Noise{Labels: c.labels}
	differs := make([]int, len(b.def.Brands))
	var named, domains mean
	for _, target := range c.targets {
		tallies, err := b.talliesOf(places, target)
		if err != nil {
			return n, err
		}
		for _, prompt := range c.prompts {
			first, second := tallies[0][prompt], tallies[1][prompt]
			if first == nil || second == nil || first.Eligible == 0 || second.Eligible == 0 || b.def.Prompts[prompt].Branded {
				continue
			}
			n.Cells++
			named.add(stats.Jaccard(b.named(first), b.named(second)))
			domains.add(stats.Jaccard(first.Domains, second.Domains))
			for i := range differs {
				if (first.Brands[i].Named > 0) != (second.Brands[i].Named > 0) {
					differs[i]++
				}
			}
		}
	}
	if n.Cells == 0 {
		return n, nil
	}
	n.Named, n.Domains = named.value(), domains.value()
	var all mean
	for i, count := range differs {
		share := float64(count) / float64(n.Cells)
		all.add(share, true)
		n.Brands = append(n.Brands, BrandNoise{Brand: b.def.Brands[i].Name, Differs: share})
	}
	n.Differs = all.value()
	return n, nil
}

// mean is that of numbers that are there.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64, ok bool) {
	if ok {
		m.sum += x
		m.n++
	}
}

func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	value := m.sum / float64(m.n)
	return &value
}
