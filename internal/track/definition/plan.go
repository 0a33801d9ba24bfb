package definition

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
)

// Cell is one task of a sweep: one sample of a prompt on a target.
type Cell struct {
	Prompt, Target, Sample int     // ids of the prompt and the target; samples start at 1
	at                     float64 // position in the sweep's window, from 0 to 1
	PromptIndex            int     // index in the definition
	TargetIndex            int
}

// Plan has the tasks of every sweep of a tracker's version, in the order of submission. It
// depends only on the definition, so every node computes the same plan.
type Plan struct {
	Definition *Definition
	Cells      []Cell
	Providers  []provider.Provider // by target; nil if the provider is no longer available
}

// VersionKey identifies a version of a definition.
type VersionKey struct {
	Tracker string
	Version int
}

// maxPlans limits the cache: a plan of 20,000 cells takes about a megabyte.
const maxPlans = 32

// Plan returns the plan of a tracker's version.
func (s *Reader) Plan(ctx context.Context, t *tracking.Tracker, version int) (*Plan, error) {
	key := VersionKey{t.ID, version}
	s.mu.Lock()
	known := s.plans[key]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	text, err := s.Store.TrackerVersion(ctx, t.Organization, t.ID, version)
	if err != nil {
		return nil, err
	}
	d, err := s.revive(t.Name, text)
	if err != nil {
		return nil, err
	}
	prompts, targets, err := s.parts(ctx, t)
	if err != nil {
		return nil, err
	}
	p := newPlan(d, idsOf(prompts, promptKey), idsOf(targets, targetKey))
	for _, target := range d.Targets {
		asked, err := s.Catalogue.Provider(target.Provider)
		if err != nil {
			asked = nil
		}
		p.Providers = append(p.Providers, asked)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.plans) >= maxPlans {
		for other := range s.plans { // evict any other plan
			delete(s.plans, other)
			break
		}
	}
	s.plans[key] = p
	return p, nil
}

// newPlan orders the cells by a hash, which is the same on every node. The order spreads each
// prompt and each target over the whole window.
func newPlan(d *Definition, promptID func(earshot.TrackedPrompt) int, targetID func(earshot.Target) int) *Plan {
	p := &Plan{Definition: d, Cells: make([]Cell, 0, len(d.Prompts)*len(d.Targets)*d.Samples)}
	for i, prompt := range d.Prompts {
		for j, target := range d.Targets {
			for sample := 1; sample <= d.Samples; sample++ {
				c := Cell{Prompt: promptID(prompt), Target: targetID(target), Sample: sample, PromptIndex: i, TargetIndex: j}
				hash := fnv.New64a()
				_, _ = fmt.Fprintf(hash, "%d/%d/%d", c.Prompt, c.Target, c.Sample) // never fails
				c.at = float64(Mix(hash.Sum64())>>11) / (1 << 53)
				p.Cells = append(p.Cells, c)
			}
		}
	}
	slices.SortFunc(p.Cells, func(a, b Cell) int { return cmp.Compare(a.at, b.at) })
	return p
}

// Mix mixes the bits of a hash, so that similar inputs give different results (the finalizer
// of MurmurHash3).
func Mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// spreadOver is the part of the window in which cells are submitted. The rest is time for
// the last tasks to end.
const spreadOver = 0.75

// Due returns how many of the plan's cells are due in a sweep that runs from start to end.
// All are due if end is not after start.
func (p *Plan) Due(start, end, now time.Time) int {
	if !end.After(start) {
		return len(p.Cells)
	}
	passed := float64(now.Sub(start)) / (float64(end.Sub(start)) * spreadOver)
	n, _ := slices.BinarySearchFunc(p.Cells, passed, func(c Cell, at float64) int {
		if c.at <= at {
			return -1
		}
		return 1
	})
	return n
}

// AskedAt returns the time at which a cell is due in a sweep that runs from start to end.
func (c Cell) AskedAt(start, end time.Time) time.Time {
	return start.Add(time.Duration(c.at * spreadOver * float64(end.Sub(start))))
}

// Payload returns the request of a cell.
func (p *Plan) Payload(c Cell) ([]byte, error) {
	asked := p.Providers[c.TargetIndex]
	if asked == nil {
		return []byte("{}"), nil // the task will fail with a clear error
	}
	return payloadOf(asked.Definition(), p.Definition.Prompts[c.PromptIndex], p.Definition.Targets[c.TargetIndex], p.Definition.Fallback)
}
