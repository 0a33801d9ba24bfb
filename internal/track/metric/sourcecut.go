package metric

// SourceCut is a cut of a query whose citations the caller counts by source. The dataset has
// the number of citations of each cell, but not their sources.
type SourceCut struct {
	Labels
	view   view
	sweeps map[string]int        // indices into evidence.sweeps, by id
	cells  map[int][]int32       // positions of cells, by target and number of the prompt
	groups map[[2]int]int32      // position of the first group of like cells, by index of the sweep and target
	index  map[*CellCounts]int32 // positions of all cells and groups, from 1
}

// Place is where the answers to a prompt are counted. Its zero value is not part of the cut.
type Place struct{ Cell, Group int32 }

// SourceCuts returns the cuts of a query.
func (b *Dataset) SourceCuts(q Query) (found []*SourceCut, err error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	for _, c := range b.cuts(q) {
		found = append(found, b.newSourceCut(b.evidence(c, colCitations), q))
	}
	return found, nil
}

func (b *Dataset) newSourceCut(e *evidence, q Query) *SourceCut {
	c := &SourceCut{
		Labels: e.cut.labels, view: view{b: b, e: e, q: q, unbranded: e.total(b, false), all: e.total(b, true)},
		sweeps: map[string]int{}, cells: map[int][]int32{}, groups: map[[2]int]int32{}, index: map[*CellCounts]int32{},
	}
	add := func(counts *CellCounts) int32 {
		at := int32(len(c.index) + 1)
		c.index[counts] = at
		return at
	}
	numbers := 0
	for prompt := range b.def.Prompts {
		numbers = max(numbers, b.number(prompt)+1)
	}
	for _, cell := range e.cells {
		at := add(cell.CellCounts)
		if !e.includes(measure{}, b.def.Prompts[cell.prompt].Branded) {
			continue
		}
		if c.cells[cell.target] == nil {
			c.cells[cell.target] = make([]int32, numbers)
		}
		c.cells[cell.target][b.number(cell.prompt)] = at
	}
	for i, at := range e.cut.sweeps {
		c.sweeps[b.sweep(at).ID] = i
		for _, p := range e.sweeps[i] {
			for j := range p.alike {
				at := add(&p.alike[j].Counts)
				if j == 0 {
					c.groups[[2]int{i, p.target}] = at
				}
			}
		}
	}
	return c
}

// Panel returns the brands of the cut, as indexes of Definition.Brands.
func (c *SourceCut) Panel() []int { return c.view.e.cut.panel }

// Len returns the length of the counts of a source.
func (c *SourceCut) Len() int { return len(c.index) + 1 }

// Places returns where the answers of a target in a sweep are counted, by the number of their
// prompt. It returns nil if the cut does not contain them.
func (c *SourceCut) Places(sweep, target string) []Place {
	b := c.view.b
	i, known := c.sweeps[sweep]
	index, err := b.target(target)
	cells := c.cells[index]
	if !known || err != nil || cells == nil {
		return nil
	}
	places := make([]Place, len(cells))
	for _, p := range c.view.e.sweeps[i] {
		if p.target != index {
			continue
		}
		p.picked.All(func(cell int) {
			if number := b.number(int(p.picked.Prompt[cell])); cells[number] != 0 {
				places[number] = Place{cells[number], c.groups[[2]int{i, index}] + p.picked.GroupOf(cell)}
			}
		})
	}
	return places
}

// Row returns the row of a source. counts has its citations by position: each citation counts
// at the Cell and at the Group of its place.
func (c *SourceCut) Row(counts []int32) Row {
	return c.view.row(shareOf(func(cell *CellCounts) int { return int(counts[c.index[cell]]) }), 0)
}
