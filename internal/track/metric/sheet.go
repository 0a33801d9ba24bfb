package metric

import (
	"cmp"
	"errors"
	"slices"
	"sync"
)

// Sheet is what is kept of the answers of a target in a sweep: two things that follow from
// its tallies, and give every number without them.
type Sheet struct {
	// Groups give the sweep means. They depend on the weights of prompts, and on which of
	// them are branded.
	Groups []Group
	// Cells are the tallies, packed by [PackCells]. They may be left out where those of
	// several sweeps together are given by [Dataset.AddSpan].
	Cells string
}

// Group adds up the cells of a sheet that count alike: their prompts weigh the same, and
// as many of their answers are eligible. Its sums are whole numbers, so that a mean that is
// computed from groups has the same digits whoever made them and when.
type Group struct {
	Branded bool
	Weight  float64 // of each prompt
	Cells   int
	Tally   CellCounts // of all of them together
}

// alike is what the cells of a group share.
type alike struct {
	branded            bool
	weight             float64
	eligible, attached int
}

// NumberedCounts is that of the prompt that has a number.
type NumberedCounts struct {
	Prompt int
	*CellCounts
}

// sheet is a Sheet in a dataset. Tallies are by prompt, nil where they are packed.
type sheet struct {
	tallies []*CellCounts
	packed  string
	kept    bool // groups were kept, and are not made

	once   sync.Once
	groups []Group
}

// ErrCells is returned by a dataset that was not given the cells that a query needs.
var ErrCells = errors.New("the tallies of single prompts and sweeps are needed for that")

// cells are the tallies by prompt.
func (s *sheet) cells(b *Dataset) ([]*CellCounts, error) {
	switch {
	case s.tallies != nil:
		return s.tallies, nil
	case s.packed == "":
		return nil, ErrCells
	}
	return b.unpack(s.packed)
}

// unpack reads packed cells into the places of their prompts.
func (b *Dataset) unpack(packed string) ([]*CellCounts, error) {
	m := b.merger(len(b.def.Prompts))
	return m.tallies, m.addPacked(b, packed, allColumns)
}

// grouped are the groups of all cells.
func (s *sheet) grouped(b *Dataset) []Group {
	s.once.Do(func() {
		if !s.kept {
			s.groups = b.fold(s.tallies, b.members(len(s.tallies), nil, nil, nil))
		}
	})
	return s.groups
}

// fold adds up the cells of some prompts that count alike, in an order that follows from them.
func (b *Dataset) fold(tallies []*CellCounts, prompts []int) []Group {
	if len(prompts) == 1 { // as where rows are by prompt
		t, p := tallies[prompts[0]], &b.def.Prompts[prompts[0]]
		if t == nil || t.Eligible == 0 {
			return nil
		}
		return []Group{{Branded: p.Branded, Weight: p.Weight, Cells: 1, Tally: *t}}
	}
	var groups []Group
	var keys []alike
	places := map[alike]int{}
	for _, prompt := range prompts {
		t := tallies[prompt]
		if t == nil || t.Eligible == 0 {
			continue
		}
		p := &b.def.Prompts[prompt]
		key := alike{p.Branded, p.Weight, t.Eligible, t.Attached}
		at, known := places[key]
		if !known {
			at = len(groups)
			places[key] = at
			keys = append(keys, key)
			groups = append(groups, Group{Branded: key.branded, Weight: key.weight, Tally: *NewCellCounts(len(b.def.Brands))})
		}
		groups[at].Cells++
		groups[at].Tally.Merge(t)
	}
	slices.SortFunc(keys, func(x, y alike) int {
		if x.branded != y.branded {
			return map[bool]int{false: -1, true: 1}[x.branded]
		}
		return cmp.Or(cmp.Compare(x.weight, y.weight), cmp.Compare(x.eligible, y.eligible), cmp.Compare(x.attached, y.attached))
	})
	sorted := make([]Group, len(groups))
	for i, key := range keys {
		sorted[i] = groups[places[key]]
	}
	return sorted
}

// span are cells that were added up over several sweeps.
type span struct {
	places []int // of its sweeps
	packed map[int]string
}

// NumberPrompts says by which number kept sheets know each prompt.
func (b *Dataset) NumberPrompts(numbers []int) {
	b.numbers = make(map[int]int, len(numbers))
	for prompt, number := range numbers {
		b.numbers[number] = prompt
	}
}

// AddCounts adds those of a target in a sweep, by prompt; nil where there is none. The
// dataset has them from then on.
func (b *Dataset) AddCounts(sweep, target string, tallies []*CellCounts) error {
	index, err := b.target(target)
	if err != nil {
		return err
	}
	at, ok := b.order[sweep]
	if !ok {
		return nil
	}
	for prompt := range tallies {
		if !b.asked(at, prompt) {
			tallies[prompt] = nil
		}
	}
	b.sheets[at][index] = &sheet{tallies: tallies}
	return nil
}

// AddSheet adds what was kept of a target in a sweep, all of it.
func (b *Dataset) AddSheet(sweep, target string, kept Sheet) error {
	index, err := b.target(target)
	if err != nil {
		return err
	}
	if at, ok := b.order[sweep]; ok {
		b.sheets[at][index] = &sheet{packed: kept.Cells, groups: kept.Groups, kept: true}
	}
	return nil
}

// AddSpan adds the packed cells of several sweeps together, by target: where a cut has all
// of these sweeps their own cells are not needed.
func (b *Dataset) AddSpan(sweeps []string, cells map[string]string) error {
	s := span{packed: map[int]string{}}
	for _, id := range sweeps {
		at, known := b.order[id]
		if !known {
			return errors.New("a span has a sweep that is not closed")
		}
		s.places = append(s.places, at)
	}
	for key, packed := range cells {
		target, err := b.target(key)
		if err != nil {
			return err
		}
		s.packed[target] = packed
	}
	b.spans = append(b.spans, s)
	return nil
}

// Unpack reads the packed cells once, rather than for every query: where there are few.
func (b *Dataset) Unpack() (err error) {
	for _, row := range b.sheets {
		for _, s := range row {
			if s == nil || s.packed == "" {
				continue
			}
			if s.tallies, err = b.unpack(s.packed); err != nil {
				return err
			}
			s.packed = ""
		}
	}
	return nil
}

// Sheet is what is to be kept of a target in a sweep, false where nothing was answered.
func (b *Dataset) Sheet(sweep, target string) (kept Sheet, ok bool) {
	index, err := b.target(target)
	at, known := b.order[sweep]
	if err != nil || !known || b.sheets[at][index] == nil {
		return kept, false
	}
	numbers := make([]int, len(b.def.Prompts))
	for number, prompt := range b.numbers {
		numbers[prompt] = number
	}
	s := b.sheets[at][index]
	var cells []NumberedCounts
	for prompt, t := range s.tallies {
		if t != nil && t.Eligible > 0 {
			cells = append(cells, NumberedCounts{numbers[prompt], t})
		}
	}
	return Sheet{Groups: s.grouped(b), Cells: PackCells(cells)}, len(cells) > 0
}

// Fold makes the groups of packed cells, after weights have changed.
func (b *Dataset) Fold(packed string) ([]Group, error) {
	tallies, err := b.unpack(packed)
	if err != nil {
		return nil, err
	}
	return b.fold(tallies, b.members(len(tallies), nil, nil, nil)), nil
}
