package ruleset

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
)

// Panels reads the rules of trackers and analyses answers by them. It caches panels.
type Panels struct {
	store       *analysing.Store
	definitions *definition.Reader
	log         *slog.Logger

	mu    sync.Mutex
	cache map[definition.VersionKey]*analysis.Panel
}

// NewPanels returns Panels on a store.
func NewPanels(s *analysing.Store, d *definition.Reader, log *slog.Logger) *Panels {
	return &Panels{store: s, definitions: d, log: log, cache: map[definition.VersionKey]*analysis.Panel{}}
}

// Batch is the number of answers with results that are read at a time.
const Batch = 100

// maxPanels is the largest number of cached panels.
const maxPanels = 64

// Panel returns the panel of rules.
func (s *Panels) Panel(r *analysing.Rules) (*analysis.Panel, error) {
	key := definition.VersionKey{Tracker: r.Tracker, Version: r.Version}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.cache[key]; p != nil {
		return p, nil
	}
	set, err := Decode(r)
	if err != nil {
		return nil, err
	}
	p, err := analysis.NewPanel(set.Brands, set.Sources...)
	if err != nil {
		return nil, &earshot.Error{
			Code: earshot.CodeConflict, Message: fmt.Sprintf("the tracker's brands cannot be looked for: %s; apply a definition without that", err),
			Details: earshot.ConflictDetails{ID: r.Tracker},
		}
	}
	if len(s.cache) >= maxPanels {
		clear(s.cache)
	}
	s.cache[key] = p
	return p, nil
}

// Current returns the rules that metrics use.
func (s *Panels) Current(ctx context.Context, t *tracking.Tracker) (*analysing.Rules, error) {
	all, err := s.store.LiveRules(ctx, t.Organization, t.ID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(r *analysing.Rules) bool { return r.State == analysing.RulesCurrent }); i >= 0 {
		return all[i], nil
	}
	// The tracker was created by an old version of the service and has no rules yet. Its answers
	// are analysed when they are read.
	d, err := s.definitions.Of(t)
	if err != nil {
		return nil, err
	}
	brands, err := Encode(&d.TrackerDefinition)
	return &analysing.Rules{Organization: t.Organization, Tracker: t.ID, Brands: brands, Code: analysis.Version}, err
}

// CurrentPanel returns the rules that metrics use, and their panel.
func (s *Panels) CurrentPanel(ctx context.Context, t *tracking.Tracker) (*analysing.Rules, *analysis.Panel, error) {
	rules, err := s.Current(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	panel, err := s.Panel(rules)
	return rules, panel, err
}

// LivePanel is the panel of a version of rules by which new answers are analysed.
type LivePanel struct {
	Version int
	*analysis.Panel
}

// Live returns the panels of the current rules and of pending rules. newest is the version of
// the newest rules, or 0 if there are no rules.
func (s *Panels) Live(ctx context.Context, organization, tracker string) (newest int, live []LivePanel, err error) {
	all, err := s.store.LiveRules(ctx, organization, tracker)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range all {
		newest = r.Version
		p, err := s.Panel(r)
		if err != nil {
			// Answers are stored without an analysis.
			s.log.Warn("answers cannot be analysed", "tracker", tracker, "rules", r.Version, "error", err)
			continue
		}
		live = append(live, LivePanel{Version: r.Version, Panel: p})
	}
	return newest, live, nil
}

// Analyse returns the analysis of an answer, or nil if the answer has no result.
func (s *Panels) Analyse(a *tracking.Answer, by LivePanel, q analysis.Question) *analysing.Analysis {
	if a.Result == nil {
		return nil
	}
	found, err := by.Analyse(a.Result, q)
	if err != nil {
		s.log.Error("an answer cannot be analysed", "answer", a.ID, "error", err)
		found = &analysis.Analysis{}
	}
	return a.Analysis(by.Version, found.Encode())
}
