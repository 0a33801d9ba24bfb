package metric

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Dataset holds what is known of a definition: a sheet for each sweep and target that has
// answers. Once it is filled it does not change, and is safe for concurrent use.
type Dataset struct {
	def    Definition
	sweeps []int             // indices of the closed sweeps, in the order of their slots
	order  map[string]int    // where a closed sweep stands in that order
	slots  map[string]string // of all sweeps
	sheets [][]*sheet        // by place in that order, and target
	spans  []span
	// numbers are where a prompt stands that kept sheets know by a number
	numbers map[int]int
	sources Sources // what answers are counted by
	plans   []plan  // what sweeps asked, by place in that order
	targets map[string]int
	seen    map[place]string // which answer is where
}

// plan is what a sweep asked, where it tells; nil is all.
type plan struct {
	samples int
	prompts []bool
	same    int // the same number has those that asked the same prompts
	targets map[int]bool
}

// place is what no two answers share.
type place struct {
	sweep, prompt, target, sample int
}

// NewDataset is an empty dataset. It returns an error that names the field of a definition
// that makes no sense.
func NewDataset(def Definition) (*Dataset, error) {
	if err := def.check(); err != nil {
		return nil, err
	}
	b := &Dataset{def: def, order: map[string]int{}, slots: map[string]string{}, seen: map[place]string{}, targets: map[string]int{}, sources: AllSources}
	for i, target := range def.Targets {
		b.targets[target.Key] = i
	}
	for i, s := range def.Sweeps {
		b.slots[s.ID] = s.Slot
		if s.State == "" || s.State == closed {
			b.sweeps = append(b.sweeps, i)
		}
	}
	slices.SortStableFunc(b.sweeps, func(i, j int) int {
		return cmp.Compare(def.Sweeps[i].Slot, def.Sweeps[j].Slot)
	})
	for at, i := range b.sweeps {
		b.order[def.Sweeps[i].ID] = at
	}
	b.plan()
	b.sheets = make([][]*sheet, len(b.sweeps))
	for at := range b.sheets {
		b.sheets[at] = make([]*sheet, len(def.Targets))
	}
	return b, nil
}

// CountSources has answers counted by some kinds of sources, rather than by all: without
// any it takes half of the time. There is no stability of domains without these, and no
// citationShare of what is not counted.
func (b *Dataset) CountSources(kinds Sources) { b.sources = kinds }

// plan notes what the closed sweeps asked.
func (b *Dataset) plan() {
	b.plans = make([]plan, len(b.sweeps))
	for at := range b.plans {
		s, p := b.sweep(at), &b.plans[at]
		if p.samples = s.Samples; p.samples == 0 {
			p.samples = b.def.Samples
		}
		if s.Targets != nil {
			p.targets = map[int]bool{}
			for _, key := range s.Targets {
				if target, known := b.targets[key]; known {
					p.targets[target] = true
				}
			}
		}
		if s.Prompts == nil {
			continue
		}
		if at > 0 && slices.Equal(s.Prompts, b.sweep(at-1).Prompts) {
			p.prompts, p.same = b.plans[at-1].prompts, b.plans[at-1].same
			continue
		}
		p.prompts, p.same = make([]bool, len(b.def.Prompts)), at
		for _, prompt := range s.Prompts {
			p.prompts[prompt] = true
		}
	}
}

// Read fills a dataset from a definition and its answers, one JSON object a line. What it
// does not know in either is passed over: files carry more than metrics look at.
func Read(definition, answers io.Reader) (*Dataset, error) {
	def := Definition{Samples: 1}
	if err := json.NewDecoder(definition).Decode(&def); err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	b, err := NewDataset(def)
	if err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	lines := json.NewDecoder(bufio.NewReader(answers))
	for n := 1; ; n++ {
		var a Observation
		if err := lines.Decode(&a); errors.Is(err, io.EOF) {
			return b, nil
		} else if err != nil {
			return nil, fmt.Errorf("answers: object %d: %w", n, err)
		}
		if err := b.Add(a); err != nil {
			return nil, fmt.Errorf("answers: object %d: %w", n, err)
		}
	}
}

// Add folds an answer in. Those of sweeps that are not closed, and of prompts in sweeps
// that did not ask them, count nowhere. It returns an error for one that the definition
// does not know and for one whose place is taken.
func (b *Dataset) Add(a Observation) error {
	if a.Prompt < 0 || a.Prompt >= len(b.def.Prompts) {
		return fmt.Errorf("answer %q: prompt: there is no prompt %d", a.ID, a.Prompt)
	}
	target, err := b.target(a.Target)
	if err != nil {
		return fmt.Errorf("answer %q: %w", a.ID, err)
	}
	if _, known := b.slots[a.Sweep]; !known {
		return fmt.Errorf("answer %q: sweep: there is no sweep %q", a.ID, a.Sweep)
	}
	at, ok := b.order[a.Sweep]
	samples := b.def.Samples
	if ok {
		samples = b.plans[at].samples
	}
	if a.Sample < 1 || a.Sample > samples {
		return fmt.Errorf("answer %q: sample: is %d, must be 1 to %d", a.ID, a.Sample, samples)
	}
	if !ok || !b.asked(at, a.Prompt) {
		return nil
	}
	where := place{at, a.Prompt, target, a.Sample}
	if other, taken := b.seen[where]; taken {
		return fmt.Errorf("answer %q: has the sweep, prompt, target and sample of answer %q", a.ID, other)
	}
	b.seen[where] = a.ID
	if a.Outcome.eligible() {
		b.tally(at, a.Prompt, target).Add(b.def.Brands, a)
	}
	return nil
}

// tally is that of a cell in a sweep, to be changed.
func (b *Dataset) tally(at, prompt, target int) *CellCounts {
	s := b.sheets[at][target]
	if s == nil {
		s = &sheet{tallies: make([]*CellCounts, len(b.def.Prompts))}
		b.sheets[at][target] = s
	}
	s.once = sync.Once{}
	if s.tallies[prompt] == nil {
		s.tallies[prompt] = NewCellCounts(len(b.def.Brands))
		s.tallies[prompt].sources = b.sources
	}
	return s.tallies[prompt]
}

func (b *Dataset) target(key string) (int, error) {
	i, known := b.targets[key]
	if !known {
		return 0, fmt.Errorf("target: there is no target %q", key)
	}
	return i, nil
}

// sweep is the sweep at that place in the order of slots.
func (b *Dataset) sweep(at int) AskedSweep { return b.def.Sweeps[b.sweeps[at]] }

// asked reports whether a prompt was active in a sweep. The range of a prompt may begin
// or end with a sweep that is not closed, so slots decide.
func (b *Dataset) asked(at, prompt int) bool {
	if prompts := b.plans[at].prompts; prompts != nil {
		return prompts[prompt]
	}
	slot, p := b.sweep(at).Slot, b.def.Prompts[prompt]
	return (p.From == "" || slot >= b.slots[p.From]) && (p.To == "" || slot <= b.slots[p.To])
}
