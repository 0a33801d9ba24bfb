package metric

import (
	"fmt"
	"slices"

	"earshot/internal/track/stats"
)

// Comparison is one metric of one brand in two periods.
type Comparison struct {
	Metric string  `json:"metric"`
	Brand  *string `json:"brand"`
	Labels
	A        *float64        `json:"a"` // mean of the sweep means of period a
	B        *float64        `json:"b"`
	Change   *float64        `json:"change"`
	P        *float64        `json:"p"` // nil, like what follows, below two sweeps a side
	Degrees  *float64        `json:"df"`
	Interval *stats.Interval `json:"interval"`
	Smallest *float64        `json:"smallest"`
	Cells    int             `json:"cells"` // those with an eligible answer in both periods
	LeftOut  int             `json:"-"`     // those with one in only one of them
	SweepsA  int             `json:"sweepsA"`
	SweepsB  int             `json:"sweepsB"`
	AnswersA int             `json:"answersA"`
	AnswersB int             `json:"answersB"`
	Verdict  stats.Verdict   `json:"verdict"`
}

// Compare compares two periods, over the cells that both have. A dimension of time in
// q.By has no meaning here.
func (b *Dataset) Compare(q Query, periods Periods) ([]Comparison, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	for _, by := range q.By {
		if slices.Contains(ofSweeps, by) {
			return nil, fmt.Errorf("by: periods are not divided by %q", by)
		}
	}
	first, err := b.places(periods.A)
	if err != nil {
		return nil, err
	}
	second, err := b.places(periods.B)
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
	err = b.inParts(both, q.reads(), func(at int, part []cut, read opened) error {
		for _, c := range cuts[at : at+len(part)] {
			a, b2 := c, c
			a.sweeps, b2.sweeps = first, second
			before, after, leftOut, err := b.common(a, b2, q.reads(), read)
			if err != nil {
				return err
			}
			for _, brand := range c.panel {
				for _, m := range measures {
					if m.compared && q.wants(m.name) {
						one := b.compare(before, after, m, brand)
						one.LeftOut = leftOut
						found = append(found, one)
					}
				}
			}
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

// places are where the closed ones of some sweeps stand, in the order of slots.
func (b *Dataset) places(ids []string) ([]int, error) {
	var at []int
	for _, id := range ids {
		if _, known := b.slots[id]; !known {
			return nil, fmt.Errorf("periods: there is no sweep %q", id)
		}
		if place, ok := b.order[id]; ok && !slices.Contains(at, place) {
			at = append(at, place)
		}
	}
	slices.Sort(at)
	return at, nil
}

// common is the evidence of two cuts in the cells with an eligible answer in both; leftOut
// counts the unbranded ones that have it in only one.
func (b *Dataset) common(first, second cut, wanted columns, read opened) (before, after *evidence, leftOut int, err error) {
	if before, err = b.evidence(first, wanted, read); err != nil {
		return nil, nil, 0, err
	}
	if after, err = b.evidence(second, wanted, read); err != nil {
		return nil, nil, 0, err
	}
	sides := map[[2]int]int{}
	for bit, e := range []*evidence{before, after} {
		for _, c := range e.cells {
			sides[[2]int{c.prompt, c.target}] |= 1 << bit
		}
	}
	const both = 1<<0 | 1<<1
	only, alone := map[[2]int]bool{}, 0
	for at, side := range sides {
		switch {
		case side == both:
			only[at] = true
		case before.includes(measure{}, b.def.Prompts[at[0]].Branded):
			leftOut++
			fallthrough
		default:
			alone++
		}
	}
	if alone == 0 {
		return before, after, 0, nil
	}
	first.only, second.only = only, only
	if before, err = b.evidence(first, wanted, read); err == nil {
		after, err = b.evidence(second, wanted, read)
	}
	return before, after, leftOut, err
}

func (b *Dataset) compare(before, after *evidence, m measure, brand int) Comparison {
	sumsA, sumsB := before.sums(b, m, brand), after.sums(b, m, brand)
	a, z := sumsA.side(m), sumsB.side(m)
	if m.none != nil && m.none(before.c.panel) {
		a.SweepMeans, z.SweepMeans = nil, nil
	}
	change := stats.Compare(a, z)
	c := Comparison{
		Metric: m.name + Version, Brand: &b.def.Brands[brand].Name, Labels: before.c.labels, Cells: len(sumsA.Cells),
		SweepsA: len(a.SweepMeans), SweepsB: len(z.SweepMeans), AnswersA: a.Answers, AnswersB: z.Answers, Verdict: change.Verdict,
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

// side is a period of a comparison. The value of a ratio in a sweep is that of its two
// sweep means; a sweep with a denominator of 0 has none.
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
