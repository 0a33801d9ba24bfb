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
			before, after, leftOut, err := b.common(a, z, q.reads(), decoded)
			if err != nil {
				return err
			}
			for _, brand := range c.panel {
				for _, m := range measures {
					if m.compared && q.wants(m.name) {
						comparison := b.compare(before, after, m, brand)
						comparison.LeftOut = leftOut
						found = append(found, comparison)
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

// common returns the evidence of two cuts over the cells with an eligible answer in both.
// leftOut is the number of unbranded cells with an eligible answer in only one cut.
func (b *Dataset) common(first, second cut, wanted columns, decoded decodedCells) (before, after *evidence, leftOut int, err error) {
	if before, err = b.evidence(first, wanted, decoded); err != nil {
		return nil, nil, 0, err
	}
	if after, err = b.evidence(second, wanted, decoded); err != nil {
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
	if before, err = b.evidence(first, wanted, decoded); err == nil {
		after, err = b.evidence(second, wanted, decoded)
	}
	return before, after, leftOut, err
}

func (b *Dataset) compare(before, after *evidence, m measure, brand int) Comparison {
	sums := before.sums(b, m, brand, nil)
	a, z := sums.side(m), after.sums(b, m, brand, nil).side(m)
	if m.undefined != nil && m.undefined(before.cut.panel) {
		a.SweepMeans, z.SweepMeans = nil, nil
	}
	change := stats.Compare(a, z)
	c := Comparison{
		Metric: m.name + Version, Brand: &b.def.Brands[brand].Name, Labels: before.cut.labels, Cells: len(sums.Cells),
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
