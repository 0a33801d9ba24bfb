package metric

import (
	"slices"
	"strings"
)

// The versions of definitions. The name of a metric ends with its version.
const (
	M1 = "@m1"
	M2 = "@m2"
)

// measure is the definition of a metric that is a rate, a ratio or a mean.
type measure struct {
	name     string // with its version
	brand    bool   // there is one value per brand
	ratio    bool
	branded  bool // includes the answers to branded prompts
	compared bool // is part of comparisons between periods
	optional bool // has no row if n is 0

	needs needs                                               // the fields that an answer must report
	n     func(c *CellCounts) int                             // answers in the denominator
	x     func(c *CellCounts, brand int) float64              // numerator
	y     func(c *CellCounts, brand int, panel []int) float64 // denominator of a ratio; nil for a rate
	reads columns                                             // the counts that n, x and y read
	// panel is true if y adds up the brands of the panel. With fewer than two there is no value.
	panel bool
	// dropsEmpty leaves out cells whose y is 0 over the whole cut. Otherwise a ratio that few
	// cells have would get the interval of all cells.
	dropsEmpty bool
	// squares returns Σ x² over the answers of a mean of counts; nil for other measures.
	squares func(c *CellCounts) int
}

// selects reports whether a name in a query selects a metric. A name without a version selects
// every version, except for citationRate: queries from before m2 get the same rows as before.
func selects(wanted, name string) bool {
	at := len(wanted)
	return wanted == name || at < len(name) && name[at] == '@' && name[:at] == wanted && name != "citationRate"+M2
}

// BaseName returns the name of a metric without its version.
func BaseName(name string) string {
	base, _, _ := strings.Cut(name, "@")
	return base
}

// IsMean reports whether the values of a metric are means of counts instead of shares.
func IsMean(name string) bool { return name == fanout }

// fanout is the only mean of a count.
const fanout = "fanout" + M2

// isContent reports whether a metric counts what answers contain besides their text.
func (m measure) isContent() bool { return strings.HasSuffix(m.name, M2) }

// reads returns the counts that the measures of a query read.
func (q Query) reads() columns {
	all := colEligible
	for _, m := range measures {
		if q.wants(m.name) {
			all |= m.reads
		}
	}
	for name, columns := range otherReads {
		if q.wants(name) {
			all |= columns
		}
	}
	return all
}

// otherReads are the counts that metrics without a measure read.
var otherReads = map[string]columns{
	"position" + M1: colPositions, "listRank" + M1: colListRanks | colPlain, "support" + M1: colSupported | colMentions | colPlain,
	"rank" + M1: colRanks | colOrganic, "productRank" + M2: colProductRanks | needsProducts.reads(),
	merchantShare: needsProducts.reads(), price: needsProducts.reads(), blockRate: needsLayout.reads(), stabilities[1].name: colNamed,
}

func eligible(c *CellCounts) int { return int(c.Eligible) }

// rate returns the measure of a share of eligible answers, by brand.
func rate(name string, reads columns, x func(c *CellCounts, b *BrandCounts) float64) measure {
	return measure{
		name: name, brand: true, compared: true, n: eligible, reads: colEligible | reads,
		x: func(c *CellCounts, brand int) float64 { return x(c, &c.Brands[brand]) },
	}
}

// measures are the rates and ratios, in the order of their rows.
var measures = []measure{
	rate("visibility"+M1, colNamed, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Named) }),
	rate("firstNamed"+M1, colPositions, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.readable().positions.Between(1, 1)) }),
	rate("prominence"+M1, colPositions, func(_ *CellCounts, b *BrandCounts) float64 { return b.readable().positions.Prominence() }),
	rate("citationRate"+M1, colCited, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Cited) }),
	rate("namedAndCited.both"+M1, colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Both) }),
	rate("namedAndCited.namedOnly"+M1, colNamed|colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Named - b.Both) }),
	rate("namedAndCited.citedOnly"+M1, colCited|colBoth, func(_ *CellCounts, b *BrandCounts) float64 { return float64(b.Cited - b.Both) }),
	rate("namedAndCited.neither"+M1, colNamed|colCited|colBoth, func(c *CellCounts, b *BrandCounts) float64 {
		return float64(c.Eligible - b.Named - b.Cited + b.Both)
	}),
	{
		name: "shareOfVoice" + M1, brand: true, ratio: true, compared: true, n: eligible, reads: colEligible | colNamed,
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Named) },
		y: func(c *CellCounts, _ int, panel []int) float64 {
			sum := int32(0)
			for _, brand := range panel {
				sum += c.Brands[brand].Named
			}
			return float64(sum)
		},
		panel: true,
	},
	{
		name: "citationShare" + M1, brand: true, ratio: true, compared: true, n: eligible, y: citations, reads: colEligible | colCitations | colBrandCitations,
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Citations) },
	},
	{
		name: "retrievalRate" + M1, brand: true, optional: true, reads: colAttached | colRetrieved,
		n: func(c *CellCounts) int { return int(c.Attached) },
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Retrieved) },
	},
	{
		name: "informative" + M1, n: eligible, reads: colEligible | colInformative,
		x: func(c *CellCounts, _ int) float64 { return float64(c.Informative) },
	},
	{
		name: "refusal" + M1, n: eligible, branded: true, reads: colEligible | colRefused,
		x: func(c *CellCounts, _ int) float64 { return float64(c.Refused) },
	},

	content(needsSearches, measure{
		name: "searched" + M2, reads: colSearched,
		x: func(c *CellCounts, _ int) float64 { return float64(c.Searched) },
	}),
	content(needsSearches, measure{
		name: fanout, reads: colSearches | colSearched | colSquaredSearches,
		x:       func(c *CellCounts, _ int) float64 { return float64(c.Searches) },
		y:       func(c *CellCounts, _ int, _ []int) float64 { return float64(c.Searched) },
		squares: func(c *CellCounts) int { return int(c.SquaredSearches) },
	}),
	contentRate("retrievalRate", needsSources, colRetrievedPages, func(b *BrandCounts) int32 { return b.RetrievedPages }),
	contentRate("citationRate", needsCited, colCitedPages, func(b *BrandCounts) int32 { return b.CitedPages }),
	content(needsSourcesCited, measure{
		name: "citedWhenRetrieved" + M2, brand: true, reads: colCitedOfBoth | colRetrievedOfBoth,
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].CitedOfBoth) },
		y: func(c *CellCounts, brand int, _ []int) float64 { return float64(c.Brands[brand].RetrievedOfBoth) },
	}),
	contentRate("productVisibility", needsProducts, colProductRanks, func(b *BrandCounts) int32 { return int32(b.readable().productRanks.Between(1, 0)) }),
	contentRate("adRate", needsAds, colAdvertised, func(b *BrandCounts) int32 { return b.Advertised }),
	content(needsAds, measure{
		name: "paidShare" + M2, brand: true, reads: colBrandAds | colAds,
		x: func(c *CellCounts, brand int) float64 { return float64(c.Brands[brand].Ads) },
		y: func(c *CellCounts, _ int, _ []int) float64 { return float64(c.Ads) },
	}),
	contentRate("organicVisibility", needsNothing, colNamedUnpaid|colUnmarked, func(b *BrandCounts) int32 { return b.NamedUnpaid }),
	content(needsLayout, measure{
		name: "overviewRate" + M2, reads: colOverviews,
		x: func(c *CellCounts, _ int) float64 { return float64(c.Overviews) },
	}),
}

// content completes the measure of a metric m2.
func content(n needs, m measure) measure {
	m.needs, m.compared = n, true
	m.n = func(c *CellCounts) int { return c.answers(n) }
	m.reads |= n.reads()
	m.ratio, m.dropsEmpty = m.y != nil, m.y != nil
	return m
}

// contentRate returns the measure of a share of the answers that report some fields, by brand.
func contentRate(name string, n needs, reads columns, x func(b *BrandCounts) int32) measure {
	return content(n, measure{
		name: name + M2, brand: true, reads: reads,
		x: func(c *CellCounts, brand int) float64 { return float64(x(&c.Brands[brand])) },
	})
}

func citations(c *CellCounts, _ int, _ []int) float64 { return float64(c.Citations) }

// shareOf returns the measure of the share of citations of one source.
func shareOf(source func(c *CellCounts) int) measure {
	return measure{
		name: "citationShare" + M1, ratio: true, n: eligible, y: citations,
		x: func(c *CellCounts, _ int) float64 { return float64(source(c)) },
	}
}

// measureOf returns the measure with a name that must exist.
func measureOf(name string) measure {
	return measures[slices.IndexFunc(measures, func(m measure) bool { return selects(name, m.name) })]
}

// estimate returns the value and intervals of a measure.
func (e *evidence) estimate(b *Dataset, m measure, brand int) Estimate {
	s := e.sums(b, m, brand, e.buffer[:0])
	e.buffer = s.Cells
	switch {
	case m.squares != nil:
		return s.Mean()
	case !m.ratio:
		return s.Rate()
	}
	found := s.Ratio()
	if m.panel && len(e.cut.panel) < 2 {
		found.Value, found.Interval, found.Lag1 = nil, nil, nil
	}
	return found
}
