// Package aggregate counts the answers of trackers, and keeps what each closed sweep adds up
// to.
//
//	aggregate.go  Counter counts; an Aggregate holds the counts of some periods
//	closed.go     filling an Aggregate from stored tallies and from analyses
//	collect.go    reading analyses, and making those that are missing
//	tally.go      adding up closed sweeps and storing the sums
//	noise.go      how far a sweep is from the sweep that repeats it
//	breaks.go     from which sweep on numbers cannot be compared with those before
package aggregate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
)

// Counter counts answers, and keeps what sweeps add up to.
type Counter struct {
	store       *tracking.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	log         *slog.Logger
	wake        func()
	cache       cache
	untallied   chan tallyJob // rules that need tallies
}

// NewCounter returns a Counter on a store.
func NewCounter(s *tracking.Store, d *definition.Reader, p *ruleset.Panels, log *slog.Logger, wake func()) *Counter {
	return &Counter{
		store: s, definitions: d, panels: p, log: log, wake: wake,
		cache: cache{kept: map[string]*Aggregate{}, under: share.NewPool(maxCounts)}, untallied: make(chan tallyJob, 16),
	}
}

// On returns a counter that reads another copy of the database. The tallies that it lacks
// are made by this one.
func (s *Counter) On(replica *tracking.Store, d *definition.Reader, p *ruleset.Panels) *Counter {
	reader := NewCounter(replica, d, p, s.log, s.wake)
	reader.untallied = s.untallied
	return reader
}

// Aggregate holds the counts of a tracker's answers, by its current rules.
type Aggregate struct {
	*metric.Dataset
	Tracker *tracking.Tracker
	Rules   *tracking.Rules
	Panel   *analysis.Panel
	Zone    *schedule.Rule
	watched *definition.Definition  // by which series are watched; nil where none are wanted
	prompts []*tracking.TrackerPart // in the order of the definition that was counted by
	periods []definition.Span       // that are asked for, each by itself
	Sweeps  []*tracking.Sweep       // closed ones in any of them, by when they were due
	answers int                     // of the sweeps
	MadeUp  bool
	need    Options
	keys    targetKeys
	Breaks  []earshot.NumberBreak
}

// Options say what an Aggregate holds.
type Options struct {
	Sources metric.Sources
	Cells   bool // every sweep and prompt by itself, also where they are many
	later   bool // nobody waits for it, so that any number of answers is counted
}

// With calls use with an Aggregate. On metric.ErrCells it calls use again, with one that
// holds every cell.
func (s *Counter) With(ctx context.Context, t *tracking.Tracker, d *definition.Definition, wanted Options, use func(*Aggregate) error, spans ...definition.Span) error {
	b, err := s.Count(ctx, t, d, wanted, spans...)
	if err == nil {
		err = use(b)
	}
	if !errors.Is(err, metric.ErrCells) || wanted.Cells {
		return err
	}
	wanted.Cells = true
	return s.With(ctx, t, d, wanted, use, spans...)
}

// Count counts the answers of the closed sweeps that were due in any of some periods.
func (s *Counter) Count(ctx context.Context, t *tracking.Tracker, d *definition.Definition, wanted Options, periods ...definition.Span) (*Aggregate, error) {
	rules, err := s.panels.Current(ctx, t)
	if err != nil {
		return nil, err
	}
	b := &Aggregate{Tracker: t, Rules: rules, Zone: d.Zone(), watched: d, periods: periods, need: wanted}
	if b.Panel, err = s.panels.Panel(rules); err != nil {
		return nil, err
	}
	all, err := s.store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, sweep := range all {
		// One that has lost answers to the tracker's retention would count these as missing.
		if b.periodOf(sweep) >= 0 && !sweep.Pruned {
			b.Sweeps = append(b.Sweeps, sweep)
			b.answers += sweep.Submitted
		}
	}
	return s.cache.get(ctx, t.Organization, b.key(), func() (*Aggregate, error) {
		h, err := s.readClosed(ctx, b, all)
		if err == nil {
			err = s.fill(ctx, b, h)
		}
		return b, err
	})
}

// CountSweep counts the answers of one sweep. It is not cached: nobody asks for it again.
func (s *Counter) CountSweep(ctx context.Context, h *ClosedSweeps, sweep *tracking.Sweep) (*Aggregate, error) {
	release, err := s.cache.under.Wait(ctx, h.tracker.Organization)
	if err != nil {
		return nil, err
	}
	defer release()
	b := &Aggregate{
		Tracker: h.tracker, Rules: h.rules, Panel: h.panel, Zone: h.zone, need: Options{Cells: true},
		periods: []definition.Span{{}}, Sweeps: []*tracking.Sweep{sweep}, answers: sweep.Submitted,
	}
	return b, s.fill(ctx, b, h)
}

// periodOf is the first period that a sweep was due in, or -1.
func (b *Aggregate) periodOf(sweep *tracking.Sweep) int {
	return slices.IndexFunc(b.periods, func(p definition.Span) bool { return p.Has(sweep.DueAt) })
}

// cache keeps the last aggregates in memory: closed sweeps do not change.
type cache struct {
	mu     sync.Mutex
	kept   map[string]*Aggregate
	weight int         // of those that are kept
	under  *share.Pool // of those who count, by organization
}

const (
	// MaxCounted is how many answers are counted together that are not added up yet.
	MaxCounted = 50_000
	// maxWhole is up to how many answers an Aggregate holds every sweep and prompt by itself:
	// about a kilobyte for each, and another one for each eight brands.
	maxWhole = 50_000
	// maxHeavy is up to which weight it does.
	maxHeavy = 4 * maxWhole
	// maxKept is how many answers the cached aggregates weigh together. Answers of one
	// that holds sums weigh little.
	maxKept = 100_000
	// maxCounts is how many count at the same time.
	maxCounts = 2
)

// large reports whether an Aggregate holds sums rather than every sweep and prompt.
func (b *Aggregate) large() bool {
	return b.need.Sources == metric.NoSources && (b.answers > maxWhole || weightOf(b.answers, b.Panel) > maxHeavy)
}

// weightOf is how much memory answers take that are counted by themselves, in answers of
// a tracker with few brands.
func weightOf(answers int, panel *analysis.Panel) int { return answers * (1 + len(panel.Brands)/8) }

// weight is how much memory an Aggregate takes, in answers.
func (b *Aggregate) weight() int {
	if b.large() {
		return maxWhole/4 + b.answers/100
	}
	return weightOf(b.answers, b.Panel)
}

// key is equal for aggregates that hold the same numbers.
func (b *Aggregate) key() string {
	hash := sha256.New()
	_, _ = fmt.Fprintln(hash, b.Tracker.ID, b.Tracker.Version, b.Rules.Version, b.need.Sources, b.need.Cells && b.large()) // a hash takes all
	for _, sweep := range b.Sweeps {
		_, _ = fmt.Fprintln(hash, sweep.ID, sweep.Facts != nil, b.periodOf(sweep))
	}
	return string(hash.Sum(nil))
}

// get returns a cached Aggregate, or counts a new one. Organizations count in turn, so that one that
// counts much does not keep the others waiting.
func (k *cache) get(ctx context.Context, organization, key string, count func() (*Aggregate, error)) (*Aggregate, error) {
	if known := k.find(key); known != nil {
		return known, nil
	}
	release, err := k.under.Wait(ctx, organization)
	if err != nil {
		return nil, err
	}
	defer release()
	if known := k.find(key); known != nil { // somebody else was counting the same
		return known, nil
	}
	b, err := count()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.weight+b.weight() > maxKept {
		clear(k.kept)
		k.weight = 0
	}
	k.kept[key] = b
	k.weight += b.weight()
	return b, nil
}

func (k *cache) find(key string) *Aggregate {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[key]
}

// LabSurface is the surface of the lab, whose answers are made up.
const LabSurface = "lab"

// ActiveTime returns when the first of some sweeps was started and the last was closed.
func ActiveTime(sweeps []*tracking.Sweep) (first, last time.Time) {
	first, last = sweeps[0].StartedAt, sweeps[0].ClosedAt
	for _, sweep := range sweeps {
		if sweep.StartedAt.Before(first) {
			first = sweep.StartedAt
		}
		if sweep.ClosedAt.After(last) {
			last = sweep.ClosedAt
		}
	}
	return first, last
}

// Submitted returns how many answers some sweeps have.
func Submitted(sweeps []*tracking.Sweep) (n int) {
	for _, sweep := range sweeps {
		n += sweep.Submitted
	}
	return n
}

// LabelsOf returns the labels of a target.
func LabelsOf(l metric.Labels) earshot.NumberLabels {
	return earshot.NumberLabels{Target: l.Target, Surface: l.Surface, Provider: l.Provider, Country: l.Country, Prompt: l.Prompt, Tag: l.Tag}
}

// Between are the sweeps from one to another, both included.
func (b *Aggregate) Between(first, last string) []*tracking.Sweep {
	place := func(id string) int {
		return slices.IndexFunc(b.Sweeps, func(s *tracking.Sweep) bool { return s.ID == id })
	}
	from, to := place(first), place(last)
	return b.Sweeps[min(from, to) : max(from, to)+1] // by their slots they may stand in another order
}

// NamePrompts has a filter that gives questions by their numbers give their texts.
func (b *Aggregate) NamePrompts(filter metric.Selection) {
	for i, number := range filter["prompt"] {
		if at := slices.IndexFunc(b.prompts, func(p *tracking.TrackerPart) bool { return strconv.Itoa(p.ID) == number }); at >= 0 {
			filter["prompt"][i] = b.prompts[at].Name
		}
	}
}

// IsTooMany reports whether answers were not counted because there are too many of them, or
// because the brands cannot be looked for. Trying again helps with neither.
func IsTooMany(err error) bool {
	return slices.Contains([]earshot.Code{earshot.CodeValidation, earshot.CodeConflict}, earshot.ErrorCode(err))
}

// Within returns the ids of the sweeps that were due in a span.
func (b *Aggregate) Within(p definition.Span) (ids []string) {
	for _, sweep := range b.Sweeps {
		if p.Has(sweep.DueAt) {
			ids = append(ids, sweep.ID)
		}
	}
	return ids
}
