package track

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/track/metric"
	"earshot/internal/track/schedule"
	"earshot/internal/track/stats"
)

// cell is one task of a sweep: a question on a target, asked once.
type cell struct {
	prompt, target, sample int     // numbers of the parts; samples count from 1
	at                     float64 // where in the window it comes, from 0 to 1
	promptIndex            int     // in the definition
	targetIndex            int
}

// plan is what a version of a tracker asks in every sweep, in the order of submission.
// It follows from the definition alone, so that every node has the same.
type plan struct {
	definition *definition
	cells      []cell
	providers  []provider.Provider // of the targets; nil for one that is no longer served
}

type planKey struct {
	tracker string
	version int
}

// plans keeps the last plans in memory.
type plans struct {
	mu   sync.Mutex
	kept map[planKey]*plan
}

// maxPlans bounds the memory of plans: one of 20,000 cells takes about a megabyte.
const maxPlans = 32

// planOf makes the plan of a sweep.
func (s *Service) planOf(ctx context.Context, t *store.Tracker, version int) (*plan, error) {
	key := planKey{t.ID, version}
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
		p.providers = append(p.providers, asked)
	}
	s.plans.keep(key, p)
	return p, nil
}

func (k *plans) find(key planKey) *plan {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[key]
}

// keep adds a plan, in the place of any other where there are many.
func (k *plans) keep(key planKey, p *plan) {
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

// numbersOf are the numbers of parts by what makes them the same.
func numbersOf[T any](parts []*store.TrackerPart, key func(T) string) func(T) int {
	numbers := make(map[string]int, len(parts))
	for _, part := range parts {
		var item T
		_ = json.Unmarshal(part.Definition, &item) // as it was stored
		numbers[key(item)] = part.ID
	}
	return func(item T) int { return numbers[key(item)] }
}

// newPlan puts the cells in an order that spreads each question and each target over the
// whole window: by a hash, which is the same on every node.
func newPlan(d *definition, promptNumber func(earshot.TrackedPrompt) int, targetNumber func(earshot.Target) int) *plan {
	p := &plan{definition: d, cells: make([]cell, 0, len(d.Prompts)*len(d.Targets)*d.Samples)}
	for i, prompt := range d.Prompts {
		for j, target := range d.Targets {
			for sample := 1; sample <= d.Samples; sample++ {
				c := cell{prompt: promptNumber(prompt), target: targetNumber(target), sample: sample, promptIndex: i, targetIndex: j}
				hash := fnv.New64a()
				_, _ = fmt.Fprintf(hash, "%d/%d/%d", c.prompt, c.target, c.sample) // a hash takes all
				c.at = float64(mix(hash.Sum64())>>11) / (1 << 53)
				p.cells = append(p.cells, c)
			}
		}
	}
	slices.SortFunc(p.cells, func(a, b cell) int {
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

// mix spreads the bits of a hash whose inputs differ by little.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// spreadOver is the part of a window over which cells are spread. The rest is for the
// last of them to end.
const spreadOver = 0.75

// due is how many of the plan's cells are due at a moment of a sweep that runs from start
// to end.
func (p *plan) due(start, end, now time.Time) int {
	if start.Equal(end) || !end.After(start) {
		return len(p.cells)
	}
	passed := float64(now.Sub(start)) / (float64(end.Sub(start)) * spreadOver)
	n, _ := slices.BinarySearchFunc(p.cells, passed, func(c cell, at float64) int {
		if c.at <= at {
			return -1
		}
		return 1
	})
	return n
}

// payload is the request of a cell.
func (p *plan) payload(c cell) ([]byte, error) {
	asked := p.providers[c.targetIndex]
	if asked == nil {
		return json.Marshal(map[string]string{}) // the task will fail and say so
	}
	return payloadOf(asked.Definition(), p.definition.Prompts[c.promptIndex], p.definition.Targets[c.targetIndex])
}

// price is the most that a task on a target can cost, 0 when it can no longer be asked.
func (s *Service) price(target earshot.Target) int64 {
	asked, err := s.Catalogue.Provider(target.Provider)
	if err != nil {
		return 0
	}
	payload, err := payloadOf(asked.Definition(), earshot.TrackedPrompt{Text: "x"}, target)
	if err != nil {
		return 0
	}
	request, problems := decode(asked, payload)
	if problems != nil {
		return 0
	}
	return s.Jobs.Price(asked.Definition(), request)
}

// ruleOf is the rule of a schedule that was checked when it was applied, nil when it is
// no longer valid.
func ruleOf(s earshot.Schedule) *schedule.Rule {
	rule, problems := schedule.New(s)
	if len(problems) > 0 {
		return nil
	}
	return rule
}

// daysOf reads a number of days such as 400d, 0 when there is none.
func daysOf(text string) int {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil {
		return 0
	}
	return days
}

// spreadSweeps is of how many sweeps the spread of a tracker's own answers is taken.
const spreadSweeps = 28

// precision is how small a change the numbers will show, and how many lasting ones are
// found by the change detector with the tracker's own threshold: by the spread that the answers of
// the tracker's last sweeps have, or, where these are too few, that answers usually have.
func (s *Service) precision(ctx context.Context, t *store.Tracker, d *definition, now time.Time) (earshot.Precision, error) {
	p := earshot.Precision{Prompts: len(d.Prompts), Samples: d.Samples, Sweeps: d.sweepsIn(28, now)}
	spread, measured, err := s.spread(ctx, t)
	if err != nil {
		return p, err
	}
	p.Measured = measured
	plan := stats.Plan{Prompts: p.Prompts, Sweeps: p.Sweeps, Samples: p.Samples}
	if change, ok := plan.Visible(spread); ok {
		p.SmallestChange = &change
	}
	if p.Series = len(d.seriesKeys(make([]string, len(d.Targets)))); p.Series > 0 {
		p.Threshold = new(d.threshold(p.Series, now))
		p.FallsFound = new(plan.Found(spread, *p.Threshold))
	}
	return p, nil
}

// spread are the variances of the visibility of a tracker's first own brand, or of its
// first brand, and whether they were measured.
func (s *Service) spread(ctx context.Context, t *store.Tracker) (stats.Components, bool, error) {
	if t.Version == 0 {
		return stats.DefaultComponents, false, nil
	}
	closed, err := s.Store.ClosedSweeps(ctx, t)
	if err != nil {
		return stats.Components{}, false, err
	}
	first := len(closed)
	for first > 0 && len(closed)-first < spreadSweeps && answersOf(closed[first-1:]) <= maxCounted {
		first--
	}
	if len(closed)-first < stats.EnoughSweeps {
		return stats.DefaultComponents, false, nil
	}
	d, err := s.stored(t)
	if err != nil {
		return stats.Components{}, false, err
	}
	b, err := s.bookOf(ctx, t, d, need{}, span{from: closed[first].DueAt})
	if tooMany(err) || err == nil && len(b.panel.Brands) == 0 {
		return stats.DefaultComponents, false, nil
	}
	if err != nil {
		return stats.Components{}, false, err
	}
	brand := max(0, slices.IndexFunc(b.panel.Brands, func(brand metric.Brand) bool { return brand.Own }))
	// Answers that all agree tell nothing of how much they will differ.
	if spread, ok := b.Components(b.panel.Brands[brand].Name, nil); ok && spread.Answer > 0 {
		return spread, true, nil
	}
	return stats.DefaultComponents, false, nil
}
