package metric

import (
	"slices"

	"earshot/internal/track/stats"
)

// Stability says how much of what a cell's answers hold comes back in the next sweep.
type Stability struct {
	Metric string  `json:"metric"` // stability.domains@m1 or stability.brands@m1
	Brand  *string `json:"brand"`
	Labels
	Value    *float64 `json:"value"`    // 1 − mean Jaccard distance; nil without a pair
	Weighted *float64 `json:"weighted"` // 1 − Bray–Curtis, of counts per eligible answer
	Cells    int      `json:"cells"`
	Pairs    int      `json:"pairs"`

	same float64 // Σ 1 − Jaccard over the pairs
}

// stabilities are what comes back or does not. They are computed where they are asked for
// by name only: they need every sweep by itself, and domains are in no sums.
var stabilities = []struct {
	name   string
	counts func(*Dataset) func(*CellCounts) map[string]int
}{
	{"stability.domains", func(*Dataset) func(*CellCounts) map[string]int {
		return func(t *CellCounts) map[string]int { return t.Domains }
	}},
	{"stability.brands", func(b *Dataset) func(*CellCounts) map[string]int { return b.named }},
}

// Stability is that of every target: of the domains cited and of the brands named.
func (b *Dataset) Stability() ([]Stability, error) {
	found := []Stability{}
	for _, c := range b.cuts(Query{By: []string{"target"}}) {
		for _, kind := range stabilities {
			s, err := b.stability(c, kind.name, kind.counts(b))
			if err != nil {
				return nil, err
			}
			found = append(found, s)
		}
	}
	return found, nil
}

// named counts the answers that name each brand.
func (b *Dataset) named(t *CellCounts) map[string]int {
	counts := map[string]int{}
	for i, brand := range t.Brands {
		if brand.Named > 0 {
			counts[b.def.Brands[i].Name] = brand.Named
		}
	}
	return counts
}

func (b *Dataset) stability(c cut, name string, counts func(*CellCounts) map[string]int) (Stability, error) {
	s := Stability{Metric: name + Version, Labels: c.labels}
	weight, value, weighted := 0.0, 0.0, 0.0
	for _, target := range c.targets {
		tallies, err := b.talliesOf(c.sweeps, target)
		if err != nil {
			return s, err
		}
		for _, prompt := range c.prompts {
			same, alike, pairs := pairs(c.sweeps, tallies, prompt, counts)
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
	return s, nil
}

// stability are the rows of it that a query names.
func (v view) stability() (rows []Row, err error) {
	for _, kind := range stabilities {
		if !slices.Contains(v.q.Metrics, kind.name) {
			continue
		}
		s, err := v.b.stability(v.e.c, kind.name, kind.counts(v.b))
		if err != nil {
			return nil, err
		}
		r := v.start(kind.name, nil, v.all)
		r.Value.Number, r.Weighted, r.Cells = s.Value, s.Weighted, &s.Cells
		r.Numerator, r.Denominator = s.same, float64(s.Pairs)
		rows = append(rows, r)
	}
	return rows, nil
}

// talliesOf are the cells of a target in some sweeps, each by prompt.
func (b *Dataset) talliesOf(sweeps []int, target int) ([][]*CellCounts, error) {
	found := make([][]*CellCounts, len(sweeps))
	for i, at := range sweeps {
		if b.sheets[at][target] == nil {
			found[i] = make([]*CellCounts, len(b.def.Prompts))
			continue
		}
		var err error
		if found[i], err = b.sheets[at][target].cells(b); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// pairs sums up over neighbouring sweeps that have eligible answers in a cell: 1 −
// Jaccard, 1 − Bray–Curtis. A pair in which both are empty is none.
func pairs(sweeps []int, tallies [][]*CellCounts, prompt int, counts func(*CellCounts) map[string]int) (same, alike float64, pairs int) {
	for i := 1; i < len(sweeps); i++ {
		one, two := tallies[i-1][prompt], tallies[i][prompt]
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

func perAnswer(t *CellCounts, counts func(*CellCounts) map[string]int) map[string]float64 {
	shares := map[string]float64{}
	for key, n := range counts(t) {
		shares[key] = float64(n) / float64(t.Eligible)
	}
	return shares
}
