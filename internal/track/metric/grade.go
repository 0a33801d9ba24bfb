package metric

import (
	"slices"

	"earshot/internal/track/stats"
)

// Grade says what a cut is good for.
type Grade string

// The grades, after the criteria of the IAB of August 2026, which are no standard.
const (
	DecisionGrade Grade = "decision-grade"
	Directional   Grade = "directional"
	Exploratory   Grade = "exploratory"
)

// threshold is what a criterion asks for. Values of at least decision pass, or of at
// most, where less is better; one below exploratory makes the whole cut exploratory.
type threshold struct {
	name        string
	decision    float64
	exploratory float64 // 0: the criterion makes none exploratory
	atMost      bool
}

// thresholds is the table of all criteria; docs/metrics.md has the same.
var thresholds = []threshold{
	{name: "prompts", decision: 50, exploratory: 10},
	{name: "sweeps", decision: 14, exploratory: 5},
	{name: "coverage", decision: 0.95, exploratory: 0.80},
	{name: "informative", decision: 0.50},
	{name: "providers", decision: 2},
	{name: "smallestChange", decision: 0.05, atMost: true},
	{name: "openBreaks", decision: 0, atMost: true},
}

// Criterion is one line of a grade: what was asked for and what there is.
type Criterion struct {
	Name        string   `json:"name"`
	Value       *float64 `json:"value"`    // nil: cannot be told, which does not pass
	Decision    float64  `json:"decision"` // at least; of smallestChange and openBreaks, at most
	Exploratory float64  `json:"exploratory,omitempty"`
	Met         bool     `json:"met"`
}

// Graded is the grade of a cut, with its reasons.
type Graded struct {
	Labels
	Grade    Grade       `json:"grade"`
	Criteria []Criterion `json:"criteria"`
}

// Grades are those of the cuts of a query. prompts are the unbranded ones with an
// eligible answer, sweeps and providers those with any; coverage and informative are the metrics of
// that name; smallestChange is that of the visibility of the tracker's own brands, the
// worst of them (of all brands where none is its own); openBreaks are the breaks within
// the cut, since numbers from before and after are not of one kind.
func (b *Dataset) Grades(q Query) ([]Graded, error) {
	return b.grades(q, func(c cut) []int { return c.sweeps })
}

// GradesOf are those of the cuts of a query over some sweeps alone.
func (b *Dataset) GradesOf(q Query, sweeps []string) ([]Graded, error) {
	places, err := b.places(sweeps)
	if err != nil {
		return nil, err
	}
	return b.grades(q, func(cut) []int { return places })
}

func (b *Dataset) grades(q Query, sweeps func(cut) []int) ([]Graded, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	var grades []Graded
	for _, c := range b.cuts(q) {
		c.sweeps = sweeps(c)
		wanted := measureOf("informative").reads | measureOf("visibility").reads
		read, err := b.open([]cut{c}, wanted)
		if err != nil {
			return nil, err
		}
		e, err := b.evidence(c, wanted, read)
		if err != nil {
			return nil, err
		}
		g := judge(b.criteria(e))
		g.Labels = c.labels
		grades = append(grades, g)
	}
	return grades, nil
}

// judge grades values by the table.
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
	informative := e.sums(b, measureOf("informative"), 0)
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
		"coverage": share(all.Eligible, all.planned), "informative": informative.Rate().Value,
		"smallestChange": b.smallestChange(e),
	}
	for name, n := range map[string]int{
		"prompts": len(prompts), "sweeps": informative.counted(), "providers": len(providers), "openBreaks": b.breaksWithin(e.c),
	} {
		value := float64(n)
		values[name] = &value
	}
	return values
}

// smallestChange is the largest of the brands', or nil where it cannot be told.
func (b *Dataset) smallestChange(e *evidence) *float64 {
	own := slices.DeleteFunc(slices.Clone(e.c.panel), func(brand int) bool { return !b.def.Brands[brand].Own })
	if len(own) == 0 {
		own = e.c.panel
	}
	var worst *float64
	for _, brand := range own {
		m := measureOf("visibility")
		smallest, ok := stats.SmallestVisible(e.sums(b, m, brand).side(m))
		if !ok {
			return nil
		}
		if worst == nil || smallest > *worst {
			worst = &smallest
		}
	}
	return worst
}

// breaksWithin counts the sweeps of a cut, but for its first, that begin after a break.
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
