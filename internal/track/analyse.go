package track

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/track/analysis"
)

const (
	// analyseBatch is how many kept answers are analysed together, analyseStep how many
	// before other work has its turn.
	analyseBatch = 100
	analyseStep  = 1000
)

// panels keeps the last panels in memory, by tracker and version of the rules.
type panels struct {
	mu   sync.Mutex
	kept map[planKey]*analysis.Panel
}

// maxPanels bounds the memory of panels.
const maxPanels = 64

// panelOf is the panel of rules.
func (s *Service) panelOf(r *store.Rules) (*analysis.Panel, error) {
	key := planKey{r.Tracker, r.Version}
	s.panels.mu.Lock()
	defer s.panels.mu.Unlock()
	if p := s.panels.kept[key]; p != nil {
		return p, nil
	}
	set, err := ruleSetOf(r)
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
	if len(s.panels.kept) >= maxPanels {
		clear(s.panels.kept)
	}
	s.panels.kept[key] = p
	return p, nil
}

// livePanel is a panel by which new answers are analysed.
type livePanel struct {
	version int
	*analysis.Panel
}

// livePanels are those of the rules that are current and of those that are to be. newest
// is the version of the newest rules, 0 for none.
func (s *Service) livePanels(ctx context.Context, organization, tracker string) (newest int, live []livePanel, err error) {
	all, err := s.Store.Rules(ctx, organization, tracker)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range all {
		newest = r.Version
		if r.State == store.RulesOld {
			continue
		}
		p, err := s.panelOf(r)
		if err != nil {
			// Answers are kept all the same.
			s.Log.Warn("answers cannot be analysed", "tracker", tracker, "rules", r.Version, "error", err)
			continue
		}
		live = append(live, livePanel{r.Version, p})
	}
	return newest, live, nil
}

// analyse is what rules find in an answer, nil where it has no result.
func (s *Service) analyse(a *store.Answer, by livePanel, prompt string) *store.Analysis {
	if a.Result == nil {
		return nil
	}
	found, err := by.Analyse(a.Result, prompt)
	if err != nil {
		// One that cannot be read names nobody.
		s.Log.Error("an answer cannot be analysed", "answer", a.ID, "error", err)
		found = &analysis.Found{}
	}
	return a.Analysis(by.version, found.Encode())
}

// newRules are the rules of a definition, nil when its brands and sources are those from before.
func newRules(before *earshot.TrackerDefinition, d *definition, isNew bool, now time.Time) (*store.Rules, error) {
	brands, err := rulesText(&d.TrackerDefinition)
	if err != nil {
		return nil, err
	}
	was, err := rulesText(before)
	if err != nil || !isNew && string(was) == string(brands) {
		return nil, err
	}
	return &store.Rules{Brands: brands, Code: analysis.Code, CreatedAt: now}, nil
}

// renewRules has the answers of trackers analysed again whose rules are of older code.
func (s *Service) renewRules(ctx context.Context, now time.Time) error {
	trackers, err := s.Store.TrackersToAnalyse(ctx, analysis.Code)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range trackers {
		if _, err := s.addRules(ctx, t, now); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// addRules has all kept answers of a tracker analysed anew. Returns store.ErrChanged when
// somebody else does so at the same moment.
func (s *Service) addRules(ctx context.Context, t *store.Tracker, now time.Time) (*store.Rules, error) {
	known, err := s.Store.Rules(ctx, t.Organization, t.ID)
	if err != nil {
		return nil, err
	}
	d, err := s.stored(t)
	if err != nil {
		return nil, err
	}
	brands, err := rulesText(&d.TrackerDefinition)
	if err != nil {
		return nil, err
	}
	newest := 0
	if len(known) > 0 {
		newest = known[len(known)-1].Version
	}
	r := &store.Rules{Brands: brands, Code: analysis.Code}
	if err := s.Store.AddRules(t, r, newest, now); err != nil {
		return nil, err
	}
	s.Wake()
	return r, nil
}

// reanalyse goes on with rules by which answers are still to be analysed. Where it stands
// is stored with what it found, so that any node goes on from there.
func (s *Service) reanalyse(ctx context.Context, now time.Time) error {
	unfinished, err := s.Store.UnfinishedRules(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range unfinished {
		// Another node that is faster goes on with it.
		if err := s.reanalyseSome(ctx, r, now); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, fmt.Errorf("analyse answers of tracker %s: %w", r.Tracker, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Service) reanalyseSome(ctx context.Context, r *store.Rules, now time.Time) error {
	panel, err := s.panelOf(r)
	if err != nil {
		return s.Store.FinishRules(r, nil, now) // numbers tell what is wrong
	}
	prompts, err := s.Store.TrackerPrompts(ctx, &store.Tracker{Organization: r.Organization, ID: r.Tracker})
	if err != nil {
		return err
	}
	questions := map[int]string{}
	for _, p := range prompts {
		questions[p.ID] = p.Name
	}
	for n := 0; n < analyseStep; {
		answers, err := s.Store.Unanalysed(ctx, r, r.Cursor, analyseBatch)
		if err != nil {
			return err
		}
		if len(answers) == 0 && r.Cursor == uuid.Nil.String() {
			// Numbers are read from tallies at once.
			if done, err := s.tallyRules(ctx, r); err != nil || !done {
				return err
			}
			if done, err := s.noteMoved(ctx, r, panel); err != nil || !done {
				return err
			}
			days, err := s.analysedDays(ctx, r, now)
			if err != nil {
				return err
			}
			s.Log.Info("answers are analysed", "tracker", r.Tracker, "rules", r.Version)
			return s.Store.FinishRules(r, days, now)
		}
		// At the end it looks once more from the start: answers may have ended meanwhile.
		cursor := uuid.Nil.String()
		var found []*store.Analysis
		for _, a := range answers {
			cursor = a.ID
			found = append(found, s.analyse(a, livePanel{r.Version, panel}, questions[a.Prompt]))
		}
		if err := s.Store.SaveAnalyses(r, cursor, found); err != nil {
			return err
		}
		n += len(found)
	}
	s.Wake()
	return nil
}

// tidyAnalyses removes what rules found that are no longer used.
func (s *Service) tidyAnalyses(ctx context.Context) error {
	trackers, err := s.Store.TrackersWithOldRules(ctx)
	if err != nil {
		return err
	}
	for _, t := range trackers {
		for after := uuid.Nil.String(); ctx.Err() == nil; {
			last, err := s.Store.DeleteOldAnalyses(ctx, t.Organization, t.ID, after)
			if err != nil {
				return err
			}
			if last == "" {
				break
			}
			after = last
		}
	}
	return nil
}
