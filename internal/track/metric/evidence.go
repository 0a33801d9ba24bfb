package metric

import (
	"slices"

	"earshot/internal/track/tally"
)

// evidence contains the counts that the numbers of a cut are computed from.
type evidence struct {
	cut     cut
	sweeps  [][]sheetGroups // for each sweep of the cut, ordered by target
	cells   []cell          // cells with eligible answers, ordered by target and prompt
	planned [2]int          // planned answers: of unbranded prompts, and of all prompts

	buffer []CellSums // reused by estimate
}

// cell contains the counts of a prompt on a target, over the sweeps of a cut.
type cell struct {
	prompt, target int
	*CellCounts
}

// evidence collects the counts of a cut. The result does not depend on the form in which
// counts were added, because counts are integers and are ordered by target and prompt.
// Cells have at least the wanted counts. If no counts are wanted, there are no cells.
// decoded contains cells that were decoded before.
func (b *Dataset) evidence(c cut, wanted columns, decoded decodedCells) (*evidence, error) {
	e := &evidence{cut: c, sweeps: make([][]sheetGroups, len(c.sweeps))}
	allPrompts := b.hasAllPrompts(c)
	asked := b.countAsked(c)
	for _, target := range c.targets {
		merged := b.newMerger(len(c.prompts))
		var covered map[int]bool
		if allPrompts && wanted != 0 {
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
			groups, err := b.mergeSheet(merged, c, at, target, unmerged, decoded)
			if err != nil {
				return nil, err
			}
			groups.target = target
			e.sweeps[i] = append(e.sweeps[i], groups)
			e.addPlanned(b.plans[at], target, asked[i], groups.coarse)
		}
		for _, prompt := range c.prompts {
			if counts := merged.cells[prompt]; counts != nil && counts.Eligible > 0 {
				e.cells = append(e.cells, cell{prompt, target, counts})
			}
		}
	}
	return e, nil
}

// mergeSheet merges the wanted counts of a target in a sweep and returns its groups.
func (b *Dataset) mergeSheet(merged *merger, c cut, at, target int, wanted columns, decoded decodedCells) (sheetGroups, error) {
	s, allPrompts := b.sheets[at][target], b.hasAllPrompts(c)
	switch {
	case s == nil:
		return sheetGroups{}, nil
	case allPrompts && wanted == 0:
		return s.allGroups(b), nil
	case allPrompts && s.unread.IsKnown():
		return s.allGroups(b), merged.addStored(b, s.unread, wanted)
	}
	cells, known := decoded[s]
	if !known {
		var err error
		if cells, err = s.decoded(b); err != nil {
			return sheetGroups{}, err
		}
	}
	prompts := c.prompts
	if c.only != nil {
		prompts = slices.DeleteFunc(slices.Clone(prompts), func(prompt int) bool { return !c.only[[2]int{prompt, target}] })
	}
	if wanted != 0 {
		merged.add(cells, prompts)
	}
	if allPrompts {
		return s.allGroups(b), nil
	}
	groups := b.group(cells, prompts)
	return sheetGroups{groups: groups, coarse: coarsen(groups, len(b.def.Brands))}, nil
}

// hasAllPrompts reports whether a cut contains all cells of its targets.
func (b *Dataset) hasAllPrompts(c cut) bool {
	return len(c.prompts) == len(b.def.Prompts) && c.only == nil
}

// decodedCells are the cells of sheets, by prompt, decoded once for several cuts.
type decodedCells map[*sheet][]*CellCounts

// maxDecoded limits how many cells are decoded at a time. A cell with few brands takes
// about 400 bytes.
const maxDecoded = 100_000

// inBatches calls use with batches of cuts, each with the decoded cells that the batch
// needs. A sheet is decoded once per batch instead of once per cut: a query by prompt would
// decode every sheet a thousand times otherwise.
func (b *Dataset) inBatches(cuts []cut, wanted columns, use func(first int, batch []cut, decoded decodedCells) error) error {
	for first := 0; first < len(cuts); {
		end, cells := first, 0
		for end < len(cuts) && (end == first || cells < maxDecoded) {
			if c := cuts[end]; !b.hasAllPrompts(c) {
				cells += len(c.prompts) * len(c.targets) * len(c.sweeps)
			}
			end++
		}
		decoded, err := b.decodeCuts(cuts[first:end], wanted)
		if err == nil {
			err = use(first, cuts[first:end], decoded)
		}
		if err != nil {
			return err
		}
		first = end
	}
	return nil
}

// decodeCuts decodes the sheets of cuts that contain only some prompts.
func (b *Dataset) decodeCuts(cuts []cut, wanted columns) (decodedCells, error) {
	prompts := make([]bool, len(b.def.Prompts))
	decoded := decodedCells{}
	for _, c := range cuts {
		if b.hasAllPrompts(c) {
			continue
		}
		for _, prompt := range c.prompts {
			prompts[prompt] = true
		}
		for _, at := range c.sweeps {
			for _, target := range c.targets {
				if s := b.sheets[at][target]; s != nil && s.cells == nil && s.unread.IsKnown() {
					decoded[s] = nil
				}
			}
		}
	}
	for s := range decoded {
		m := b.newMerger(len(b.def.Prompts))
		err := Tallies.AddCells(s.unread, len(b.def.Brands), wanted|groupColumns, func(number int) *CellCounts {
			if prompt, known := b.numbers[number]; known && prompts[prompt] {
				return m.writable(prompt)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		decoded[s] = m.cells
	}
	return decoded, nil
}

// mergeSpans merges the cells of each span whose sweeps are all in the list. It returns the
// sweeps of these spans.
func (b *Dataset) mergeSpans(merged *merger, sweeps []int, target int, wanted columns) (covered map[int]bool, err error) {
	covered = map[int]bool{}
	for _, s := range b.spans {
		if slices.ContainsFunc(s.sweeps, func(at int) bool { return !slices.Contains(sweeps, at) || covered[at] }) {
			continue
		}
		for _, at := range s.sweeps {
			covered[at] = true
		}
		if !s.cells[target].IsKnown() {
			continue // the target has no answers in these sweeps
		}
		if err := merged.addStored(b, s.cells[target], wanted); err != nil {
			return nil, err
		}
	}
	return covered, nil
}

// merger adds up cells by prompt. The first counts of a prompt are used without a copy
// until others are added.
type merger struct {
	empty  func() *CellCounts
	cells  []*CellCounts
	shared []bool // the counts belong to somebody else and must not be changed
}

// newMerger returns an empty merger for about that many prompts.
func (b *Dataset) newMerger(prompts int) *merger {
	n := len(b.def.Prompts)
	return &merger{empty: Tallies.Allocator(len(b.def.Brands), min(prompts, 64)), cells: make([]*CellCounts, n), shared: make([]bool, n)}
}

func (m *merger) add(cells []*CellCounts, prompts []int) {
	for _, prompt := range prompts {
		switch c := cells[prompt]; {
		case c == nil:
		case m.cells[prompt] == nil:
			m.cells[prompt], m.shared[prompt] = c, true
		default:
			m.writable(prompt).Merge(c)
		}
	}
}

// writable returns the counts of a prompt for the caller to change.
func (m *merger) writable(prompt int) *CellCounts {
	if c := m.cells[prompt]; c == nil || m.shared[prompt] {
		m.cells[prompt], m.shared[prompt] = m.empty(), false
		if c != nil {
			m.cells[prompt].Merge(c)
		}
	}
	return m.cells[prompt]
}

// addStored adds the wanted counts of stored cells.
func (m *merger) addStored(b *Dataset, cells tally.Cells, wanted columns) error {
	return Tallies.AddCells(cells, len(b.def.Brands), wanted|colEligible, func(number int) *CellCounts {
		if prompt, known := b.numbers[number]; known {
			return m.writable(prompt)
		}
		return nil
	})
}

// countAsked returns how many prompts of a cut each of its sweeps asked: of the unbranded
// prompts, and of all prompts.
func (b *Dataset) countAsked(c cut) [][2]int {
	counts := make([][2]int, len(c.sweeps))
	for i, at := range c.sweeps {
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

// addPlanned adds the answers that a sweep planned for a target. Eligible answers beyond the
// plan count as planned.
func (e *evidence) addPlanned(p plan, target int, asked [2]int, groups []Group) {
	samples := 0
	if p.targets == nil || p.targets[target] {
		samples = p.samples
	}
	for i := range e.planned {
		e.planned[i] += samples * asked[i]
	}
	for _, g := range groups {
		more := g.Cells * max(0, int(g.Counts.Eligible)/g.Cells-samples)
		e.planned[1] += more
		if e.cut.branded || !g.Branded {
			e.planned[0] += more
		}
	}
}

// includes reports whether a measure counts the answers to branded or unbranded prompts.
func (e *evidence) includes(m measure, branded bool) bool {
	return !branded || m.branded || e.cut.branded
}

// total is the sum of all counts of a cut, and the number of planned answers.
type total struct {
	*CellCounts
	planned int
}

// total adds up the counts of a cut, with or without branded prompts.
func (e *evidence) total(b *Dataset, branded bool) *total {
	t := &total{CellCounts: NewCellCounts(len(b.def.Brands)), planned: e.planned[0]}
	if branded {
		t.planned = e.planned[1]
	}
	for i := range e.sweeps {
		e.addSweep(t.CellCounts, i, branded)
	}
	return t
}

// addSweep adds the counts of a sweep of the cut, with or without branded prompts.
func (e *evidence) addSweep(into *CellCounts, sweep int, branded bool) {
	for _, s := range e.sweeps[sweep] {
		for i := range s.coarse {
			if e.includes(measure{branded: branded}, s.coarse[i].Branded) {
				into.Merge(&s.coarse[i].Counts)
			}
		}
	}
}

// sums returns the sums of a measure. It appends the sums of cells to buffer.
func (e *evidence) sums(b *Dataset, m measure, brand int, buffer []CellSums) Sums {
	s := Sums{Sweeps: make([]SweepSums, len(e.sweeps)), Cells: slices.Grow(buffer, len(e.cells))}
	values := func(c *CellCounts) (n int, x, y float64) {
		if n = m.n(c); n == 0 {
			return 0, 0, 0
		}
		x, y = m.x(c, brand), float64(n)
		if m.y != nil {
			y = m.y(c, brand, e.cut.panel)
		}
		return n, x, y
	}
	var kept map[int]tally.PromptSet // by target
	if m.dropsEmpty {
		kept = map[int]tally.PromptSet{}
	}
	for _, c := range e.cells {
		p := &b.def.Prompts[c.prompt]
		n, x, y := values(c.CellCounts)
		if n == 0 || !e.includes(m, p.Branded) {
			continue
		}
		s.Answers += n
		if m.squares != nil {
			s.Squares += m.squares(c.CellCounts)
		}
		if m.dropsEmpty {
			if y == 0 {
				continue
			}
			prompts := kept[c.target]
			prompts.Add(b.number(c.prompt))
			kept[c.target] = prompts
		}
		s.Cells = append(s.Cells, CellSums{c.prompt, p.Weight, n, x, y})
	}
	for i, sheets := range e.sweeps {
		sweep := &s.Sweeps[i]
		for _, sheet := range sheets {
			groups := sheet.coarse
			if m.needs != needsNothing {
				groups = sheet.groups
			}
			for j := range groups {
				g := &groups[j]
				n, x, y := values(&g.Counts)
				if n == 0 || !e.includes(m, g.Branded) {
					continue
				}
				perCell, cells := n/g.Cells, g.Cells // all cells of a group have equally many answers
				if m.dropsEmpty {
					cells = g.Prompts.Common(kept[sheet.target]) // the other cells add 0 to X and Y
				}
				sweep.Answers += perCell * cells
				sweep.Weight += g.Weight * float64(cells)
				sweep.X += g.Weight * x / float64(perCell)
				sweep.Y += g.Weight * y / float64(perCell)
			}
		}
	}
	return s
}
