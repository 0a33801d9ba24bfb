// Package aggregate counts the answers of trackers, and stores and reads the counts of each closed
// sweep.
//
//	aggregate.go  Counter, which counts, and Aggregate, the counts of some periods
//	closed.go     fills an Aggregate from stored cells and from analyses
//	collect.go    reads analyses and analyses answers that lack one
//	cited.go      the sources of each answer
//	count.go      counts closed sweeps and stores their cells
//	noise.go      difference between a sweep and the sweep that repeats it
//	breaks.go     sweeps whose numbers cannot be compared with earlier ones
package aggregate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/cited"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
)

// Counter counts answers, and stores and reads counts.
type Counter struct {
	store       *tracking.Store
	analyses    *analysing.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	log         *slog.Logger
	wake        func()
	cache       cache
	uncounted   chan *analysing.Rules // rules that have not counted some sweep
}

// NewCounter returns a Counter on a store.
func NewCounter(s *store.Store, d *definition.Reader, p *ruleset.Panels, log *slog.Logger, wake func()) *Counter {
	return &Counter{
		store: tracking.New(s), analyses: analysing.New(s), definitions: d, panels: p, log: log, wake: wake,
		cache: cache{entries: map[string]*Aggregate{}, turns: share.NewPool(maxCounts)}, uncounted: make(chan *analysing.Rules, 16),
	}
}

// On returns a Counter that reads a replica of the database. It queues sweeps for
// this Counter to count.
func (s *Counter) On(replica *store.Store, d *definition.Reader, p *ruleset.Panels) *Counter {
	reader := NewCounter(replica, d, p, s.log, s.wake)
	reader.uncounted = s.uncounted
	return reader
}

// Aggregate contains the counts of a tracker's answers by some rules.
type Aggregate struct {
	*metric.Dataset
	Tracker *tracking.Tracker
	Rules   *analysing.Rules
	Panel   *analysis.Panel
	Zone    *schedule.Rule
	Sweeps  []*tracking.Sweep // the closed sweeps in the periods, by due time
	Breaks  []earshot.MetricBreak
	MadeUp  bool // some answers come from the lab

	options    Options
	definition *definition.Definition // sets the threshold of change detectors; nil: the default
	periods    []definition.Span
	size       int                           // approximate, in bytes
	counted    map[string]*analysing.Counted // by sweep
	brands     map[int][]int                 // by version of older rules: indexes of their brands in the panel, or -1
	keys       targetKeys
	cited      []*cited.Writer // by sweep; only with Options.cited
}

// Options select what an Aggregate contains.
type Options struct {
	Sources  metric.Sources
	Families []metric.Family // nil: all

	isUnlimited bool // whatever the number of answers; for background work and single sweeps
	cited       bool // the sources of each answer, to be stored
}

func (o Options) families() []metric.Family {
	if o.Families == nil {
		return metric.AllFamilies
	}
	return o.Families
}

// Count counts the answers of the closed sweeps that were due in any of the periods.
func (s *Counter) Count(ctx context.Context, t *tracking.Tracker, d *definition.Definition, wanted Options, periods ...definition.Span) (*Aggregate, error) {
	rules, err := s.panels.Current(ctx, t)
	if err != nil {
		return nil, err
	}
	b := &Aggregate{Tracker: t, Rules: rules, Zone: d.Zone(), definition: d, periods: periods, options: wanted}
	if b.Panel, err = s.panels.Panel(rules); err != nil {
		return nil, err
	}
	all, err := s.store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	counted, err := s.countedBy(ctx, rules, all)
	if err != nil {
		return nil, err
	}
	for _, sweep := range all {
		// Deleted answers would count as missing. Merchants, prices and blocks are not stored.
		isThere := !sweep.Pruned || (sweep.Answered == 0 || counted[sweep.ID] != nil) && wanted.Sources&^metric.ByDomain == 0
		if b.periodOf(sweep) >= 0 && isThere {
			b.Sweeps = append(b.Sweeps, sweep)
		}
	}
	return s.cache.get(ctx, t.Organization, b.key(), func() (*Aggregate, error) {
		h, err := s.readClosed(ctx, b, all, counted)
		if err == nil {
			err = s.fill(ctx, b, h)
		}
		return b, err
	})
}

// CountSweep counts the answers of one sweep. The result is not cached, because each sweep
// is counted only once this way.
func (s *Counter) CountSweep(ctx context.Context, h *ClosedSweeps, sweep *tracking.Sweep, sources metric.Sources) (*Aggregate, error) {
	release, err := s.Turn(ctx, h.tracker.Organization)
	if err != nil {
		return nil, err
	}
	defer release()
	b := h.newAggregate(Options{Sources: sources, isUnlimited: sources != metric.NoSources}, sweep)
	return b, s.fill(ctx, b, h)
}

// Turn waits until an organization may read many answers. The caller must call release.
func (s *Counter) Turn(ctx context.Context, organization string) (release func(), err error) {
	return s.cache.turns.Wait(ctx, organization)
}

// newAggregate returns an empty Aggregate of some sweeps.
func (h *ClosedSweeps) newAggregate(o Options, sweeps ...*tracking.Sweep) *Aggregate {
	return &Aggregate{
		Tracker: h.tracker, Rules: h.rules, Panel: h.panel, Zone: h.zone, Sweeps: sweeps, options: o, periods: []definition.Span{{}},
	}
}

// periodOf returns the index of the first period that contains a sweep, or -1.
func (b *Aggregate) periodOf(sweep *tracking.Sweep) int {
	return slices.IndexFunc(b.periods, func(p definition.Span) bool { return p.Has(sweep.DueAt) })
}

// cache keeps recent aggregates in memory. Entries stay valid, because closed sweeps do not
// change.
type cache struct {
	mu      sync.Mutex
	entries map[string]*Aggregate
	size    int         // sum of the sizes of all entries, in bytes
	turns   *share.Pool // limits concurrent counts, fair to all organizations
}

const (
	// MaxCounted is the largest number of answers without stored counts that one request counts.
	MaxCounted = 50_000
	// maxBrands is the largest product of such answers and brands.
	maxBrands = 32 * MaxCounted
	// maxCached is the largest size of the cache, in bytes.
	maxCached = 100 << 20
	// maxCounts is the largest number of concurrent counts.
	maxCounts = 2
)

// countedSize is the approximate size of the counts of an answer in memory.
func countedSize(brands int) int { return 1000 + 120*brands }

// key returns the cache key. It is equal for aggregates with the same counts.
func (b *Aggregate) key() string {
	hash := sha256.New()
	_, _ = fmt.Fprintln(hash, b.Tracker.ID, b.Tracker.Version, b.Rules.Version, b.options.Sources, b.options.Families) // never fails
	for _, sweep := range b.Sweeps {
		_, _ = fmt.Fprintln(hash, sweep.ID, sweep.Pruned, sweep.Facts != nil, b.periodOf(sweep))
	}
	return string(hash.Sum(nil))
}

// get returns a cached Aggregate or counts a new one. Organizations take turns, so that a
// busy organization does not delay the others.
func (c *cache) get(ctx context.Context, organization, key string, count func() (*Aggregate, error)) (*Aggregate, error) {
	if known := c.find(key); known != nil {
		return known, nil
	}
	release, err := c.turns.Wait(ctx, organization)
	if err != nil {
		return nil, err
	}
	defer release()
	if known := c.find(key); known != nil { // counted by another request in the meantime
		return known, nil
	}
	b, err := count()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size+b.size > maxCached {
		clear(c.entries)
		c.size = 0
	}
	if b.size < maxCached {
		c.entries[key] = b
		c.size += b.size
	}
	return b, nil
}

func (c *cache) find(key string) *Aggregate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[key]
}

// LabSurface is the surface of the built-in lab, whose answers are made up.
const LabSurface = "lab"

// ActiveTime returns the time when the first of the sweeps started and the time when the
// last was closed.
func ActiveTime(sweeps []*tracking.Sweep) (first, last time.Time) {
	started := slices.MinFunc(sweeps, func(a, b *tracking.Sweep) int { return a.StartedAt.Compare(b.StartedAt) })
	closed := slices.MaxFunc(sweeps, func(a, b *tracking.Sweep) int { return a.ClosedAt.Compare(b.ClosedAt) })
	return started.StartedAt, closed.ClosedAt
}

// Submitted returns the number of answers that the sweeps submitted.
func Submitted(sweeps []*tracking.Sweep) (n int) {
	for _, sweep := range sweeps {
		n += sweep.Submitted
	}
	return n
}

// LabelsOf returns labels as clients see them.
func LabelsOf(l metric.Labels) earshot.MetricLabels {
	surface, via := analysis.SplitOrigin(l.Surface)
	return earshot.MetricLabels{Target: l.Target, Surface: surface, Via: via, Provider: l.Provider, Country: l.Country, Prompt: l.Prompt, Tag: l.Tag}
}

// Between returns the sweeps from first to last, both inclusive.
func (b *Aggregate) Between(first, last string) []*tracking.Sweep {
	index := func(id string) int {
		return slices.IndexFunc(b.Sweeps, func(s *tracking.Sweep) bool { return s.ID == id })
	}
	from, to := index(first), index(last)
	return b.Sweeps[min(from, to) : max(from, to)+1] // the order of slots may differ from the order of due times
}

// TargetKey returns the key in the dataset of a target that a surface answered.
func (b *Aggregate) TargetKey(k cited.Key) string { return b.keys[k.Target][k.Surface] }

// IsTooMany reports whether answers were not counted because there are too many of them or
// because the rules cannot be compiled. A retry does not help in either case.
func IsTooMany(err error) bool {
	return slices.Contains([]earshot.Code{earshot.CodeValidation, earshot.CodeConflict}, earshot.ErrorCode(err))
}

// Within returns the ids of the sweeps that were due in a period.
func (b *Aggregate) Within(p definition.Span) (ids []string) {
	for _, sweep := range b.Sweeps {
		if p.Has(sweep.DueAt) {
			ids = append(ids, sweep.ID)
		}
	}
	return ids
}
