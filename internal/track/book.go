package track

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
)

// counter counts answers, and keeps what sweeps add up to.
type counter struct {
	store       *store.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	log         *slog.Logger
	wake        func()
	books       books
	untallied   chan tallyJob // rules that need tallies
}

func newCounter(s *store.Store, d *definition.Reader, p *ruleset.Panels, log *slog.Logger, wake func()) *counter {
	return &counter{
		store: s, definitions: d, panels: p, log: log, wake: wake,
		books: books{kept: map[string]*book{}, under: share.NewPool(maxCounts)}, untallied: make(chan tallyJob, 16),
	}
}

// on returns a counter that reads another copy of the database. The tallies that it lacks
// are made by this one.
func (s *counter) on(replica *store.Store, d *definition.Reader, p *ruleset.Panels) *counter {
	reader := newCounter(replica, d, p, s.log, s.wake)
	reader.untallied = s.untallied
	return reader
}

// book is what answers of a tracker add up to.
type book struct {
	*metric.Book
	tracker *store.Tracker
	rules   *store.Rules
	panel   *analysis.Panel
	zone    *schedule.Rule
	watched *definition.Definition // by which series are watched; nil where none are wanted
	prompts []*store.TrackerPart   // in the order of the definition that was counted by
	periods []definition.Span      // that are asked for, each by itself
	sweeps  []*store.Sweep         // closed ones in any of them, by when they were due
	answers int                    // of the sweeps
	madeUp  bool
	need    need
	keys    targetKeys
	breaks  []earshot.NumberBreak
}

// need is what a book is to hold.
type need struct {
	sources metric.Sources
	cells   bool // every sweep and prompt by itself, also where they are many
	later   bool // nobody waits for it, so that any number of answers is counted
}

// withBook has a book used, and once more one that holds all, where that turns out to be
// needed.
func (s *counter) withBook(ctx context.Context, t *store.Tracker, d *definition.Definition, wanted need, use func(*book) error, spans ...definition.Span) error {
	b, err := s.bookOf(ctx, t, d, wanted, spans...)
	if err == nil {
		err = use(b)
	}
	if !errors.Is(err, metric.ErrCells) || wanted.cells {
		return err
	}
	wanted.cells = true
	return s.withBook(ctx, t, d, wanted, use, spans...)
}

// bookOf counts the answers of the closed sweeps that were due in any of some periods.
func (s *counter) bookOf(ctx context.Context, t *store.Tracker, d *definition.Definition, wanted need, periods ...definition.Span) (*book, error) {
	rules, err := s.panels.Current(ctx, t)
	if err != nil {
		return nil, err
	}
	b := &book{tracker: t, rules: rules, zone: d.Zone(), watched: d, periods: periods, need: wanted}
	if b.panel, err = s.panels.Panel(rules); err != nil {
		return nil, err
	}
	all, err := s.store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, sweep := range all {
		// One that has lost answers to the tracker's retention would count these as missing.
		if b.periodOf(sweep) >= 0 && !sweep.Pruned {
			b.sweeps = append(b.sweeps, sweep)
			b.answers += sweep.Submitted
		}
	}
	return s.books.get(ctx, t.Organization, b.key(), func() (*book, error) {
		h, err := s.past(ctx, b, all)
		if err == nil {
			err = s.fill(ctx, b, h)
		}
		return b, err
	})
}

// countOne counts the answers of one sweep. The book is not kept: nobody asks for it again.
func (s *counter) countOne(ctx context.Context, h *past, sweep *store.Sweep) (*book, error) {
	release, err := s.books.under.Wait(ctx, h.tracker.Organization)
	if err != nil {
		return nil, err
	}
	defer release()
	b := &book{
		tracker: h.tracker, rules: h.rules, panel: h.panel, zone: h.zone, need: need{cells: true},
		periods: []definition.Span{{}}, sweeps: []*store.Sweep{sweep}, answers: sweep.Submitted,
	}
	return b, s.fill(ctx, b, h)
}

// periodOf is the first period that a sweep was due in, or -1.
func (b *book) periodOf(sweep *store.Sweep) int {
	return slices.IndexFunc(b.periods, func(p definition.Span) bool { return p.Has(sweep.DueAt) })
}

// books keeps the last books in memory: closed sweeps do not change.
type books struct {
	mu     sync.Mutex
	kept   map[string]*book
	weight int         // of those that are kept
	under  *share.Pool // of those who count, by organization
}

const (
	// maxCounted is how many answers are counted together that are not added up yet.
	maxCounted = 50_000
	// maxWhole is up to how many answers a book holds every sweep and prompt by itself:
	// about a kilobyte for each, and another one for each eight brands.
	maxWhole = 50_000
	// maxHeavy is up to which weight it does.
	maxHeavy = 4 * maxWhole
	// maxKept is how many answers the books that are kept weigh together. Those of a book
	// that holds sums weigh little.
	maxKept = 100_000
	// maxCounts is how many count at the same time.
	maxCounts = 2
)

// large tells whether a book holds sums rather than every sweep and prompt.
func (b *book) large() bool {
	return b.need.sources == metric.NoSources && (b.answers > maxWhole || weightOf(b.answers, b.panel) > maxHeavy)
}

// weightOf is how much memory answers take that are counted by themselves, in answers of
// a tracker with few brands.
func weightOf(answers int, panel *analysis.Panel) int { return answers * (1 + len(panel.Brands)/8) }

// weight is how much memory a book takes, in answers.
func (b *book) weight() int {
	if b.large() {
		return maxWhole/4 + b.answers/100
	}
	return weightOf(b.answers, b.panel)
}

// key tells books apart that hold different numbers.
func (b *book) key() string {
	hash := sha256.New()
	_, _ = fmt.Fprintln(hash, b.tracker.ID, b.tracker.Version, b.rules.Version, b.need.sources, b.need.cells && b.large()) // a hash takes all
	for _, sweep := range b.sweeps {
		_, _ = fmt.Fprintln(hash, sweep.ID, sweep.Facts != nil, b.periodOf(sweep))
	}
	return string(hash.Sum(nil))
}

// get is a book that is kept, or a new one. Organizations count in turn, so that one that
// counts much does not keep the others waiting.
func (k *books) get(ctx context.Context, organization, key string, count func() (*book, error)) (*book, error) {
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

func (k *books) find(key string) *book {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[key]
}

const labSurface = "lab"

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
