package metric

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"earshot/internal/stats"
)

// Comparison is one metric in two periods, over the cells that answered often enough in both.
type Comparison struct {
	Metric string  `json:"metric"`
	Brand  *string `json:"brand"` // nil if the metric does not depend on a brand
	Labels
	A        *float64        `json:"a"` // the value in period a
	B        *float64        `json:"b"`
	Change   *float64        `json:"change"`
	P        *float64        `json:"p"` // nil with fewer than two sweeps in a period, like the next three
	Degrees  *float64        `json:"df"`
	Interval *stats.Interval `json:"interval"`
	Smallest *float64        `json:"smallest"`
	Plain    *float64        `json:"plain"` // the difference of the plain means of sweep means
	Gaps     int             `json:"gaps"`  // pairs of a compared cell and a sweep without an answer
	Note     string          `json:"note,omitempty"`
	LeftOut  int             `json:"leftOut"` // cells with an answer that are not compared
	Cells    int             `json:"cells"`
	SweepsA  int             `json:"sweepsA"`
	SweepsB  int             `json:"sweepsB"`
	AnswersA int             `json:"answersA"`
	AnswersB int             `json:"answersB"`
	Verdict  stats.Verdict   `json:"verdict"`
}

// Adjusted is the note of a comparison whose change differs from the plain change by more than
// a point, because answers are missing.
const Adjusted = "adjusted"

// commonSweeps is the number of sweeps of each period in which a compared cell must answer. A
// period with fewer sweeps needs all of them.
const commonSweeps = 3

// Compare compares two periods. q.By must not contain a dimension of time.
func (b *Dataset) Compare(q Query, periods Periods) ([]Comparison, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	for _, by := range q.By {
		if slices.Contains(ofSweeps, by) {
			return nil, fmt.Errorf("by: periods are not divided by %q", by)
		}
	}
	var sides [2][]int
	for i, ids := range [2][]string{periods.A, periods.B} {
		var err error
		if sides[i], err = b.positions(ids); err != nil {
			return nil, err
		}
	}
	cuts := b.cuts(q)
	parts := make([][]Comparison, len(cuts))
	inParallel(len(cuts), func(i int) { parts[i] = b.compareCut(cuts[i], sides, q) })
	found := slices.Concat(parts...)
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

// SourceChange is the change of a domain's share of all citations.
type SourceChange struct {
	Domain string
	Comparison
}

// SourceChanges compares the shares of the domains that both periods together cite at least so
// many times, on all surfaces together. The dataset must count sources by domain.
func (b *Dataset) SourceChanges(periods Periods, fewest int) (found []SourceChange, err error) {
	var sweeps [2][]int
	for i, ids := range [2][]string{periods.A, periods.B} {
		if sweeps[i], err = b.positions(ids); err != nil {
			return nil, err
		}
	}
	for _, c := range b.cuts(Query{PoolSurfaces: true}) {
		all := c
		all.sweeps = slices.Concat(sweeps[0], sweeps[1])
		total := b.evidence(all, colCitations).total(b, true)
		for _, domain := range slices.Sorted(maps.Keys(total.Domains)) {
			if total.Domains[domain] < fewest {
				continue
			}
			m := shareOf(func(c *CellCounts) int { return c.Domains[domain] })
			found = append(found, SourceChange{domain, b.compare(c, m, 0, [2]side{b.side(c, m, 0, sweeps[0]), b.side(c, m, 0, sweeps[1])})})
		}
	}
	return found, nil
}

// compareCut compares all measures of a cut.
func (b *Dataset) compareCut(c cut, periods [2][]int, q Query) (found []Comparison) {
	compare := func(m measure, brand int) {
		if !m.compared || !q.wants(m.name) {
			return
		}
		sides := [2]side{b.side(c, m, brand, periods[0]), b.side(c, m, brand, periods[1])}
		if m.isContent() && sides[0].sweeps+sides[1].sweeps == 0 {
			return
		}
		found = append(found, b.compare(c, m, brand, sides))
	}
	for _, brand := range c.panel {
		for _, m := range measures {
			if m.brand {
				compare(m, brand)
			}
		}
	}
	for _, m := range measures {
		if !m.brand {
			compare(m, 0)
		}
	}
	return found
}

// side contains the counts of a measure in one period of a comparison: of each cell in each
// sweep.
type side struct {
	cells  []cellSide
	sweeps int // with an answer
	counts []bool
}

// cellSide contains the counts of one cell.
type cellSide struct {
	prompt     int
	weight     float64
	n, x, y    []float64 // by sweep
	sweeps     int       // with an answer
	sumN       float64
	sumX, sumY float64
}

// side counts a measure of a brand in some sweeps.
func (b *Dataset) side(c cut, m measure, brand int, sweeps []int) side {
	s := side{cells: make([]cellSide, len(c.targets)*len(c.prompts)), counts: make([]bool, len(sweeps))}
	values := make([]float64, 3*len(s.cells)*len(sweeps))
	take := func() []float64 {
		taken := values[:len(sweeps):len(sweeps)]
		values = values[len(sweeps):]
		return taken
	}
	index := make([]int, len(b.def.Prompts)) // of the prompts of the cut, from 1
	for i, prompt := range c.prompts {
		if !b.def.Prompts[prompt].Branded || m.branded || c.branded {
			index[prompt] = i + 1
		}
	}
	brands := []int{brand}
	if m.panel {
		brands = c.panel
	}
	buffer := newCounts(len(b.def.Prompts), len(b.def.Brands))
	for t, target := range c.targets {
		cells := s.cells[t*len(c.prompts) : (t+1)*len(c.prompts)]
		for i, prompt := range c.prompts {
			cells[i] = cellSide{prompt: prompt, weight: b.def.Prompts[prompt].Weight, n: take(), x: take(), y: take()}
		}
		for at, sweep := range sweeps {
			sheet := b.read(sweep, target)
			if sheet == nil || b.lacks(m, sweep, brand, c.panel) {
				continue
			}
			sheet.each(m.reads, brands, buffer, func(prompt int, counts *CellCounts) {
				i := index[prompt]
				if i == 0 {
					return
				}
				n := m.n(counts)
				if n == 0 {
					return
				}
				one := &cells[i-1]
				one.n[at], one.x[at], one.y[at] = float64(n), m.x(counts, brand), float64(n)
				if m.y != nil {
					one.y[at] = m.y(counts, brand, c.panel)
				}
				one.sumN, one.sumX, one.sumY = one.sumN+one.n[at], one.sumX+one.x[at], one.sumY+one.y[at]
				one.sweeps++
				s.counts[at] = true
			})
		}
	}
	s.sweeps = countTrue(s.counts)
	return s
}

func countTrue(values []bool) (n int) {
	for _, value := range values {
		if value {
			n++
		}
	}
	return n
}

// only returns the side without the cells that are not in a list, in which each cell has an
// entry.
func (s side) only(cells []bool) side {
	if !slices.Contains(cells, false) {
		return s
	}
	kept := side{cells: make([]cellSide, 0, len(s.cells)), counts: make([]bool, len(s.counts))}
	for i, one := range s.cells {
		if !cells[i] {
			continue
		}
		kept.cells = append(kept.cells, one)
		for at, n := range one.n {
			kept.counts[at] = kept.counts[at] || n > 0
		}
	}
	kept.sweeps = countTrue(kept.counts)
	return kept
}

// compare compares the two periods of a measure.
func (b *Dataset) compare(c cut, m measure, brand int, sides [2]side) Comparison {
	row := Comparison{Metric: m.name, Labels: c.labels, Verdict: stats.TooEarly}
	if m.brand {
		row.Brand = &b.def.Brands[brand].Name
	}
	common, both := make([]bool, len(sides[0].cells)), make([]bool, len(sides[0].cells))
	for i := range common {
		first, second := sides[0].cells[i].sweeps, sides[1].cells[i].sweeps
		both[i] = first > 0 && second > 0
		common[i] = both[i] && first >= min(commonSweeps, sides[0].sweeps) && second >= min(commonSweeps, sides[1].sweeps)
		switch {
		case common[i]:
			row.Cells++
		case first > 0 || second > 0:
			row.LeftOut++
		}
	}
	first, second := sides[0].only(common), sides[1].only(common)
	row.SweepsA, row.SweepsB = first.sweeps, second.sweeps
	row.AnswersA, row.AnswersB = first.answers(), second.answers()
	row.Gaps = first.gaps() + second.gaps()
	if !m.panel || len(c.panel) > 1 {
		row.A, row.B = first.value(m), second.value(m)
	}
	if row.A == nil || row.B == nil {
		return row
	}
	row.Change = new(*row.B - *row.A)
	if plainA, plainB := sides[0].only(both).plain(m), sides[1].only(both).plain(m); plainA != nil && plainB != nil {
		row.Plain = new(*plainB - *plainA)
		if math.Abs(*row.Change-*row.Plain) > 0.01 {
			row.Note = Adjusted
		}
	}
	change := stats.Compare(first.estimate(m, *row.A), second.estimate(m, *row.B))
	row.Verdict = change.Verdict
	if change.Test {
		row.P, row.Degrees, row.Interval, row.Smallest = &change.P, &change.Degrees, &change.Interval, &change.Smallest
	}
	return row
}

// answers returns the number of eligible answers.
func (s side) answers() int {
	n := 0.0
	for _, c := range s.cells {
		n += c.sumN
	}
	return int(n)
}

// gaps returns the number of cells and sweeps without an answer.
func (s side) gaps() (n int) {
	for _, c := range s.cells {
		n += s.sweeps - c.sweeps
	}
	return n
}

// means returns the weighted means of x and y over cells, and the sum of the weights.
func (s side) means() (x, y, weight float64) {
	for _, c := range s.cells {
		weight += c.weight
		x += c.weight * c.sumX / c.sumN
		y += c.weight * c.sumY / c.sumN
	}
	return x / weight, y / weight, weight
}

// value returns the value of a measure, or nil without answers or without a denominator.
func (s side) value(m measure) *float64 {
	if len(s.cells) == 0 {
		return nil
	}
	x, y, _ := s.means()
	switch {
	case !m.ratio:
		return &x
	case y == 0:
		return nil
	default:
		return new(x / y)
	}
}

// plain returns the mean of the sweep means, or nil without one.
func (s side) plain(m measure) *float64 {
	var means []float64
	for at, has := range s.counts {
		if !has {
			continue
		}
		var x, y, weight float64
		for _, c := range s.cells {
			if c.n[at] > 0 {
				weight += c.weight
				x += c.weight * c.x[at] / c.n[at]
				y += c.weight * c.y[at] / c.n[at]
			}
		}
		switch {
		case !m.ratio:
			means = append(means, x/weight)
		case y > 0:
			means = append(means, x/y)
		}
	}
	return stats.MeanOrNil(means)
}

// estimate returns the value and the contributions of the sweeps to its error: what each cell
// differed from its own mean, scaled for the sweeps in which the cell has no answer.
func (s side) estimate(m measure, value float64) stats.Side {
	_, meanY, weight := s.means()
	found := stats.Side{Value: value, Answers: s.answers()}
	slot := make([]int, len(s.counts)) // positions among the sweeps with answers
	for at, has := range s.counts {
		slot[at] = len(found.Sweeps)
		if has {
			found.Sweeps = append(found.Sweeps, 0)
		}
	}
	for _, c := range s.cells {
		x, mean := c.x, c.sumX/c.sumN
		if m.ratio {
			x = make([]float64, len(c.x))
			for at := range x {
				x[at] = (c.x[at] - value*c.y[at]) / meanY
			}
			mean = (c.sumX - value*c.sumY) / meanY / c.sumN
		}
		var answered []int
		for at, n := range c.n {
			if n > 0 {
				answered = append(answered, slot[at])
			}
		}
		scale := float64(s.sweeps) * c.weight / weight / c.sumN * stats.GapScale(answered, s.sweeps)
		for at, n := range c.n {
			if n > 0 {
				found.Sweeps[slot[at]] += scale * (x[at] - n*mean)
			}
		}
	}
	return found
}
