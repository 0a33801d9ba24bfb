package ruleset

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
)

// Panels finds the rules of trackers and analyses answers by them. It keeps the last
// panels in memory, by tracker and version of the rules.
type Panels struct {
	store       *tracking.Store
	definitions *definition.Reader
	log         *slog.Logger

	mu   sync.Mutex
	kept map[definition.VersionKey]*analysis.Panel
}

// NewPanels returns Panels on a store.
func NewPanels(s *tracking.Store, d *definition.Reader, log *slog.Logger) *Panels {
	return &Panels{store: s, definitions: d, log: log, kept: map[definition.VersionKey]*analysis.Panel{}}
}

// Batch is how many kept answers are read with their results together.
const Batch = 100

// maxPanels bounds the memory of panels.
const maxPanels = 64

// Panel is the panel of rules.
func (s *Panels) Panel(r *tracking.Rules) (*analysis.Panel, error) {
	key := definition.VersionKey{Tracker: r.Tracker, Version: r.Version}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.kept[key]; p != nil {
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
	if len(s.kept) >= maxPanels {
		clear(s.kept)
	}
	s.kept[key] = p
	return p, nil
}

// Current are those that numbers are read by.
func (s *Panels) Current(ctx context.Context, t *tracking.Tracker) (*tracking.Rules, error) {
	all, err := s.store.Rules(ctx, t.Organization, t.ID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(r *tracking.Rules) bool { return r.State == tracking.RulesCurrent }); i >= 0 {
		return all[i], nil
	}
	// A tracker of an older version of the service; its answers are analysed as they are read.
	d, err := s.definitions.Of(t)
	if err != nil {
		return nil, err
	}
	brands, err := Encode(&d.TrackerDefinition)
	return &tracking.Rules{Organization: t.Organization, Tracker: t.ID, Brands: brands, Code: analysis.Code}, err
}

// CurrentPanel is that by which numbers are read.
func (s *Panels) CurrentPanel(ctx context.Context, t *tracking.Tracker) (*tracking.Rules, *analysis.Panel, error) {
	rules, err := s.Current(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	panel, err := s.Panel(rules)
	return rules, panel, err
}

// LivePanel is a panel by which new answers are analysed.
type LivePanel struct {
	Version int
	*analysis.Panel
}

// Live are those of the rules that are current and of those that are to be. newest
// is the version of the newest rules, 0 for none.
func (s *Panels) Live(ctx context.Context, organization, tracker string) (newest int, live []LivePanel, err error) {
	all, err := s.store.Rules(ctx, organization, tracker)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range all {
		newest = r.Version
		if r.State == tracking.RulesOld {
			continue
		}
		p, err := s.Panel(r)
		if err != nil {
			// Answers are kept all the same.
			s.log.Warn("answers cannot be analysed", "tracker", tracker, "rules", r.Version, "error", err)
			continue
		}
		live = append(live, LivePanel{Version: r.Version, Panel: p})
	}
	return newest, live, nil
}

// Analyse is what rules find in an answer, nil where it has no result.
func (s *Panels) Analyse(a *tracking.Answer, by LivePanel, prompt string) *tracking.Analysis {
	if a.Result == nil {
		return nil
	}
	found, err := by.Analyse(a.Result, prompt)
	if err != nil {
		// One that cannot be read names nobody.
		s.log.Error("an answer cannot be analysed", "answer", a.ID, "error", err)
		found = &analysis.Found{}
	}
	return a.Analysis(by.Version, found.Encode())
}
