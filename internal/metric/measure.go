package metric

import (
	"fmt"
	"slices"
)

// Version is that of the definitions below; a row carries it with its metric's name.
const Version = "@m1"

// measure is a metric that is a rate or a ratio: what it sums up in a tally.
type measure struct {
	name  string
	brand bool // of a brand, or of the answers as such
	ratio bool
	// branded prompts count, too
	branded bool
	// compared between periods
	compared bool
	// n is the number of answers that can have it; x how many have it, y what a ratio
	// divides by. The y of a rate is n.
	n func(t *Tally) int
	x func(t *Tally, brand int) float64
	y func(t *Tally, panel []int) float64
	// none tells a metric that makes no sense for a panel
	none func(panel []int) bool
	// optional leaves the metric out where no answer can have it
	optional bool
}

func eligible(t *Tally) int { return t.Eligible }

// rate is a measure of answers of a brand.
func rate(name string, x func(t *Tally, b *BrandTally) float64) measure {
	return measure{
		name: name, brand: true, compared: true, n: eligible,
		x: func(t *Tally, brand int) float64 { return x(t, &t.Brands[brand]) },
	}
}

// measures are the rates and ratios, in the order in which rows are given.
var measures = []measure{
	rate("visibility", func(_ *Tally, b *BrandTally) float64 { return float64(b.Named) }),
	rate("firstNamed", func(_ *Tally, b *BrandTally) float64 { return float64(b.Positions[1]) }),
	rate("prominence", func(_ *Tally, b *BrandTally) float64 { return b.prominence() }),
	rate("citationRate", func(_ *Tally, b *BrandTally) float64 { return float64(b.Cited) }),
	rate("namedAndCited.both", func(_ *Tally, b *BrandTally) float64 { return float64(b.Both) }),
	rate("namedAndCited.namedOnly", func(_ *Tally, b *BrandTally) float64 { return float64(b.Named - b.Both) }),
	rate("namedAndCited.citedOnly", func(_ *Tally, b *BrandTally) float64 { return float64(b.Cited - b.Both) }),
	rate("namedAndCited.neither", func(t *Tally, b *BrandTally) float64 {
		return float64(t.Eligible - b.Named - b.Cited + b.Both)
	}),
	{
		name: "shareOfVoice", brand: true, ratio: true, compared: true, n: eligible,
		x: func(t *Tally, brand int) float64 { return float64(t.Brands[brand].Named) },
		y: func(t *Tally, panel []int) float64 {
			sum := 0
			for _, brand := range panel {
				sum += t.Brands[brand].Named
			}
			return float64(sum)
		},
		none: func(panel []int) bool { return len(panel) < 2 },
	},
	{
		name: "citationShare", brand: true, ratio: true, compared: true, n: eligible, y: citations,
		x: func(t *Tally, brand int) float64 { return float64(t.Brands[brand].Citations) },
	},
	{
		name: "retrievalRate", brand: true, optional: true,
		n: func(t *Tally) int { return t.Attached },
		x: func(t *Tally, brand int) float64 { return float64(t.Brands[brand].Retrieved) },
	},
	{
		name: "informative", n: eligible,
		x: func(t *Tally, _ int) float64 { return float64(t.Informative) },
	},
	{
		name: "refusal", n: eligible, branded: true,
		x: func(t *Tally, _ int) float64 { return float64(t.Refused) },
	},
}

func citations(t *Tally, _ []int) float64 { return float64(t.Citations) }

// shareOf is the measure of the citations that counts gives, of one source.
func shareOf(source string, counts func(t *Tally) map[string]int) measure {
	return measure{
		name: "citationShare", ratio: true, n: eligible, y: citations,
		x: func(t *Tally, _ int) float64 { return float64(counts(t)[source]) },
	}
}

// measureOf finds a measure of brands or of answers by name.
func measureOf(name string) measure {
	i := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
	return measures[i]
}

// sums adds a measure up over the tallies of a cut.
func (b *Book) sums(c cut, m measure, brand int) Sums {
	var s Sums
	cells := make([]CellSums, len(c.targets)*len(c.prompts)) // of the cut alone: a query may have a cut for each cell
	for _, at := range c.sweeps {
		var sweep SweepSums
		for i, target := range c.targets {
			for j, prompt := range c.prompts {
				t := b.tallies[at][prompt][target]
				if t == nil || m.n(t) == 0 || !c.includes(b, m, prompt, target) {
					continue
				}
				n, x := m.n(t), m.x(t, brand)
				y := float64(n)
				if m.y != nil {
					y = m.y(t, c.panel)
				}
				weight := b.def.Prompts[prompt].Weight
				sweep.Answers += n
				sweep.Weight += weight
				sweep.X += weight * x / float64(n)
				sweep.Y += weight * y / float64(n)
				cell := &cells[i*len(c.prompts)+j]
				*cell = CellSums{prompt, weight, cell.Answers + n, cell.X + x, cell.Y + y}
			}
		}
		s.Sweeps = append(s.Sweeps, sweep)
	}
	for _, cell := range cells {
		if cell.Answers > 0 {
			s.Cells = append(s.Cells, cell)
		}
	}
	return s
}

// Sums are those of a rate or ratio for what a filter leaves, surfaces pooled. The brand
// is empty for a metric that has none.
func (b *Book) Sums(name, brand string, filter Selection) (Sums, error) {
	q := Query{Metrics: []string{name}, Filter: filter, PoolSurfaces: true}
	if err := q.check(); err != nil {
		return Sums{}, err
	}
	at := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
	if at < 0 {
		return Sums{}, fmt.Errorf("metric: %s is counted without sums", name)
	}
	index := slices.IndexFunc(b.def.Brands, func(known Brand) bool { return known.Name == brand })
	if index < 0 && measures[at].brand {
		return Sums{}, fmt.Errorf("brand: there is no brand %q", brand)
	}
	var s Sums
	for _, c := range b.cuts(q) {
		s.Add(b.sums(c, measures[at], index))
	}
	return s, nil
}

// estimate is the measure of a cut.
func (b *Book) estimate(c cut, m measure, brand int) Estimate {
	s := b.sums(c, m, brand)
	if !m.ratio {
		return s.Rate()
	}
	e := s.Ratio()
	if m.none != nil && m.none(c.panel) {
		e.Value, e.Interval, e.Lag1 = nil, nil, nil
	}
	return e
}
