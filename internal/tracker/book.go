package tracker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/metric"
	"earshot/internal/schedule"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// book is what answers of a tracker add up to.
type book struct {
	*metric.Book
	tracker *store.Tracker
	rules   *store.Rules
	panel   *analysis.Panel
	zone    *schedule.Rule
	prompts []*store.TrackerPart // in the order of the definition that was counted by
	sweeps  []*store.Sweep       // closed ones, by when they were due
	answers int                  // of the sweeps
	breaks  []metric.Break
	madeUp  bool
	sources bool // citations are counted by source, too
}

// span is a range of time, its end excluded. Zero ends are open.
type span struct{ from, until time.Time }

func (p span) has(at time.Time) bool {
	return !at.Before(p.from) && (p.until.IsZero() || at.Before(p.until))
}

// spanOf reads a range; days are those of the tracker's time zone.
func spanOf(zone *schedule.Rule, fromField, from, toField, to string) (p span, err error) {
	if from != "" {
		if p.from, err = momentOf(zone, from, 0); err != nil {
			return p, schema.Invalid(fromField, "must be a day or a time")
		}
	}
	if to != "" {
		if p.until, err = momentOf(zone, to, 1); err != nil {
			return p, schema.Invalid(toField, "must be a day or a time")
		}
	}
	if from != "" && to != "" && !p.from.Before(p.until) {
		return p, schema.Invalid(toField, "must be after %s", fromField)
	}
	return p, nil
}

// momentOf is a time, or the beginning of a day so many days after a day.
func momentOf(zone *schedule.Rule, text string, later int) (time.Time, error) {
	moment, isDay, err := schema.ParseMoment(text)
	if err != nil || !isDay {
		return moment, err
	}
	return dayStart(zone, moment.AddDate(0, 0, later))
}

// dayStart is when a day begins in a time zone.
func dayStart(zone *schedule.Rule, day time.Time) (time.Time, error) {
	slot, err := schedule.ParseSlot(day.Format(time.DateOnly) + "T00:00")
	if err != nil {
		return time.Time{}, err
	}
	return zone.At(slot), nil
}

// zoneOf is the time zone of a tracker, as a rule.
func zoneOf(d *definition) *schedule.Rule {
	if d.rule != nil {
		return d.rule
	}
	return ruleOf(earshot.Schedule{Every: "day", Timezone: zoneOfManual})
}

// currentRules are those that numbers are read by.
func (s *Service) currentRules(ctx context.Context, t *store.Tracker) (*store.Rules, error) {
	all, err := s.Store.Rules(ctx, t.Organization, t.ID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(r *store.Rules) bool { return r.State == store.RulesCurrent }); i >= 0 {
		return all[i], nil
	}
	// A tracker of an older version of the service; its answers are analysed as they are read.
	d, err := s.stored(t)
	if err != nil {
		return nil, err
	}
	brands, err := rulesText(&d.TrackerDefinition)
	return &store.Rules{Organization: t.Organization, Tracker: t.ID, Brands: brands, Code: analysis.Code}, err
}

// bookOf counts the answers of the closed sweeps that were due in any of some spans.
func (s *Service) bookOf(ctx context.Context, t *store.Tracker, d *definition, sources bool, spans ...span) (*book, error) {
	b := &book{tracker: t, zone: zoneOf(d), sources: sources}
	var err error
	if b.rules, err = s.currentRules(ctx, t); err != nil {
		return nil, err
	}
	if b.panel, err = s.panelOf(b.rules); err != nil {
		return nil, err
	}
	all, err := s.Store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	b.sweeps = slices.DeleteFunc(all, func(sweep *store.Sweep) bool {
		return !slices.ContainsFunc(spans, func(p span) bool { return p.has(sweep.DueAt) })
	})
	for _, sweep := range b.sweeps {
		b.answers += sweep.Submitted
	}
	if b.answers > maxCounted {
		return nil, schema.Invalid("from", "these are %d answers, and at most %d are counted together: choose a shorter time", b.answers, maxCounted)
	}
	return s.books.get(ctx, b.key(), func() (*book, error) { return b, s.count(ctx, b) })
}

// books keeps the last books in memory: closed sweeps do not change.
type books struct {
	mu      sync.Mutex
	kept    map[string]*book
	answers int           // of those that are kept
	under   chan struct{} // holds those who count
}

const (
	// maxCounted is how many answers are counted together, and how many the books that are
	// kept have together: 22,500 take some 50 MB.
	maxCounted = 50_000
	// maxCounts is how many count at the same time.
	maxCounts = 2
)

// key tells books apart that hold different numbers.
func (b *book) key() string {
	hash := sha256.New()
	_, _ = fmt.Fprintln(hash, b.tracker.ID, b.tracker.Version, b.rules.Version, b.sources) // a hash takes all
	for _, sweep := range b.sweeps {
		_, _ = fmt.Fprintln(hash, sweep.ID)
	}
	return string(hash.Sum(nil))
}

// get is a book that is kept, or a new one.
func (k *books) get(ctx context.Context, key string, count func() (*book, error)) (*book, error) {
	select {
	case k.under <- struct{}{}:
		defer func() { <-k.under }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	k.mu.Lock()
	known := k.kept[key]
	k.mu.Unlock()
	if known != nil {
		return known, nil
	}
	b, err := count()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers+b.answers > maxCounted {
		clear(k.kept)
		k.answers = 0
	}
	k.kept[key] = b
	k.answers += b.answers
	return b, nil
}

// count reads the analyses of a book's sweeps and adds them up.
func (s *Service) count(ctx context.Context, b *book) error {
	prompts, err := s.Store.TrackerPrompts(ctx, b.tracker)
	if err != nil {
		return err
	}
	targets, err := s.Store.TrackerTargets(ctx, b.tracker)
	if err != nil {
		return err
	}
	b.prompts = prompts
	read := reading{places: map[string]int{}, promptIndex: map[int]int{}, panel: b.panel, surfaces: make([]map[int]map[string]int, len(b.sweeps))}
	for i, sweep := range b.sweeps {
		read.places[sweep.ID] = i
		read.surfaces[i] = map[int]map[string]int{}
	}
	for i, p := range prompts {
		read.promptIndex[p.ID] = i
	}
	if err := s.readAnalyses(ctx, b, &read); err != nil {
		return err
	}
	def := metric.Definition{Name: b.tracker.Name, Brands: b.panel.Brands, Samples: 1}
	for _, p := range prompts {
		var asked earshot.TrackedPrompt
		_ = json.Unmarshal(p.Definition, &asked) // as it was stored
		def.Prompts = append(def.Prompts, metric.Prompt{
			Text: p.Name, Version: p.ID, Weight: cmp.Or(asked.Weight, 1), Tags: asked.Tags, Branded: b.panel.Branded(p.Name),
		})
	}
	keys := read.targetKeys(targets, &def)
	for i, sweep := range b.sweeps {
		p, err := s.planOf(ctx, b.tracker, sweep.Version)
		if err != nil {
			return err
		}
		def.Sweeps = append(def.Sweeps, read.sweepOf(b.zone, i, sweep, p, keys))
		if i > 0 && !slices.Equal(def.Sweeps[i-1].Prompts, def.Sweeps[i].Prompts) {
			def.Breaks = append(def.Breaks, metric.Break{Sweep: sweep.ID, Reason: "the set of prompts is another"})
		}
	}
	b.breaks = def.Breaks
	if b.Book, err = metric.NewBook(def); err != nil {
		return err
	}
	if !b.sources {
		b.OmitSources()
	}
	for _, a := range read.answers {
		a.Target = keys.of(a.target, a.surface)
		if err := b.Add(a.Answer); err != nil {
			return err
		}
	}
	b.madeUp = slices.ContainsFunc(def.Targets, func(t metric.Target) bool { return t.Surface == labSurface })
	return nil
}

const labSurface = "lab"

// reading is what is known while analyses are read.
type reading struct {
	panel       *analysis.Panel
	places      map[string]int // of sweeps
	promptIndex map[int]int
	answers     []placedAnswer
	surfaces    []map[int]map[string]int // answers by sweep, target and surface
}

type placedAnswer struct {
	metric.Answer
	target  int
	surface string
}

func (r *reading) add(a *store.Analysis) error {
	at, wanted := r.places[a.Sweep]
	prompt, known := r.promptIndex[a.Prompt]
	if !wanted || !known {
		return nil
	}
	found, err := analysis.Decode(a.Content)
	if err != nil {
		return err
	}
	answer := placedAnswer{found.Answer(r.panel), a.Target, a.Surface}
	answer.ID, answer.Sweep, answer.Prompt, answer.Sample, answer.Outcome = a.Answer, a.Sweep, prompt, a.Sample, metric.Outcome(a.Outcome)
	r.answers = append(r.answers, answer)
	if r.surfaces[at][a.Target] == nil {
		r.surfaces[at][a.Target] = map[string]int{}
	}
	r.surfaces[at][a.Target][a.Surface]++
	return nil
}

// readAnalyses reads what was found, and finds what was not looked for yet: an analysis
// follows from the answer, so that it is the same whoever makes it and when.
func (s *Service) readAnalyses(ctx context.Context, b *book, read *reading) error {
	if len(b.sweeps) == 0 {
		return nil
	}
	from, until := b.sweeps[0].StartedAt, b.sweeps[0].ClosedAt
	for _, sweep := range b.sweeps {
		from, until = minTime(from, sweep.StartedAt), maxTime(until, sweep.ClosedAt)
	}
	if err := s.Store.Analyses(ctx, b.rules, from, until, read.add); err != nil {
		return err
	}
	for i, sweep := range b.sweeps {
		n := 0
		for _, surfaces := range read.surfaces[i] {
			for _, count := range surfaces {
				n += count
			}
		}
		if n >= sweep.Answered {
			continue
		}
		if err := s.readUnanalysed(ctx, b, sweep, read); err != nil {
			return err
		}
	}
	return nil
}

// readUnanalysed reads the answers of a sweep of which no analysis was read. One may have
// been stored meanwhile, so that the store cannot tell which.
func (s *Service) readUnanalysed(ctx context.Context, b *book, sweep *store.Sweep, read *reading) error {
	seen := map[string]bool{}
	for _, a := range read.answers {
		if a.Sweep == sweep.ID {
			seen[a.ID] = true
		}
	}
	for after := uuid.Nil.String(); ; {
		answers, err := s.Store.SweepResults(ctx, b.tracker, sweep.ID, after, analyseBatch)
		if err != nil || len(answers) == 0 {
			return err
		}
		for _, a := range answers {
			if after = a.ID; seen[a.ID] {
				continue
			}
			question := ""
			if i, known := read.promptIndex[a.Prompt]; known {
				question = b.prompts[i].Name
			}
			if err := read.add(s.analyse(a, livePanel{b.rules.Version, b.panel}, question)); err != nil {
				return err
			}
		}
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// targetKeys are the names of targets by surface: one that was answered by several has a
// name for each, since surfaces are not mixed.
type targetKeys map[int]map[string]string

// of is the name of a target for answers of a surface; its only one where that has none.
func (k targetKeys) of(target int, surface string) string { return k[target][surface] }

// targetKeys makes the targets of a definition.
func (r *reading) targetKeys(targets []*store.TrackerPart, def *metric.Definition) targetKeys {
	seen, overall := map[int]map[string]int{}, map[string]int{}
	for _, sweep := range r.surfaces {
		for target, surfaces := range sweep {
			for surface, n := range surfaces {
				if seen[target] == nil {
					seen[target] = map[string]int{}
				}
				seen[target][surface] += n
				overall[surface] += n
			}
		}
	}
	keys := targetKeys{}
	for _, t := range targets {
		var target earshot.Target
		_ = json.Unmarshal(t.Definition, &target) // as it was stored
		keys[t.ID] = map[string]string{}
		surfaces := seen[t.ID]
		if len(surfaces) == 0 {
			// What never answered is missing where the others are.
			surfaces = map[string]int{most(overall): 0}
		}
		for _, surface := range sortedKeys(surfaces) {
			key := t.Name
			if len(surfaces) > 1 {
				key += "@" + surface
			}
			keys[t.ID][surface] = key
			def.Targets = append(def.Targets, metric.Target{Key: key, Surface: surface, Provider: target.Provider, Country: target.Country})
		}
	}
	return keys
}

// sweepOf is a sweep with what it asked. What is missing is so on the surface that
// answered most.
func (r *reading) sweepOf(zone *schedule.Rule, i int, sweep *store.Sweep, p *plan, keys targetKeys) metric.Sweep {
	found := metric.Sweep{ID: sweep.ID, Slot: zone.Civil(sweep.DueAt).String(), Samples: p.definition.Samples, Prompts: []int{}, Targets: []string{}}
	prompts, targets := map[int]bool{}, map[int]bool{}
	for _, c := range p.cells {
		if index, known := r.promptIndex[c.prompt]; known && !prompts[c.prompt] {
			prompts[c.prompt] = true
			found.Prompts = append(found.Prompts, index)
		}
		if !targets[c.target] {
			targets[c.target] = true
			surface := most(r.surfaces[i][c.target])
			key, known := keys[c.target][surface]
			if !known {
				key = keys[c.target][sortedKeys(keys[c.target])[0]]
			}
			found.Targets = append(found.Targets, key)
		}
	}
	slices.Sort(found.Prompts)
	return found
}

// most is the key with the largest count, the first by name of several.
func most(counts map[string]int) string {
	best := ""
	for _, key := range sortedKeys(counts) {
		if best == "" || counts[key] > counts[best] {
			best = key
		}
	}
	return best
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
