// Package contents lists what the answers of a period contain besides text.
//
//	contents.go  Lister, and the answers that it reads
//	seen.go      where and when something occurs
//	searches.go  the searches that assistants ran
//	products.go  products, merchants and prices
//	ads.go       ads
//	pages.go     retrieved and cited pages of own brands
package contents

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/source"
)

// Lister lists what the answers of trackers contain.
type Lister struct {
	store       *tracking.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	answers     *answers.Explorer
}

// NewLister returns a Lister on a store.
func NewLister(s *tracking.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter, a *answers.Explorer) *Lister {
	return &Lister{s, d, p, c, a}
}

// history contains a tracker and its closed sweeps.
type history struct {
	*Lister
	*panel
	tracker    *tracking.Tracker
	definition *definition.Definition
	rules      *analysing.Rules
	names      *definition.PartNames
	closed     []*tracking.Sweep
}

// open reads the tracker and its sweeps. It returns store.ErrNotFound if the tracker does not
// exist.
func (l *Lister) open(ctx context.Context, organization, name string) (*history, error) {
	h := &history{Lister: l}
	var err error
	if h.tracker, h.definition, err = l.definitions.Load(ctx, organization, name); err != nil {
		return nil, err
	}
	found, panel, err := l.panels.CurrentPanel(ctx, h.tracker)
	if err != nil {
		return nil, err
	}
	h.rules, h.panel = found, newPanel(panel)
	if h.names, err = l.definitions.Names(ctx, h.tracker); err != nil {
		return nil, err
	}
	h.closed, err = l.store.ClosedSweeps(ctx, h.tracker)
	return h, err
}

// period contains the closed sweeps that were due in a period.
type period struct {
	*history
	span   definition.Span
	sweeps []*tracking.Sweep
}

// during returns the sweeps of a period.
func (h *history) during(span definition.Span) *period {
	p := &period{history: h, span: span}
	for _, sweep := range h.closed {
		// Metrics leave out pruned sweeps, too.
		if span.Has(sweep.DueAt) && !sweep.Pruned {
			p.sweeps = append(p.sweeps, sweep)
		}
	}
	return p
}

// answered returns the number of answers of the sweeps.
func (p *period) answered() (n int) {
	for _, sweep := range p.sweeps {
		n += sweep.Answered
	}
	return n
}

// check returns an error if the sweeps have too many answers for one request.
func (p *period) check() error {
	if n := p.answered(); n > aggregate.MaxCounted {
		return schema.Invalid("from", "selects %d answers, but one request reads at most %d: choose a shorter period", n, aggregate.MaxCounted)
	}
	return nil
}

// sample returns the period, or a period with a part of its sweeps if there are too many answers
// for one request. The sweeps are spread evenly, so that every weekday has the same chance, and
// each contributes all its answers, so that prompts and targets keep their proportions.
func (p *period) sample() *period {
	some := *p
	for n := len(p.sweeps); n > 1 && some.answered() > aggregate.MaxCounted; {
		n--
		some.sweeps = nil
		for i := range n {
			some.sweeps = append(some.sweeps, p.sweeps[(2*i+1)*len(p.sweeps)/(2*n)])
		}
	}
	return &some
}

// each calls look for the answers of the period that match a filter, newest first.
func (p *period) each(ctx context.Context, filter string, branded bool, look func(answers.Finding)) error {
	if len(p.sweeps) == len(p.during(p.span).sweeps) {
		return p.scan(ctx, filter, branded, look)
	}
	for _, sweep := range slices.Backward(p.sweeps) {
		one := period{p.history, definition.Span{From: sweep.DueAt, Until: sweep.DueAt.Add(time.Millisecond)}, []*tracking.Sweep{sweep}}
		err := one.scan(ctx, filter, branded, func(a answers.Finding) {
			if a.Sweep == sweep.ID {
				look(a)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scan reads the answers of all sweeps in the span of the period.
func (p *period) scan(ctx context.Context, filter string, branded bool, look func(answers.Finding)) error {
	if len(p.sweeps) == 0 {
		return nil
	}
	moment := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	counted := &earshot.AnswerFilter{Counted: true, Filter: filter, Branded: branded, DueFrom: moment(p.span.From), DueTo: moment(p.span.Until)}
	first, last := aggregate.ActiveTime(p.sweeps)
	// A second more covers the clocks of other nodes.
	t, chosen, names, err := p.answers.Filter(ctx, p.tracker.Organization, p.tracker.Name, counted, first.Add(-time.Second), last.Add(time.Second))
	if err != nil {
		return err
	}
	release, err := p.counter.Turn(ctx, t.Organization)
	if err != nil {
		return err
	}
	defer release()
	kept := p.answers.Kept(t, chosen, names, time.Now())
	for a, err := range kept.Found(ctx, ruleset.LivePanel{Version: p.rules.Version, Panel: p.Panel}) {
		if err != nil {
			return err
		}
		look(a)
	}
	return nil
}

// list calls look for the answers of a query that report a field, newest first.
func (l *Lister) list(ctx context.Context, organization, name string, q *earshot.ContentQuery, field metric.Field, look func(*history, answers.Finding)) (*history, earshot.ContentHead, error) {
	head := earshot.ContentHead{Tracker: name}
	h, err := l.open(ctx, organization, name)
	if err != nil {
		return nil, head, err
	}
	if err := h.CheckBrand(q.Brand); err != nil {
		return nil, head, err
	}
	span, err := definition.Recent(h.definition.Zone(), q.From, q.To, l.store.Now())
	if err != nil {
		return nil, head, err
	}
	all := h.during(span)
	p := all.sample()
	if err := p.check(); err != nil {
		return nil, head, err
	}
	head.Rules, head.Sweeps, head.SweepsInPeriod = ruleset.Name(h.rules), len(p.sweeps), len(all.sweeps)
	err = p.each(ctx, q.Filter, q.Branded, func(a answers.Finding) {
		head.MadeUp = head.MadeUp || a.Surface == aggregate.LabSurface
		switch a.Found.Missing(field) {
		case "":
			head.Answers++
			look(h, a)
		case metric.NotRequested:
			head.NotRequested++
		default:
			head.NotOffered++
		}
	})
	return h, head, err
}

// page returns the rows of a page and sets the fields of the head that depend on it.
func page[T any](head *earshot.ContentHead, rows []T, q *earshot.ContentQuery) []T {
	head.Total = len(rows)
	rows = rows[min(q.Offset, len(rows)):]
	head.More = len(rows) > q.Limit
	return rows[:min(q.Limit, len(rows))]
}

// panel finds the brands that own hosts. It remembers the hosts.
type panel struct {
	*analysis.Panel
	hosts map[string][]int
}

func newPanel(p *analysis.Panel) *panel { return &panel{p, map[string][]int{}} }

// brandsAt returns the brands that own a host, as indexes of Brands.
func (p *panel) brandsAt(host string) []int {
	brands, known := p.hosts[host]
	if !known {
		for i, b := range p.Brands {
			if slices.ContainsFunc(b.Domains, func(domain string) bool { return source.Within(host, domain) }) {
				brands = append(brands, i)
			}
		}
		p.hosts[host] = brands
	}
	return brands
}

// brandsOn returns the brands that own any of the pages.
func (p *panel) brandsOn(pages []metric.Citation) map[int]bool {
	brands := map[int]bool{}
	for _, page := range pages {
		for _, i := range p.brandsAt(page.Host) {
			brands[i] = true
		}
	}
	return brands
}

// owners returns the names of the brands for which isOf returns true.
func (p *panel) owners(isOf func(*metric.PanelBrand) bool) (names []string) {
	for i := range p.Brands {
		if isOf(&p.Brands[i]) {
			names = append(names, p.Brands[i].Name)
		}
	}
	return names
}

// order returns a set of brands in the order of the panel.
func (p *panel) order(set map[string]bool) (names []string) {
	for _, b := range p.Brands {
		if set[b.Name] {
			names = append(names, b.Name)
		}
	}
	return names
}
