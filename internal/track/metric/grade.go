package metric

import (
	"slices"

	"earshot/internal/stats"
)

// Grade states how reliable the numbers of a cut are.
type Grade string

// The grades. They follow the IAB's criteria of August 2026, which are not a standard.
const (
	DecisionGrade Grade = "decision-grade"
	Directional   Grade = "directional"
	Exploratory   Grade = "exploratory"
)

// threshold is the limit of a criterion. A value passes if it is at least decision, or at
// most decision if atMost is set. A value below exploratory makes the cut exploratory.
type threshold struct {
	name        string
	decision    float64
	exploratory float64 // 0: no limit
	atMost      bool
}

// thresholds lists all criteria. docs/statistics.md contains the same table.
var thresholds = []threshold{
	{name: "prompts", decision: 50, exploratory: 10},
	{name: "sweeps", decision: 14, exploratory: 5},
	{name: "coverage", decision: 0.95, exploratory: 0.80},
	{name: "informative", decision: 0.50},
	{name: "providers", decision: 2},
	{name: "smallestChange", decision: 0.05, atMost: true},
	{name: "openBreaks", decision: 0, atMost: true},
}

// Criterion is the value of one criterion with its limits.
type Criterion struct {
	Name        string   `json:"name"`
	Value       *float64 `json:"value"`    // nil if it cannot be computed, which does not pass
	Decision    float64  `json:"decision"` // a minimum; for smallestChange and openBreaks a maximum
	Exploratory float64  `json:"exploratory,omitempty"`
	Met         bool     `json:"met"`
}

// Graded is the grade of a cut with its criteria.
type Graded struct {
	Labels
	Grade    Grade       `json:"grade"`
	Criteria []Criterion `json:"criteria"`
}

// Grades returns the grade of each cut of a query over some sweeps. The criteria are:
//
//   - prompts: unbranded prompts with an eligible answer
//   - sweeps, providers: sweeps and providers with an eligible answer
//   - coverage, informative: the metrics with these names
//   - smallestChange: the smallest visible change of visibility, the largest of all own
//     brands, or of all brands if none is an own brand
//   - openBreaks: breaks within the cut, because numbers before and after a break cannot be
//     compared
func (b *Dataset) Grades(q Query, sweeps []string) ([]Graded, error) {
	positions, err := b.positions(sweeps)
	if err != nil {
		return nil, err
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	var grades []Graded
	for _, c := range b.cuts(q) {
		c.sweeps = positions
		wanted := measureOf("informative"+M1).reads | measureOf("visibility"+M1).reads
		g := judge(b.criteria(b.evidence(c, wanted)))
		g.Labels = c.labels
		grades = append(grades, g)
	}
	return grades, nil
}

// judge returns the grade of the values of all criteria.
func judge(values map[string]*float64) Graded {
	g := Graded{Grade: DecisionGrade}
	for _, t := range thresholds {
		value := values[t.name]
		c := Criterion{Name: t.name, Value: value, Decision: t.decision, Exploratory: t.exploratory}
		c.Met = value != nil && (t.atMost && *value <= t.decision || !t.atMost && *value >= t.decision)
		g.Criteria = append(g.Criteria, c)
		switch {
		case t.exploratory > 0 && (value == nil || *value < t.exploratory):
			g.Grade = Exploratory
		case !c.Met && g.Grade == DecisionGrade:
			g.Grade = Directional
		}
	}
	return g
}

func (b *Dataset) criteria(e *evidence) map[string]*float64 {
	informative := e.sums(b, measureOf("informative"+M1), 0, nil)
	prompts := map[int]bool{}
	for _, cell := range informative.Cells {
		prompts[cell.Prompt] = true
	}
	providers := map[string]bool{}
	for _, cell := range e.cells {
		providers[b.def.Targets[cell.target].provider()] = true
	}
	all := e.total(b, true)
	values := map[string]*float64{
		"coverage": Share(int(all.Eligible), all.planned), "informative": informative.Rate().Value,
		"smallestChange": b.smallestChange(e),
	}
	for name, n := range map[string]int{
		"prompts": len(prompts), "sweeps": informative.counted(), "providers": len(providers), "openBreaks": b.breaksWithin(e.cut),
	} {
		values[name] = new(float64(n))
	}
	return values
}

// smallestChange returns the criterion of that name, or nil with fewer than two sweeps.
func (b *Dataset) smallestChange(e *evidence) *float64 {
	brands := slices.DeleteFunc(slices.Clone(e.cut.panel), func(brand int) bool { return !b.def.Brands[brand].Own })
	if len(brands) == 0 {
		brands = e.cut.panel
	}
	var worst *float64
	for _, brand := range brands {
		m, of := measureOf("visibility"+M1), e
		if c := b.knowing(e.cut, []int{brand}); len(c.sweeps) < len(e.cut.sweeps) {
			of = b.evidence(c, m.reads)
		}
		smallest, ok := stats.SmallestVisible(of.sums(b, m, brand, nil).side())
		if !ok {
			return nil
		}
		if worst == nil || smallest > *worst {
			worst = &smallest
		}
	}
	return worst
}

// breaksWithin counts the sweeps of a cut that start after a break, except its first sweep.
func (b *Dataset) breaksWithin(c cut) int {
	n := 0
	for i := 1; i < len(c.sweeps); i++ {
		before, slot := b.sweep(c.sweeps[i-1]).Slot, b.sweep(c.sweeps[i]).Slot
		if slices.ContainsFunc(c.targets, func(t int) bool { return b.broken(before, slot, b.def.Targets[t].Key) }) {
			n++
		}
	}
	return n
}
