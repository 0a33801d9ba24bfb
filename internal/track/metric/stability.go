package metric

import "earshot/internal/stats"

// Stability is the similarity of a cell's answers in neighbouring sweeps: of the domains
// that they cite or of the brands that they name.
type Stability struct {
	Metric string  `json:"metric"` // stability.domains@m1 or stability.brands@m1
	Brand  *string `json:"brand"`
	Labels
	Value    *float64 `json:"value"`    // 1 − mean Jaccard distance; nil without a pair
	Weighted *float64 `json:"weighted"` // 1 − mean Bray–Curtis distance of counts per eligible answer
	Cells    int      `json:"cells"`
	Pairs    int      `json:"pairs"`

	same float64 // Σ (1 − Jaccard distance) over the pairs
}

// stabilities are the stability metrics.
var stabilities = []struct {
	name   string
	counts func(*Dataset) func(*CellCounts) map[string]int
}{
	{"stability.domains" + M1, func(*Dataset) func(*CellCounts) map[string]int {
		return func(c *CellCounts) map[string]int { return c.Domains }
	}},
	{"stability.brands" + M1, func(b *Dataset) func(*CellCounts) map[string]int { return b.named }},
}

// Stability returns all stability metrics of every target.
func (b *Dataset) Stability() []Stability {
	found := []Stability{}
	for _, c := range b.cuts(Query{By: []string{"target"}}) {
		for _, kind := range stabilities {
			found = append(found, b.stability(c, kind.name, kind.counts(b)))
		}
	}
	return found
}

// named returns the number of answers that name each brand.
func (b *Dataset) named(c *CellCounts) map[string]int {
	counts := map[string]int{}
	for i, brand := range c.Brands {
		if brand.Named > 0 {
			counts[b.def.Brands[i].Name] = int(brand.Named)
		}
	}
	return counts
}

func (b *Dataset) stability(c cut, name string, counts func(*CellCounts) map[string]int) Stability {
	s := Stability{Metric: name, Labels: c.labels}
	weight, value, weighted := 0.0, 0.0, 0.0
	for _, target := range c.targets {
		cells := b.cellsOf(c.sweeps, target, colEligible|colNamed)
		for _, prompt := range c.prompts {
			same, alike, pairs := pairs(c.sweeps, cells, prompt, counts)
			if pairs == 0 {
				continue
			}
			w := b.def.Prompts[prompt].Weight
			weight += w
			value += w * same / float64(pairs)
			weighted += w * alike / float64(pairs)
			s.Cells++
			s.Pairs += pairs
			s.same += same
		}
	}
	if s.Cells > 0 {
		value, weighted = value/weight, weighted/weight
		s.Value, s.Weighted = &value, &weighted
	}
	return s
}

// stability returns the rows of the stability metrics that the query names.
func (v view) stability() (rows []Row) {
	for _, kind := range stabilities {
		if !v.q.wants(kind.name) {
			continue
		}
		s := v.b.stability(v.e.cut, kind.name, kind.counts(v.b))
		r := v.start(kind.name, nil, v.all)
		r.Value.Number, r.Weighted, r.Cells = s.Value, s.Weighted, &s.Cells
		r.Numerator, r.Denominator = s.same, float64(s.Pairs)
		rows = append(rows, r)
	}
	return rows
}

// pairs adds up 1 − Jaccard distance (same) and 1 − Bray–Curtis distance (alike) over pairs
// of neighbouring sweeps with eligible answers in a cell. It skips pairs without any counts.
func pairs(sweeps []int, cells [][]*CellCounts, prompt int, counts func(*CellCounts) map[string]int) (same, alike float64, pairs int) {
	for i := 1; i < len(sweeps); i++ {
		one, two := cells[i-1][prompt], cells[i][prompt]
		if one == nil || two == nil || sweeps[i] != sweeps[i-1]+1 {
			continue
		}
		apart, ok := stats.Jaccard(counts(one), counts(two))
		if !ok {
			continue
		}
		distance, _ := stats.BrayCurtis(perAnswer(one, counts), perAnswer(two, counts))
		same += 1 - apart
		alike += 1 - distance
		pairs++
	}
	return same, alike, pairs
}

func perAnswer(c *CellCounts, counts func(*CellCounts) map[string]int) map[string]float64 {
	shares := map[string]float64{}
	for key, n := range counts(c) {
		shares[key] = float64(n) / float64(c.Eligible)
	}
	return shares
}
