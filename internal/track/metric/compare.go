package metric

import (
	"errors"
	"fmt"
	"slices"

	"earshot/internal/stats"
)

// Comparison is one metric in two periods.
type Comparison struct {
	Metric string  `json:"metric"`
	Brand  *string `json:"brand"` // nil if the metric does not depend on a brand
	Labels
	A        *float64        `json:"a"` // mean of the sweep means of period a
	B        *float64        `json:"b"`
	Change   *float64        `json:"change"`
	P        *float64        `json:"p"` // nil with fewer than two sweeps in a period, like the next three
	Degrees  *float64        `json:"df"`
	Interval *stats.Interval `json:"interval"`
	Smallest *float64        `json:"smallest"`
	Cells    int             `json:"cells"` // cells with an eligible answer in both periods
	LeftOut  int             `json:"-"`     // cells with an eligible answer in only one period
	SweepsA  int             `json:"sweepsA"`
	SweepsB  int             `json:"sweepsB"`
	AnswersA int             `json:"answersA"`
	AnswersB int             `json:"answersB"`
	Verdict  stats.Verdict   `json:"verdict"`
}

// Compare compares two periods over the cells with eligible answers in both. q.By must not
// contain a dimension of time.
func (b *Dataset) Compare(q Query, periods Periods) ([]Comparison, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	for _, by := range q.By {
		if slices.Contains(ofSweeps, by) {
			return nil, fmt.Errorf("by: periods are not divided by %q", by)
		}
	}
	first, err := b.positions(periods.A)
	if err != nil {
		return nil, err
	}
	second, err := b.positions(periods.B)
	if err != nil {
		return nil, err
	}
	var found []Comparison
	cuts := b.cuts(q)
	both := make([]cut, len(cuts))
	for i, c := range cuts {
		both[i] = c
		both[i].sweeps = slices.Concat(first, second)
	}
	err = b.inBatches(both, q.reads(), func(at int, batch []cut, decoded decodedCells) error {
		for _, c := range cuts[at : at+len(batch)] {
			a, z := c, c
			a.sweeps, z.sweeps = first, second
			compared, err := b.compareCut(a, z, q, decoded)
			if err != nil {
				return err
			}
			found = append(found, compared...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c Comparison) bool {
		return !Row{Brand: c.Brand, Labels: c.Labels}.matches(q.Having)
	}), nil
}

// positions returns the positions of the closed sweeps among ids, in ascending order.
func (b *Dataset) positions(ids []string) ([]int, error) {
	var at []int
	for _, id := range ids {
		if _, known := b.slots[id]; !known {
			return nil, fmt.Errorf("periods: there is no sweep %q", id)
		}
		if position, ok := b.order[id]; ok && !slices.Contains(at, position) {
			at = append(at, position)
		}
	}
	slices.Sort(at)
	return at, nil
}

// sides is the evidence of the two periods of a comparison.
type sides struct {
	before, after *evidence
	leftOut       int // cells with an answer in only one of them
}

func (b *Dataset) sides(first, second cut, wanted columns, decoded decodedCells) (s sides, err error) {
	if s.before, err = b.evidence(first, wanted, decoded); err == nil {
		s.after, err = b.evidence(second, wanted, decoded)
	}
	return s, err
}

// compareCut compares all measures of a cut. Measures that need different fields have
// different common cells.
func (b *Dataset) compareCut(first, second cut, q Query, decoded decodedCells) ([]Comparison, error) {
	all, err := b.sides(first, second, q.reads(), decoded)
	if err != nil {
		return nil, err
	}
	var found []Comparison
	common := map[needs]sides{}
	compare := func(m measure, brand int) error {
		if !m.compared || !q.wants(m.name) || m.isContent() && all.before.isEmpty(b, m) && all.after.isEmpty(b, m) {
			return nil
		}
		s, known := common[m.needs]
		if !known {
			var err error
			if s, err = b.common(all, m, q.reads(), decoded); err != nil {
				return err
			}
			common[m.needs] = s
		}
		found = append(found, b.compare(s, m, brand))
		return nil
	}
	for _, brand := range first.panel {
		for _, m := range measures {
			if m.brand {
				err = errors.Join(err, compare(m, brand))
			}
		}
	}
	for _, m := range measures {
		if !m.brand {
			err = errors.Join(err, compare(m, 0))
		}
	}
	return found, err
}

// isEmpty reports whether a measure counts no answers.
func (e *evidence) isEmpty(b *Dataset, m measure) bool {
	return !slices.ContainsFunc(e.cells, func(c cell) bool {
		return m.n(c.CellCounts) > 0 && e.includes(m, b.def.Prompts[c.prompt].Branded)
	})
}

// common returns the evidence of two periods over the cells with an answer in both, counting
// only the answers that a measure counts. leftOut counts unbranded cells.
func (b *Dataset) common(all sides, m measure, wanted columns, decoded decodedCells) (sides, error) {
	has := map[[2]int]int{}
	for bit, e := range []*evidence{all.before, all.after} {
		for _, c := range e.cells {
			if m.n(c.CellCounts) > 0 {
				has[[2]int{c.prompt, c.target}] |= 1 << bit
			}
		}
	}
	const both = 1<<0 | 1<<1
	only, alone, leftOut := map[[2]int]bool{}, 0, 0
	for at, side := range has {
		switch {
		case side == both:
			only[at] = true
		case all.before.includes(m, b.def.Prompts[at[0]].Branded):
			leftOut++
			fallthrough
		default:
			alone++
		}
	}
	if alone == 0 {
		return all, nil
	}
	first, second := all.before.cut, all.after.cut
	first.only, second.only = only, only
	s, err := b.sides(first, second, wanted, decoded)
	s.leftOut = leftOut
	return s, err
}

func (b *Dataset) compare(s sides, m measure, brand int) Comparison {
	m.dropsEmpty = false
	sums := s.before.sums(b, m, brand, nil)
	a, z := sums.side(m), s.after.sums(b, m, brand, nil).side(m)
	if m.undefined != nil && m.undefined(s.before.cut.panel) {
		a.SweepMeans, z.SweepMeans = nil, nil
	}
	change := stats.Compare(a, z)
	c := Comparison{
		Metric: m.name, Labels: s.before.cut.labels, Cells: len(sums.Cells), LeftOut: s.leftOut,
		SweepsA: len(a.SweepMeans), SweepsB: len(z.SweepMeans), AnswersA: a.Answers, AnswersB: z.Answers, Verdict: change.Verdict,
	}
	if m.brand {
		c.Brand = &b.def.Brands[brand].Name
	}
	if c.SweepsA > 0 {
		c.A = &change.A
	}
	if c.SweepsB > 0 {
		c.B = &change.B
	}
	if c.SweepsA > 0 && c.SweepsB > 0 {
		c.Change = &change.Change
	}
	if change.Test {
		c.P, c.Degrees, c.Interval, c.Smallest = &change.P, &change.Degrees, &change.Interval, &change.Smallest
	}
	return c
}

// side returns one period of a comparison. The value of a ratio in a sweep is the ratio of
// its two sweep means; sweeps with a denominator of 0 are left out.
func (s Sums) side(m measure) stats.Side {
	side := stats.Side{Answers: s.totals().answers}
	for _, sweep := range s.Sweeps {
		switch {
		case sweep.Answers == 0 || m.ratio && sweep.Y == 0:
		case m.ratio:
			side.SweepMeans = append(side.SweepMeans, sweep.X/sweep.Y)
		default:
			side.SweepMeans = append(side.SweepMeans, sweep.X/sweep.Weight)
		}
	}
	return side
}
