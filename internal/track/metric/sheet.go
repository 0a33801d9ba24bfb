package metric

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"earshot/internal/track/tally"
)

// Sheet contains the counts of one target in one sweep. Its cells may be unknown if
// [Dataset.AddSpan] adds the merged cells of several sweeps.
type Sheet = tally.Sheet[CellCounts]

// Group is the sum of similar cells of a sheet.
type Group = tally.Group[CellCounts]

// groupKey contains the properties that all cells of a group share.
type groupKey struct {
	branded            bool
	weight             float64
	eligible, attached int32
	reported           [len(fieldSets)]int32
}

// sheetGroups are the groups of a sheet.
type sheetGroups struct {
	target int
	groups []Group
	// coarse are the groups without regard to reported fields. The metrics m1 add these up, as
	// they did before fields were counted: other groups would change their last digits.
	coarse []Group
}

// coarsen merges the neighbouring groups that differ only in the fields that their answers
// report.
func coarsen(groups []Group, brands int) []Group {
	differ := true
	for i := 1; i < len(groups); i++ {
		differ = differ && !sameButFields(&groups[i-1], &groups[i])
	}
	if differ {
		return groups
	}
	var merged []Group
	for i := range groups {
		if i == 0 || !sameButFields(&groups[i-1], &groups[i]) {
			g := groups[i]
			g.Cells, g.Counts = 0, *NewCellCounts(brands)
			merged = append(merged, g)
		}
		last := &merged[len(merged)-1]
		last.Cells += groups[i].Cells
		last.Counts.Merge(&groups[i].Counts)
	}
	return merged
}

// sameButFields reports whether two groups differ only in the fields that their answers report.
func sameButFields(a, b *Group) bool {
	perCell := func(n int32, g *Group) int { return int(n) / g.Cells }
	return a.Branded == b.Branded && a.Weight == b.Weight &&
		perCell(a.Counts.Eligible, a) == perCell(b.Counts.Eligible, b) && perCell(a.Counts.Attached, a) == perCell(b.Counts.Attached, b)
}

// sheet is a Sheet in a dataset.
type sheet struct {
	cells  []*CellCounts // by prompt; nil if only unread is known
	unread tally.Cells
	stored bool // groups were added, not computed

	once           sync.Once
	groups, coarse []Group
}

// ErrCells is returned if a query needs the counts of single cells, which the dataset does
// not have.
var ErrCells = errors.New("the tallies of single prompts and sweeps are needed for that")

// decoded returns the counts by prompt.
func (s *sheet) decoded(b *Dataset) ([]*CellCounts, error) {
	switch {
	case s.cells != nil:
		return s.cells, nil
	case !s.unread.IsKnown():
		return nil, ErrCells
	}
	return b.decode(s.unread)
}

// decode returns stored counts by prompt.
func (b *Dataset) decode(cells tally.Cells) ([]*CellCounts, error) {
	m := b.newMerger(len(b.def.Prompts))
	return m.cells, m.addStored(b, cells, allColumns)
}

// allGroups returns the groups of all cells. It computes them at most once.
func (s *sheet) allGroups(b *Dataset) sheetGroups {
	s.once.Do(func() {
		if !s.stored {
			s.groups = b.group(s.cells, indices(len(s.cells)))
		}
		s.coarse = coarsen(s.groups, len(b.def.Brands))
	})
	return sheetGroups{groups: s.groups, coarse: s.coarse}
}

// group adds up the cells of some prompts by groupKey. The order of the groups depends only
// on their keys.
func (b *Dataset) group(cells []*CellCounts, prompts []int) []Group {
	var keys []groupKey
	groups := map[groupKey]*Group{}
	for _, prompt := range prompts {
		c := cells[prompt]
		if c == nil || c.Eligible == 0 {
			continue
		}
		p := &b.def.Prompts[prompt]
		if len(prompts) == 1 { // a fast path for rows by prompt
			g := Group{Branded: p.Branded, Weight: p.Weight, Cells: 1, Counts: *c}
			g.Prompts.Add(b.number(prompt))
			return []Group{g}
		}
		key := groupKey{p.Branded, p.Weight, c.Eligible, c.Attached, c.Reported}
		g := groups[key]
		if g == nil {
			keys = append(keys, key)
			g = &Group{Branded: key.branded, Weight: key.weight, Counts: *NewCellCounts(len(b.def.Brands))}
			groups[key] = g
		}
		g.Cells++
		g.Counts.Merge(c)
		g.Prompts.Add(b.number(prompt))
	}
	slices.SortFunc(keys, func(x, y groupKey) int {
		if x.branded != y.branded {
			return map[bool]int{false: -1, true: 1}[x.branded]
		}
		return cmp.Or(cmp.Compare(x.weight, y.weight), cmp.Compare(x.eligible, y.eligible), cmp.Compare(x.attached, y.attached),
			slices.Compare(x.reported[:], y.reported[:]))
	})
	sorted := make([]Group, len(keys))
	for i, key := range keys {
		sorted[i] = *groups[key]
	}
	return sorted
}

// span contains the merged cells of several sweeps.
type span struct {
	sweeps []int // positions in the order of slots
	cells  map[int]tally.Cells
}

// NumberPrompts sets the number that identifies each prompt in stored sheets. The default is
// its index.
func (b *Dataset) NumberPrompts(numbers []int) {
	b.numberOf = numbers
	b.numbers = make(map[int]int, len(numbers))
	for prompt, number := range numbers {
		b.numbers[number] = prompt
	}
}

// number returns the number of a prompt.
func (b *Dataset) number(prompt int) int {
	if b.numberOf == nil {
		return prompt
	}
	return b.numberOf[prompt]
}

// AddCounts adds the counts of a target in a sweep, by prompt. The dataset keeps the slice.
func (b *Dataset) AddCounts(sweep, target string, cells []*CellCounts) error {
	return b.addSheet(sweep, target, &sheet{cells: cells})
}

// AddSheet adds the stored counts of a target in a sweep.
func (b *Dataset) AddSheet(sweep, target string, s Sheet) error {
	return b.addSheet(sweep, target, &sheet{unread: s.Cells, groups: s.Groups, stored: true})
}

func (b *Dataset) addSheet(sweep, target string, s *sheet) error {
	index, err := b.target(target)
	if err != nil {
		return err
	}
	at, closed := b.order[sweep]
	if !closed {
		return nil
	}
	for prompt := range s.cells {
		if !b.asked(at, prompt) {
			s.cells[prompt] = nil
		}
	}
	b.sheets[at][index] = s
	return nil
}

// AddSpan adds the merged cells of several sweeps by target. A cut that contains all of
// these sweeps does not need the cells of each sweep.
func (b *Dataset) AddSpan(sweeps []string, cells map[string]tally.Cells) error {
	s := span{cells: map[int]tally.Cells{}}
	for _, id := range sweeps {
		at, known := b.order[id]
		if !known {
			return errors.New("a span has a sweep that is not closed")
		}
		s.sweeps = append(s.sweeps, at)
	}
	for key, ofTarget := range cells {
		target, err := b.target(key)
		if err != nil {
			return err
		}
		s.cells[target] = ofTarget
	}
	b.spans = append(b.spans, s)
	return nil
}

// Decode decodes all cells once instead of once per query. Use it for small datasets.
func (b *Dataset) Decode() (err error) {
	for _, sheets := range b.sheets {
		for _, s := range sheets {
			if s == nil || !s.unread.IsKnown() {
				continue
			}
			if s.cells, err = b.decode(s.unread); err != nil {
				return err
			}
			s.unread = tally.Cells{}
		}
	}
	return nil
}

// Sheet returns the sheet of a target in a sweep, to be stored. It returns false if the
// target has no eligible answers in that sweep.
func (b *Dataset) Sheet(sweep, target string) (Sheet, bool) {
	index, err := b.target(target)
	at, known := b.order[sweep]
	if err != nil || !known || b.sheets[at][index] == nil {
		return Sheet{}, false
	}
	s := b.sheets[at][index]
	cells := map[int]*CellCounts{}
	for number, prompt := range b.numbers {
		if prompt < len(s.cells) && s.cells[prompt] != nil && s.cells[prompt].Eligible > 0 {
			cells[number] = s.cells[prompt]
		}
	}
	return Sheet{Groups: s.allGroups(b).groups, Cells: Tallies.NewCells(cells, len(b.def.Brands))}, len(cells) > 0
}

// Regroup returns the groups of cells by the current weights of prompts.
func (b *Dataset) Regroup(stored tally.Cells) ([]Group, error) {
	cells, err := b.decode(stored)
	if err != nil {
		return nil, err
	}
	return b.group(cells, indices(len(cells))), nil
}
