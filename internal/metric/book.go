package metric

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Book holds the tallies of a definition: one for each cell and sweep that has answers.
type Book struct {
	def    Definition
	sweeps []int             // indices of the closed sweeps, in the order of their slots
	order  map[string]int    // where a closed sweep stands in that order
	slots  map[string]string // of all sweeps
	// tallies by place in that order, prompt and target
	tallies [][][]*Tally
	// noSources leaves out what citations are counted by, which most numbers do not need.
	noSources bool
	plans     []plan // what sweeps asked, by place in that order
	targets   map[string]int
	seen      map[place]string // which answer is where
}

// plan is what a sweep asked, where it tells; nil is all.
type plan struct {
	samples          int
	prompts, targets map[int]bool
}

// place is what no two answers share.
type place struct {
	sweep, prompt, target, sample int
}

// NewBook is an empty book. It returns an error that names the field of a definition
// that makes no sense.
func NewBook(def Definition) (*Book, error) {
	if err := def.check(); err != nil {
		return nil, err
	}
	b := &Book{def: def, order: map[string]int{}, slots: map[string]string{}, seen: map[place]string{}, targets: map[string]int{}}
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
	b.tallies = make([][][]*Tally, len(b.sweeps))
	for at := range b.tallies {
		b.tallies[at] = make([][]*Tally, len(def.Prompts))
		for p := range b.tallies[at] {
			b.tallies[at][p] = make([]*Tally, len(def.Targets))
		}
	}
	return b, nil
}

// OmitSources has answers counted without their domains, URLs and types of sources, which
// takes half of the time. There is no stability of domains then, and no citationShare of
// no brand.
func (b *Book) OmitSources() { b.noSources = true }

// plan notes what the closed sweeps asked.
func (b *Book) plan() {
	b.plans = make([]plan, len(b.sweeps))
	for at := range b.plans {
		s, p := b.sweep(at), &b.plans[at]
		if p.samples = s.Samples; p.samples == 0 {
			p.samples = b.def.Samples
		}
		if s.Prompts != nil {
			p.prompts = map[int]bool{}
			for _, prompt := range s.Prompts {
				p.prompts[prompt] = true
			}
		}
		if s.Targets != nil {
			p.targets = map[int]bool{}
			for _, key := range s.Targets {
				if target, known := b.targets[key]; known {
					p.targets[target] = true
				}
			}
		}
	}
}

// planned is how many answers of a cell a sweep asked for. One that came all the same
// was.
func (b *Book) planned(at, prompt, target int) int {
	n := 0
	if p := b.plans[at]; b.asked(at, prompt) && (p.targets == nil || p.targets[target]) {
		n = p.samples
	}
	if t := b.tallies[at][prompt][target]; t != nil {
		n = max(n, t.Eligible)
	}
	return n
}

// Read fills a book from a definition and its answers, one JSON object a line. What it
// does not know in either is passed over: files carry more than metrics look at.
func Read(definition, answers io.Reader) (*Book, error) {
	def := Definition{Samples: 1}
	if err := json.NewDecoder(definition).Decode(&def); err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	b, err := NewBook(def)
	if err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	lines := json.NewDecoder(bufio.NewReader(answers))
	for n := 1; ; n++ {
		var a Answer
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
func (b *Book) Add(a Answer) error {
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

// AddTally adds a tally that was kept, of a cell in a sweep.
func (b *Book) AddTally(sweep string, prompt int, target string, t *Tally) error {
	if prompt < 0 || prompt >= len(b.def.Prompts) {
		return fmt.Errorf("tally: there is no prompt %d", prompt)
	}
	index, err := b.target(target)
	if err != nil {
		return fmt.Errorf("tally: %w", err)
	}
	if len(t.Brands) != len(b.def.Brands) {
		return fmt.Errorf("tally: has %d brands, the definition has %d", len(t.Brands), len(b.def.Brands))
	}
	if at, ok := b.order[sweep]; ok && b.asked(at, prompt) {
		b.tally(at, prompt, index).Merge(t)
	}
	return nil
}

// Tally is what is known of a cell in a sweep, or nil.
func (b *Book) Tally(sweep string, prompt int, target string) *Tally {
	index, err := b.target(target)
	at, ok := b.order[sweep]
	if err != nil || !ok || prompt < 0 || prompt >= len(b.def.Prompts) {
		return nil
	}
	return b.tallies[at][prompt][index]
}

func (b *Book) tally(at, prompt, target int) *Tally {
	slot := &b.tallies[at][prompt][target]
	if *slot == nil {
		*slot = NewTally(len(b.def.Brands))
		(*slot).noSources = b.noSources
	}
	return *slot
}

func (b *Book) target(key string) (int, error) {
	i, known := b.targets[key]
	if !known {
		return 0, fmt.Errorf("target: there is no target %q", key)
	}
	return i, nil
}

// sweep is the sweep at that place in the order of slots.
func (b *Book) sweep(at int) Sweep { return b.def.Sweeps[b.sweeps[at]] }

// asked reports whether a prompt was active in a sweep. The range of a prompt may begin
// or end with a sweep that is not closed, so slots decide.
func (b *Book) asked(at, prompt int) bool {
	if prompts := b.plans[at].prompts; prompts != nil {
		return prompts[prompt]
	}
	slot, p := b.sweep(at).Slot, b.def.Prompts[prompt]
	return (p.From == "" || slot >= b.slots[p.From]) && (p.To == "" || slot <= b.slots[p.To])
}
