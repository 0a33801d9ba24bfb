package metric

import (
	"slices"

	"earshot/internal/track/cells"
)

// evidence contains the counts that the numbers of a cut are computed from.
type evidence struct {
	cut     cut
	sweeps  [][]targetSums // for each sweep of the cut, ordered by target
	cells   []cell         // cells with eligible answers, ordered by target and prompt
	planned [2]int         // planned answers: of unbranded prompts, and of all prompts

	buffer []CellSums // reused by estimate
}

// cell contains the counts of a prompt on a target, over the sweeps of a cut.
type cell struct {
	prompt, target int
	*CellCounts
}

// targetSums contains the counts of a target in a sweep, added up over cells that are alike.
type targetSums struct {
	target int
	sheet  *sheet // nil without answers
	picked cells.Picked
	alike  []alike
}

// alike is the sum of the cells whose prompts have the same weight and that have the same numbers
// of answers in every denominator. The sums are integers, so that a mean has the same digits in
// whichever order answers were counted.
type alike struct {
	Branded bool
	Weight  float64 // of each prompt
	Cells   int
	Counts  CellCounts
}

// evidence adds up the wanted counts of a cut.
func (b *Dataset) evidence(c cut, wanted columns) *evidence {
	e := &evidence{cut: c, sweeps: make([][]targetSums, len(c.sweeps))}
	wanted |= colEligible
	asked := b.countAsked(c)
	picked := make([]bool, len(b.def.Prompts))
	for _, prompt := range c.prompts {
		picked[prompt] = true
	}
	for _, target := range c.targets {
		parts := make([]targetSums, len(c.sweeps))
		for i, at := range c.sweeps {
			parts[i] = b.pick(c, at, target, wanted, picked)
		}
		e.cells = append(e.cells, b.addUp(c, target, parts, wanted)...)
		for i, at := range c.sweeps {
			e.sweeps[i] = append(e.sweeps[i], parts[i])
			e.addPlanned(b.plans[at], target, asked[i], parts[i].alike)
		}
	}
	return e
}

// pick picks the cells of a cut, and groups the ones that are alike. The counts are not added up.
func (b *Dataset) pick(c cut, at, target int, wanted columns, picked []bool) targetSums {
	p := targetSums{target: target, sheet: b.read(at, target)}
	if p.sheet == nil {
		return p
	}
	p.sheet.need(wanted)
	prompts := p.sheet.prompts
	p.picked.Prompt = prompts
	switch {
	case len(c.prompts) == len(b.def.Prompts):
	case 16*len(c.prompts) < len(prompts):
		p.picked.Cells = []int32{}
		for _, prompt := range c.prompts {
			if cell, has := slices.BinarySearch(prompts, int32(prompt)); has {
				p.picked.Cells = append(p.picked.Cells, int32(cell))
			}
		}
	default:
		p.picked.Cells = []int32{}
		for cell, prompt := range prompts {
			if picked[prompt] {
				p.picked.Cells = append(p.picked.Cells, int32(cell))
			}
		}
	}
	if p.picked.Cells != nil && len(p.picked.Cells) == 0 {
		p.sheet = nil
		return p
	}
	groups := 1
	if len(p.picked.Cells) != 1 {
		if b.classes != nil {
			groups = p.picked.Split(func(cell int) int32 { return b.classes[prompts[cell]] })
		}
		for _, bit := range (wanted & denominators).bits() {
			column := &p.sheet.columns[bit]
			if _, same := column.Same(); !same {
				groups = p.picked.Split(column.At)
			}
		}
	}
	p.alike = make([]alike, groups)
	counts := newCounts(groups, len(b.def.Brands))
	p.picked.All(func(cell int) {
		g := &p.alike[p.picked.GroupOf(cell)]
		if g.Cells == 0 {
			of := b.def.Prompts[prompts[cell]]
			g.Branded, g.Weight = of.Branded, of.Weight
		}
		g.Cells++
	})
	for i := range p.alike {
		p.alike[i].Counts = counts[i]
	}
	return p
}

// addUp adds up the wanted counts of a target over its parts, and over sweeps by prompt.
func (b *Dataset) addUp(c cut, target int, parts []targetSums, wanted columns) (found []cell) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p targetSums) bool { return p.sheet == nil })
	byPrompt, answered := make([]*CellCounts, len(b.def.Prompts)), make([]bool, len(b.def.Prompts))
	groups := 1
	for i, p := range parts {
		groups = max(groups, len(p.alike))
		if i == 0 || &p.picked.Prompt[0] != &parts[i-1].picked.Prompt[0] || p.picked.Cells != nil { // most sweeps share their prompts
			p.picked.All(func(cell int) { answered[p.picked.Prompt[cell]] = true })
		}
	}
	for _, prompt := range c.prompts {
		if answered[prompt] {
			found = append(found, cell{prompt: prompt, target: target})
		}
	}
	counts := newCounts(len(found), len(b.def.Brands))
	for i := range found {
		found[i].CellCounts, byPrompt[found[i].prompt] = &counts[i], &counts[i]
	}
	sums := &columnSums{
		parts: parts, byPrompt: byPrompt, prompts: make([]int32, len(byPrompt)), groups: make([]int32, groups),
		promptPlaces: cells.NewPlaceSums(len(byPrompt)), groupPlaces: cells.NewPlaceSums(groups),
	}
	for _, bit := range wanted.bits() {
		if bit < cellCounts {
			sums.add(bit, cellColumns[bit])
			continue
		}
		for _, brand := range c.panel {
			if bit < cellCounts+brandCounts {
				count := brandColumns[bit-cellCounts]
				sums.add(columnOf(bit, brand), func(c *CellCounts) *int32 { return count(&c.Brands[brand]) })
			} else {
				sums.addPlaces(columnOf(bit, brand), brand, placeColumns[bit-cellCounts-brandCounts])
			}
		}
	}
	for i := range parts {
		p := &parts[i]
		if p.sheet.counted != nil {
			p.picked.All(func(cell int) {
				prompt := p.picked.Prompt[cell]
				byPrompt[prompt].mergeLists(p.sheet.counted[prompt])
				p.alike[p.picked.GroupOf(cell)].Counts.mergeLists(p.sheet.counted[prompt])
			})
		}
	}
	return found
}

// columnSums adds up the columns of a target one after another.
type columnSums struct {
	parts                     []targetSums
	byPrompt                  []*CellCounts
	prompts, groups           []int32 // reused for each column
	promptPlaces, groupPlaces *cells.PlaceSums
}

func (s *columnSums) add(column int, count func(*CellCounts) *int32) {
	for _, p := range s.parts {
		p.sheet.columns[column].Add(&p.picked, s.prompts, s.groups)
		for i := range p.alike {
			*count(&p.alike[i].Counts) = s.groups[i]
			s.groups[i] = 0
		}
	}
	for prompt, n := range s.prompts {
		if n != 0 {
			*count(s.byPrompt[prompt]) = n
			s.prompts[prompt] = 0
		}
	}
}

func (s *columnSums) addPlaces(column, brand int, places func(*brandLists) *cells.Places) {
	set := func(c *CellCounts, sum cells.Places) {
		if sum != nil {
			*places(c.Brands[brand].writable()) = sum
		}
	}
	for _, p := range s.parts {
		p.sheet.columns[column].AddPlaces(&p.picked, s.promptPlaces, s.groupPlaces)
		for i := range p.alike {
			set(&p.alike[i].Counts, s.groupPlaces.Take(i))
		}
	}
	for prompt, c := range s.byPrompt {
		if c != nil {
			set(c, s.promptPlaces.Take(prompt))
		}
	}
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
func (e *evidence) addPlanned(p plan, target int, asked [2]int, groups []alike) {
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
	for _, p := range e.sweeps[sweep] {
		for i := range p.alike {
			if e.includes(measure{branded: branded}, p.alike[i].Branded) {
				into.Merge(&p.alike[i].Counts)
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
	kept := map[int][]bool{} // prompts by target; only for m.dropsEmpty
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
			if kept[c.target] == nil {
				kept[c.target] = make([]bool, len(b.def.Prompts))
			}
			kept[c.target][c.prompt] = true
		}
		s.Cells = append(s.Cells, CellSums{c.prompt, p.Weight, n, x, y})
	}
	for i, parts := range e.sweeps {
		sweep := &s.Sweeps[i]
		for _, p := range parts {
			for j := range p.alike {
				g := &p.alike[j]
				n, x, y := values(&g.Counts)
				if n == 0 || !e.includes(m, g.Branded) {
					continue
				}
				perCell, cells := n/g.Cells, g.Cells // all cells have equally many answers
				if m.dropsEmpty {
					cells = p.count(int32(j), kept[p.target]) // the other cells add 0 to X and Y
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

// count returns the number of cells of a group that answer one of the prompts.
func (p *targetSums) count(group int32, prompts []bool) (n int) {
	p.picked.All(func(cell int) {
		if prompts != nil && prompts[p.picked.Prompt[cell]] && p.picked.GroupOf(cell) == group {
			n++
		}
	})
	return n
}
