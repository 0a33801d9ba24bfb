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
	n func(t *CellCounts) int
	x func(t *CellCounts, brand int) float64
	y func(t *CellCounts, panel []int) float64
	// none tells a metric that makes no sense for a panel
	none func(panel []int) bool
	// optional leaves the metric out where no answer can have it
	optional bool
	// reads are the counts that n, x and y look at
	reads columns
}

// reads are the counts that the measures of a query look at.
func (q Query) reads() columns {
	all := colEligible
	for _, m := range measures {
		if q.wants(m.name) {
			all |= m.reads
		}
	}
	return all
}

// readsOfPrompts are the counts that its numbers look at where single prompts are
// picked: of what is counted without weights, all.
func (q Query) readsOfPrompts() columns {
	if slices.ContainsFunc(plain, func(name string) bool { return name != "coverage" && q.wants(name) }) {
		return allColumns
	}
	return q.reads()
}

func eligible(t *CellCounts) int { return t.Eligible }

// rate is a measure of answers of a brand.
func rate(name string, reads columns, x func(t *CellCounts, b *BrandCounts) float64) measure {
	return measure{
		name: name, brand: true, compared: true, n: eligible, reads: colEligible | reads,
		x: func(t *CellCounts, brand int) float64 { return x(t, &t.Brands[brand]) },
	}
}

// measures are the rates and ratios, in the order in which rows are given.
var measures = []measure{
	rate("visibility", colNamed, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Named) }),
	rate("firstNamed", colPositions, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.listed().positions.between(1, 1)) }),
	rate("prominence", colPositions, func(_ *CellCounts, b *BrandCounts) float64 { return b.listed().positions.prominence() }),
	rate("citationRate", colCited, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Cited) }),
	rate("namedAndCited.both", colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Both) }),
	rate("namedAndCited.namedOnly", colNamed|colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Named - b.Both) }),
	rate("namedAndCited.citedOnly", colCited|colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Cited - b.Both) }),
	rate("namedAndCited.neither", colNamed|colCited|colBoth, func(t *CellCounts, b *BrandCounts) float64 {
		return float64(t.Eligible - b.Named - b.Cited + b.Both)
	}),
	{
		name: "shareOfVoice", brand: true, ratio: true, compared: true, n: eligible, reads: colEligible | colNamed,
		x: func(t *CellCounts, brand int) float64 { return float64(t.Brands[brand].Named) },
		y: func(t *CellCounts, panel []int) float64 {
			sum := 0
			for _, brand := range panel {
				sum += t.Brands[brand].Named
			}
			return float64(sum)
		},
		none: func(panel []int) bool { return len(panel) < 2 },
	},
	{
		name: "citationShare", brand: true, ratio: true, compared: true, n: eligible, y: citations, reads: colEligible | colCitations | colBrandCitations,
		x: func(t *CellCounts, brand int) float64 { return float64(t.Brands[brand].Citations) },
	},
	{
		name: "retrievalRate", brand: true, optional: true, reads: colAttached | colRetrieved,
		n: func(t *CellCounts) int { return t.Attached },
		x: func(t *CellCounts, brand int) float64 { return float64(t.Brands[brand].Retrieved) },
	},
	{
		name: "informative", n: eligible, reads: colEligible | colInformative,
		x: func(t *CellCounts, _ int) float64 { return float64(t.Informative) },
	},
	{
		name: "refusal", n: eligible, branded: true, reads: colEligible | colRefused,
		x: func(t *CellCounts, _ int) float64 { return float64(t.Refused) },
	},
}

func citations(t *CellCounts, _ []int) float64 { return float64(t.Citations) }

// shareOf is the measure of the citations that counts gives, of one source.
func shareOf(source string, counts func(t *CellCounts) map[string]int) measure {
	return measure{
		name: "citationShare", ratio: true, n: eligible, y: citations,
		x: func(t *CellCounts, _ int) float64 { return float64(counts(t)[source]) },
	}
}

// measureOf finds a measure of brands or of answers by name.
func measureOf(name string) measure {
	i := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
	return measures[i]
}

// Sums are those of a rate or ratio for what a filter leaves, surfaces pooled. The brand
// is empty for a metric that has none.
func (b *Dataset) Sums(name, brand string, filter Selection) (Sums, error) {
	q := Query{Metrics: []string{name}, Filter: filter, PoolSurfaces: true}
	if err := q.check(); err != nil {
		return Sums{}, err
	}
	at := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
	if at < 0 {
		return Sums{}, fmt.Errorf("metric: %s is counted without sums", name)
	}
	index := slices.IndexFunc(b.def.Brands, func(known PanelBrand) bool { return known.Name == brand })
	if index < 0 && measures[at].brand {
		return Sums{}, fmt.Errorf("brand: there is no brand %q", brand)
	}
	var s Sums
	for _, c := range b.cuts(q) {
		e, err := b.evidence(c, measures[at].reads, nil)
		if err != nil {
			return Sums{}, err
		}
		s.Add(e.sums(b, measures[at], index))
	}
	return s, nil
}

// estimate is the measure of a cut.
func (e *evidence) estimate(b *Dataset, m measure, brand int) Estimate {
	s := e.sumsIn(slices.Grow(e.used[:0], len(e.cells)), b, m, brand)
	e.used = s.Cells
	if !m.ratio {
		return s.Rate()
	}
	found := s.Ratio()
	if m.none != nil && m.none(e.c.panel) {
		found.Value, found.Interval, found.Lag1 = nil, nil, nil
	}
	return found
}
