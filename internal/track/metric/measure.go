package metric

import "slices"

// Version is the version of the definitions below. Rows append it to the metric's name.
const Version = "@m1"

// measure is the definition of a metric that is a rate or a ratio.
type measure struct {
	name     string
	brand    bool // there is one value per brand
	ratio    bool
	branded  bool // includes the answers to branded prompts
	compared bool // is part of comparisons between periods
	optional bool // has no row if n is 0

	n     func(c *CellCounts) int                  // answers in the denominator
	x     func(c *CellCounts, brand int) float64   // numerator
	y     func(c *CellCounts, panel []int) float64 // denominator of a ratio; nil for a rate
	reads columns                                  // the counts that n, x and y read
	// undefined reports whether the metric has no value for a panel.
	undefined func(panel []int) bool
}

// reads returns the counts that the measures of a query read.
func (q Query) reads() columns {
	all := colEligible
	for _, m := range measures {
		if q.wants(m.name) {
			all |= m.reads
		}
	}
	return all
}

// readsByPrompt returns the counts that a query reads if it selects single prompts:
// unweighted metrics read all counts.
func (q Query) readsByPrompt() columns {
	if slices.ContainsFunc(unweighted, func(name string) bool { return name != "coverage" && q.wants(name) }) {
		return allColumns
	}
	return q.reads()
}

func eligible(c *CellCounts) int { return c.Eligible }

// rate returns the measure of a share of eligible answers, by brand.
func rate(name string, reads columns, x func(c *CellCounts, b *BrandCounts) float64) measure {
	return measure{
		name: name, brand: true, compared: true, n: eligible, reads: colEligible | reads,
		x: func(c *CellCounts, brand int) float64 { return x(c, &c.Brands[brand]) },
	}
}

// measures are the rates and ratios, in the order of their rows.
var measures = []measure{
	rate("visibility", colNamed, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Named) }),
	rate("firstNamed", colPositions, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.readable().positions.between(1, 1)) }),
	rate("prominence", colPositions, func(_ *CellCounts, b *BrandCounts) float64 { return b.readable().positions.prominence() }),
	rate("citationRate", colCited, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Cited) }),
	rate("namedAndCited.both", colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Both) }),
	rate("namedAndCited.namedOnly", colNamed|colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Named - b.Both) }),
	rate("namedAndCited.citedOnly", colCited|colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Cited - b.Both) }),
	rate("namedAndCited.neither", colNamed|colCited|colBoth, func(c *CellCounts, b *BrandCounts) float64 {
		return float64(c.Eligible - b.Named - b.Cited + b.Both)
	}),
	{
		name: "shareOfVoice", brand: true, ratio: true, compared: true, n: eligible, reads: colEligible | colNamed,
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Named) },
		y: func(c *CellCounts, panel []int) float64 {
			sum := 0
			for _, brand := range panel {
				sum += c.Brands[brand].Named
			}
			return float64(sum)
		},
		undefined: func(panel []int) bool { return len(panel) < 2 },
	},
	{
		name: "citationShare", brand: true, ratio: true, compared: true, n: eligible, y: citations, reads: colEligible | colCitations | colBrandCitations,
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Citations) },
	},
	{
		name: "retrievalRate", brand: true, optional: true, reads: colAttached | colRetrieved,
		n: func(c *CellCounts) int { return c.Attached },
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Retrieved) },
	},
	{
		name: "informative", n: eligible, reads: colEligible | colInformative,
		x: func(c *CellCounts, _ int) float64 { return float64(c.Informative) },
	},
	{
		name: "refusal", n: eligible, branded: true, reads: colEligible | colRefused,
		x: func(c *CellCounts, _ int) float64 { return float64(c.Refused) },
	},
}

func citations(c *CellCounts, _ []int) float64 { return float64(c.Citations) }

// shareOf returns the measure of the share of citations of one source.
func shareOf(source string, counts func(c *CellCounts) map[string]int) measure {
	return measure{
		name: "citationShare", ratio: true, n: eligible, y: citations,
		x: func(c *CellCounts, _ int) float64 { return float64(counts(c)[source]) },
	}
}

// measureOf returns the measure with a name that must exist.
func measureOf(name string) measure {
	return measures[slices.IndexFunc(measures, func(m measure) bool { return m.name == name })]
}

// Sums returns the sums of a rate or ratio of one brand over all answers. The tests of
// selfcheck compute intervals from them independently.
func (b *Dataset) Sums(name string, brand int) (Sums, error) {
	m := measureOf(name)
	e, err := b.evidence(b.cuts(Query{PoolSurfaces: true})[0], m.reads, nil)
	if err != nil {
		return Sums{}, err
	}
	return e.sums(b, m, brand, nil), nil
}

// estimate returns the value and intervals of a measure.
func (e *evidence) estimate(b *Dataset, m measure, brand int) Estimate {
	s := e.sums(b, m, brand, e.buffer[:0])
	e.buffer = s.Cells
	if !m.ratio {
		return s.Rate()
	}
	found := s.Ratio()
	if m.undefined != nil && m.undefined(e.cut.panel) {
		found.Value, found.Interval, found.Lag1 = nil, nil, nil
	}
	return found
}
