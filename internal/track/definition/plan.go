package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
)

// Cell is one task of a sweep: a question on a target, asked once.
type Cell struct {
	Prompt, Target, Sample int     // numbers of the parts; samples count from 1
	at                     float64 // where in the window it comes, from 0 to 1
	PromptIndex            int     // in the definition
	TargetIndex            int
}

// Plan is what a version of a tracker asks in every sweep, in the order of submission.
// It follows from the definition alone, so that every node has the same.
type Plan struct {
	Definition *Definition
	Cells      []Cell
	Providers  []provider.Provider // of the targets; nil for one that is no longer served
}

// VersionKey identifies a version of a definition.
type VersionKey struct {
	Tracker string
	Version int
}

// plans keeps the last plans in memory.
type plans struct {
	mu   sync.Mutex
	kept map[VersionKey]*Plan
}

// maxPlans bounds the memory of plans: one of 20,000 cells takes about a megabyte.
const maxPlans = 32

// Plan makes the plan of a sweep.
func (s *Reader) Plan(ctx context.Context, t *tracking.Tracker, version int) (*Plan, error) {
	key := VersionKey{t.ID, version}
	if p := s.plans.find(key); p != nil {
		return p, nil
	}
	text, err := s.Store.TrackerVersion(ctx, t.Organization, t.ID, version)
	if err != nil {
		return nil, err
	}
	d, err := s.revive(t.Name, text)
	if err != nil {
		return nil, err
	}
	prompts, err := s.Store.TrackerPrompts(ctx, t)
	if err != nil {
		return nil, err
	}
	targets, err := s.Store.TrackerTargets(ctx, t)
	if err != nil {
		return nil, err
	}
	p := newPlan(d, numbersOf(prompts, promptKey), numbersOf(targets, targetKey))
	for _, target := range d.Targets {
		asked, err := s.Catalogue.Provider(target.Provider)
		if err != nil {
			asked = nil
		}
		p.Providers = append(p.Providers, asked)
	}
	s.plans.keep(key, p)
	return p, nil
}

func (k *plans) find(key VersionKey) *Plan {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[key]
}

// keep adds a plan, in the place of any other where there are many.
func (k *plans) keep(key VersionKey, p *Plan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) >= maxPlans {
		for other := range k.kept {
			delete(k.kept, other)
			break
		}
	}
	k.kept[key] = p
}

// newPlan puts the cells in an order that spreads each question and each target over the
// whole window: by a hash, which is the same on every node.
func newPlan(d *Definition, promptNumber func(earshot.TrackedPrompt) int, targetNumber func(earshot.Target) int) *Plan {
	p := &Plan{Definition: d, Cells: make([]Cell, 0, len(d.Prompts)*len(d.Targets)*d.Samples)}
	for i, prompt := range d.Prompts {
		for j, target := range d.Targets {
			for sample := 1; sample <= d.Samples; sample++ {
				c := Cell{Prompt: promptNumber(prompt), Target: targetNumber(target), Sample: sample, PromptIndex: i, TargetIndex: j}
				hash := fnv.New64a()
				_, _ = fmt.Fprintf(hash, "%d/%d/%d", c.Prompt, c.Target, c.Sample) // a hash takes all
				c.at = float64(Mix(hash.Sum64())>>11) / (1 << 53)
				p.Cells = append(p.Cells, c)
			}
		}
	}
	slices.SortFunc(p.Cells, func(a, b Cell) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		default:
			return 0
		}
	})
	return p
}

// Mix spreads the bits of a hash whose inputs differ by little.
func Mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// spreadOver is the part of a window over which cells are spread. The rest is for the
// last of them to end.
const spreadOver = 0.75

// Due is how many of the plan's cells are due at a moment of a sweep that runs from start
// to end.
func (p *Plan) Due(start, end, now time.Time) int {
	if start.Equal(end) || !end.After(start) {
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

// AskedAt is when a cell is asked in a sweep that runs from start to end.
func (c Cell) AskedAt(start, end time.Time) time.Time {
	return start.Add(time.Duration(c.at * spreadOver * float64(end.Sub(start))))
}

// Payload is the request of a cell.
func (p *Plan) Payload(c Cell) ([]byte, error) {
	asked := p.Providers[c.TargetIndex]
	if asked == nil {
		return json.Marshal(map[string]string{}) // the task will fail and say so
	}
	return payloadOf(asked.Definition(), p.Definition.Prompts[c.PromptIndex], p.Definition.Targets[c.TargetIndex])
}
