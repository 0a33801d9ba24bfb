package metric

import "slices"

// evidence is what the numbers of a cut are computed from.
type evidence struct {
	c       cut
	sweeps  [][]Group // for each sweep of the cut, of one target after the other
	cells   []cell    // with eligible answers, of one target after the other
	planned [2]int    // answers: of prompts that are not branded, and of all

	used []CellSums // memory for the next estimate
}

// cell is what is known of a prompt on a target, over the sweeps of a cut.
type cell struct {
	prompt, target int
	*CellCounts
}

// evidence gathers that of a cut. Groups and tallies are whole numbers, and gathered in
// the order of targets and prompts: it does not matter in which form they were kept.
// Cells have at least the wanted counts; there are none where nothing is wanted. read are
// packed cells that were read for this cut among others.
func (b *Dataset) evidence(c cut, wanted columns, read opened) (*evidence, error) {
	e := &evidence{c: c, sweeps: make([][]Group, len(c.sweeps))}
	whole := b.whole(c)
	asked := b.askedIn(c)
	for _, target := range c.targets {
		merged := b.merger(len(c.prompts))
		var covered map[int]bool
		if whole && wanted != 0 {
			var err error
			if covered, err = b.mergeSpans(merged, c.sweeps, target, wanted); err != nil {
				return nil, err
			}
		}
		for i, at := range c.sweeps {
			unmerged := wanted
			if covered[at] {
				unmerged = 0
			}
			groups, err := b.gather(merged, c, at, target, unmerged, read)
			if err != nil {
				return nil, err
			}
			e.sweeps[i] = append(e.sweeps[i], groups...)
			e.plan(b.plans[at], target, asked[i], groups)
		}
		for _, prompt := range c.prompts {
			if t := merged.tallies[prompt]; t != nil && t.Eligible > 0 {
				e.cells = append(e.cells, cell{prompt, target, t})
			}
		}
	}
	return e, nil
}

// gather gives the groups of a target in a sweep, and merges its cells.
func (b *Dataset) gather(merged *merger, c cut, at, target int, wanted columns, read opened) ([]Group, error) {
	s, whole := b.sheets[at][target], b.whole(c)
	switch {
	case s == nil:
		return nil, nil
	case whole && wanted == 0:
		return s.grouped(b), nil
	}
	if whole && s.packed != "" {
		return s.grouped(b), merged.addPacked(b, s.packed, wanted)
	}
	tallies, known := read[s]
	if !known {
		var err error
		if tallies, err = s.cells(b); err != nil {
			return nil, err
		}
	}
	prompts := c.prompts
	if c.only != nil {
		prompts = slices.DeleteFunc(slices.Clone(prompts), func(prompt int) bool { return !c.only[[2]int{prompt, target}] })
	}
	if wanted != 0 {
		merged.add(tallies, prompts)
	}
	if whole {
		return s.grouped(b), nil
	}
	return b.fold(tallies, prompts), nil
}

// whole tells whether a cut has all prompts.
func (b *Dataset) whole(c cut) bool { return len(c.prompts) == len(b.def.Prompts) && c.only == nil }

// opened are packed cells that were read once for several cuts, by prompt.
type opened map[*sheet][]*CellCounts

// maxOpened is how many cells are read at a time: some 400 bytes each with few brands.
const maxOpened = 100_000

// inParts hands cuts out in parts, each with the packed cells that it needs of single
// prompts. A sheet is read once a part, and not once a cut: a thousand prompts would
// read each of them a thousand times.
func (b *Dataset) inParts(cuts []cut, wanted columns, use func(first int, part []cut, read opened) error) error {
	for first := 0; first < len(cuts); {
		end, cells := first, 0
		for end < len(cuts) && (end == first || cells < maxOpened) {
			if c := cuts[end]; !b.whole(c) {
				cells += len(c.prompts) * len(c.targets) * len(c.sweeps)
			}
			end++
		}
		read, err := b.open(cuts[first:end], wanted)
		if err == nil {
			err = use(first, cuts[first:end], read)
		}
		if err != nil {
			return err
		}
		first = end
	}
	return nil
}

// open reads the packed cells of what cuts have of single prompts.
func (b *Dataset) open(cuts []cut, wanted columns) (opened, error) {
	prompts := make([]bool, len(b.def.Prompts))
	read := opened{}
	for _, c := range cuts {
		if b.whole(c) {
			continue
		}
		for _, prompt := range c.prompts {
			prompts[prompt] = true
		}
		for _, at := range c.sweeps {
			for _, target := range c.targets {
				if s := b.sheets[at][target]; s != nil && s.tallies == nil && s.packed != "" {
					read[s] = nil
				}
			}
		}
	}
	for s := range read {
		m := b.merger(len(b.def.Prompts))
		err := unpackCells(s.packed, len(b.def.Brands), wanted|colEligible|colAttached, func(number int) *CellCounts {
			if prompt, known := b.numbers[number]; known && prompts[prompt] {
				return m.own(prompt)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		read[s] = m.tallies
	}
	return read, nil
}

// mergeSpans merges the cells of spans all of whose sweeps are wanted, and says which
// sweeps these are.
func (b *Dataset) mergeSpans(merged *merger, sweeps []int, target int, wanted columns) (covered map[int]bool, err error) {
	if len(b.spans) == 0 {
		return nil, nil
	}
	within := map[int]bool{}
	for _, at := range sweeps {
		within[at] = true
	}
	covered = map[int]bool{}
	for _, s := range b.spans {
		if slices.ContainsFunc(s.places, func(at int) bool { return !within[at] || covered[at] }) {
			continue
		}
		for _, at := range s.places {
			covered[at] = true
		}
		if s.packed[target] == "" {
			continue // nothing was answered there
		}
		if err := merged.addPacked(b, s.packed[target], wanted); err != nil {
			return nil, err
		}
	}
	return covered, nil
}

// merger adds tallies up by prompt. The first of each is shared with who gave it, until
// another is added.
type merger struct {
	memory  memory
	tallies []*CellCounts
	shared  []bool
}

// merger is an empty one, for so many prompts.
func (b *Dataset) merger(prompts int) *merger {
	n := len(b.def.Prompts)
	return &merger{memory: memory{brands: len(b.def.Brands), together: min(prompts, 64)}, tallies: make([]*CellCounts, n), shared: make([]bool, n)}
}

func (m *merger) add(tallies []*CellCounts, prompts []int) {
	for _, prompt := range prompts {
		switch t := tallies[prompt]; {
		case t == nil:
		case m.tallies[prompt] == nil:
			m.tallies[prompt], m.shared[prompt] = t, true
		default:
			m.own(prompt).Merge(t)
		}
	}
}

// own is the tally of a prompt, to be changed.
func (m *merger) own(prompt int) *CellCounts {
	if t := m.tallies[prompt]; t == nil || m.shared[prompt] {
		m.tallies[prompt], m.shared[prompt] = m.memory.tally(), false
		if t != nil {
			m.tallies[prompt].Merge(t)
		}
	}
	return m.tallies[prompt]
}

// addPacked adds the wanted counts of packed cells.
func (m *merger) addPacked(b *Dataset, packed string, wanted columns) error {
	return unpackCells(packed, len(b.def.Brands), wanted|colEligible, func(number int) *CellCounts {
		if prompt, known := b.numbers[number]; known {
			return m.own(prompt)
		}
		return nil
	})
}

// askedIn is how many of a cut's prompts each of its sweeps asked: of those that are not
// branded, and of all.
func (b *Dataset) askedIn(c cut) [][2]int {
	counts := make([][2]int, len(c.sweeps))
	for i, at := range c.sweeps {
		// Neighbours mostly asked the same.
		if i > 0 && b.plans[at].prompts != nil && b.plans[at].same == b.plans[c.sweeps[i-1]].same {
			counts[i] = counts[i-1]
			continue
		}
		for _, prompt := range c.prompts {
			if b.asked(at, prompt) {
				counts[i][1]++
				if c.branded || !b.def.Prompts[prompt].Branded {
					counts[i][0]++
				}
			}
		}
	}
	return counts
}

// plan counts the answers that a sweep asked of a target. One that came all the same was
// asked for.
func (e *evidence) plan(p plan, target int, asked [2]int, groups []Group) {
	samples := 0
	if p.targets == nil || p.targets[target] {
		samples = p.samples
	}
	for i := range e.planned {
		e.planned[i] += samples * asked[i]
	}
	for _, g := range groups {
		more := g.Cells * max(0, g.Tally.Eligible/g.Cells-samples)
		e.planned[1] += more
		if e.c.branded || !g.Branded {
			e.planned[0] += more
		}
	}
}

// includes reports whether a measure looks at prompts that are branded or not.
func (e *evidence) includes(m measure, branded bool) bool {
	return !branded || m.branded || e.c.branded
}

// total merges the tallies of a cut, with branded prompts or without, and says how many
// answers were planned.
func (e *evidence) total(b *Dataset, branded bool) *total {
	t := &total{CellCounts: NewCellCounts(len(b.def.Brands)), planned: e.planned[0]}
	if branded {
		t.planned = e.planned[1]
	}
	for _, groups := range e.sweeps {
		for i := range groups {
			if e.includes(measure{branded: branded}, groups[i].Branded) {
				t.Merge(&groups[i].Tally)
			}
		}
	}
	return t
}

type total struct {
	*CellCounts
	planned int
}

// sums adds a measure up.
func (e *evidence) sums(b *Dataset, m measure, brand int) Sums {
	return e.sumsIn(make([]CellSums, 0, len(e.cells)), b, m, brand)
}

// sumsIn adds a measure up in the memory of some cells.
func (e *evidence) sumsIn(memory []CellSums, b *Dataset, m measure, brand int) Sums {
	s := Sums{Sweeps: make([]SweepSums, len(e.sweeps)), Cells: memory}
	of := func(t *CellCounts) (n int, x, y float64) {
		if n = m.n(t); n == 0 {
			return 0, 0, 0
		}
		x, y = m.x(t, brand), float64(n)
		if m.y != nil {
			y = m.y(t, e.c.panel)
		}
		return n, x, y
	}
	for i, groups := range e.sweeps {
		sweep := &s.Sweeps[i]
		for j := range groups {
			g := &groups[j]
			n, x, y := of(&g.Tally)
			if n == 0 || !e.includes(m, g.Branded) {
				continue
			}
			each := float64(n / g.Cells) // all of them have as many
			sweep.Answers += n
			sweep.Weight += g.Weight * float64(g.Cells)
			sweep.X += g.Weight * x / each
			sweep.Y += g.Weight * y / each
		}
	}
	for _, c := range e.cells {
		p := &b.def.Prompts[c.prompt]
		if n, x, y := of(c.CellCounts); n > 0 && e.includes(m, p.Branded) {
			s.Cells = append(s.Cells, CellSums{c.prompt, p.Weight, n, x, y})
		}
	}
	return s
}
