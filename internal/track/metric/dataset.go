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

// Dataset contains the counts of a definition: a sheet for each sweep and target with
// answers. After it is filled it is safe for concurrent use.
//
// Methods take a closed sweep as its position (at) in the order of slots.
type Dataset struct {
	def     Definition
	sweeps  []int             // indices of the closed sweeps, in the order of their slots
	order   map[string]int    // positions of the closed sweeps in that order, by id
	slots   map[string]string // of all sweeps, by id
	sheets  [][]*sheet        // by position of the sweep and index of the target
	sources Sources           // the source counts that Add fills in

	numberOf []int              // numbers of prompts by index; nil: the index
	sets     map[string][]int32 // indexes of prompts by their set in the stored form
	classes  []int32            // by prompt: which have the same weight and branding; nil: all
	plans    []plan             // by position of the sweep
	targets  map[string]int
	seen     map[answerKey]string // ids of the answers that were added

	vias       map[int]vias // by target; only of answers that Add counts
	breaksOnce sync.Once
	allBreaks  []Break
}

// plan contains what a sweep asked. Without a list of prompts or targets it asked all.
type plan struct {
	samples int
	prompts []bool
	targets map[int]bool
	lacks   []bool // brands that its rules did not know; nil: none
}

// answerKey identifies an answer.
type answerKey struct {
	sweep, prompt, target, sample int
}

// NewDataset returns an empty dataset. The error names an invalid field of the definition.
func NewDataset(def Definition) (*Dataset, error) {
	if err := def.check(); err != nil {
		return nil, err
	}
	b := &Dataset{def: def, order: map[string]int{}, slots: map[string]string{}, seen: map[answerKey]string{}, targets: map[string]int{}, sources: AllSources, vias: map[int]vias{}, sets: map[string][]int32{}}
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
	b.readPlans()
	b.classify()
	b.sheets = newSheets(def, b.sweeps)
	return b, nil
}

// newSheets returns no sheet for each closed sweep and target.
func newSheets(def Definition, sweeps []int) [][]*sheet {
	sheets := make([][]*sheet, len(sweeps))
	for at := range sheets {
		sheets[at] = make([]*sheet, len(def.Targets))
	}
	return sheets
}

// CountSources selects the source counts that Add fills in. The default is AllSources.
// Without any, counting takes half the time, but there is no stability of domains and no
// citationShare by source.
func (b *Dataset) CountSources(kinds Sources) { b.sources = kinds }

// readPlans sets the plans of the closed sweeps.
func (b *Dataset) readPlans() {
	b.plans = make([]plan, len(b.sweeps))
	for at := range b.plans {
		s, p := b.sweep(at), &b.plans[at]
		p.samples = cmp.Or(s.Samples, b.def.Samples)
		if s.Targets != nil {
			p.targets = map[int]bool{}
			for _, key := range s.Targets {
				if target, known := b.targets[key]; known {
					p.targets[target] = true
				}
			}
		}
		for i, brand := range b.def.Brands {
			if s.Brands != nil && !slices.Contains(s.Brands, brand.Name) {
				if p.lacks == nil {
					p.lacks = make([]bool, len(b.def.Brands))
				}
				p.lacks[i] = true
			}
		}
		if s.Prompts == nil {
			continue
		}
		p.prompts = make([]bool, len(b.def.Prompts))
		for _, prompt := range s.Prompts {
			p.prompts[prompt] = true
		}
	}
}

// classify sets the classes of prompts, in the order of their branding and weight.
func (b *Dataset) classify() {
	less := func(x, y Prompt) int {
		if x.Branded != y.Branded {
			return map[bool]int{false: -1, true: 1}[x.Branded]
		}
		return cmp.Compare(x.Weight, y.Weight)
	}
	sorted := slices.CompactFunc(slices.SortedFunc(slices.Values(b.def.Prompts), less), func(x, y Prompt) bool { return less(x, y) == 0 })
	if len(sorted) < 2 {
		return
	}
	b.classes = make([]int32, len(b.def.Prompts))
	for i, p := range b.def.Prompts {
		class, _ := slices.BinarySearchFunc(sorted, p, less)
		b.classes[i] = int32(class)
	}
}

// Read returns a dataset of a definition and its answers, one JSON object per line. It
// ignores unknown fields, because files may contain more than metrics need.
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

// Add counts an answer. It ignores answers of sweeps that are not closed, and answers to
// prompts that their sweep did not ask. It returns an error if the definition lacks the
// prompt, target or sweep, or if the same sample was added before.
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
	key := answerKey{at, a.Prompt, target, a.Sample}
	if other, taken := b.seen[key]; taken {
		return fmt.Errorf("answer %q: has the sweep, prompt, target and sample of answer %q", a.ID, other)
	}
	b.seen[key] = a.ID
	if !a.Outcome.eligible() {
		return nil
	}
	b.count(at, target, a)
	if a.Via != "" {
		b.addVia(at, target, a)
		b.breaksOnce = sync.Once{} // finds the breaks again
	}
	return nil
}

// count adds an eligible answer to its cell.
func (b *Dataset) count(at, target int, a Observation) {
	s := b.sheets[at][target]
	if s == nil {
		s = &sheet{counted: make([]*CellCounts, len(b.def.Prompts))}
		b.sheets[at][target] = s
	}
	s.once = sync.Once{} // makes the columns again
	if s.counted[a.Prompt] == nil {
		s.counted[a.Prompt] = NewCellCounts(len(b.def.Brands))
		s.counted[a.Prompt].sources = b.sources
	}
	s.counted[a.Prompt].Add(b.def.Brands, a)
}

func (b *Dataset) target(key string) (int, error) {
	i, known := b.targets[key]
	if !known {
		return 0, fmt.Errorf("target: there is no target %q", key)
	}
	return i, nil
}

// sweep returns the closed sweep at a position.
func (b *Dataset) sweep(at int) AskedSweep { return b.def.Sweeps[b.sweeps[at]] }

// lacks reports whether the rules of a sweep did not know a brand that a measure counts.
func (b *Dataset) lacks(m measure, at, brand int, panel []int) bool {
	lacks := b.plans[at].lacks
	return lacks != nil && (m.brand && lacks[brand] || m.panel && slices.ContainsFunc(panel, func(i int) bool { return lacks[i] }))
}

// knowing returns a cut without the sweeps whose rules did not know some of the brands.
func (b *Dataset) knowing(c cut, brands []int) cut {
	c.sweeps = slices.DeleteFunc(slices.Clone(c.sweeps), func(at int) bool {
		lacks := b.plans[at].lacks
		return lacks != nil && slices.ContainsFunc(brands, func(brand int) bool { return lacks[brand] })
	})
	return c
}

// asked reports whether a sweep asked a prompt. The range of a prompt may begin or end with
// a sweep that is not closed, so asked compares slots.
func (b *Dataset) asked(at, prompt int) bool {
	if prompts := b.plans[at].prompts; prompts != nil {
		return prompts[prompt]
	}
	slot, p := b.sweep(at).Slot, b.def.Prompts[prompt]
	return (p.From == "" || slot >= b.slots[p.From]) && (p.To == "" || slot <= b.slots[p.To])
}
