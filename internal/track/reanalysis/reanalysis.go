// Package reanalysis analyses the kept answers of a tracker again when its rules change, and
// reports what the new rules changed.
package reanalysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/export"
	"earshot/internal/track/ruleset"
)

// Analyser analyses kept answers again when the rules of a tracker change.
type Analyser struct {
	store       *tracking.Store
	analyses    *analysing.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	exporter    *export.Exporter
	log         *slog.Logger
	wake        func()
}

// NewAnalyser returns an Analyser on a store.
func NewAnalyser(s *store.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter, e *export.Exporter, log *slog.Logger, wake func()) *Analyser {
	return &Analyser{store: tracking.New(s), analyses: analysing.New(s), definitions: d, panels: p, counter: c, exporter: e, log: log, wake: wake}
}

// analyseStep is the number of answers that a step analyses.
const analyseStep = 1000

// RenewRules starts a reanalysis of each tracker whose rules use older code.
func (s *Analyser) RenewRules(ctx context.Context, now time.Time) error {
	trackers, err := s.store.TrackersToAnalyse(ctx, analysis.Version)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range trackers {
		if _, err := s.addRules(ctx, t, account.System(), now); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// addRules adds rules by which all kept answers of a tracker will be analysed. It returns
// store.ErrChanged if the rules were changed at the same time.
func (s *Analyser) addRules(ctx context.Context, t *tracking.Tracker, by account.Actor, now time.Time) (*analysing.Rules, error) {
	known, err := s.analyses.Rules(ctx, t.Organization, t.ID)
	if err != nil {
		return nil, err
	}
	d, err := s.definitions.Of(t)
	if err != nil {
		return nil, err
	}
	brands, err := ruleset.Encode(&d.TrackerDefinition)
	if err != nil {
		return nil, err
	}
	newest := 0
	if len(known) > 0 {
		newest = known[len(known)-1].Version
	}
	r := &analysing.Rules{Brands: brands, Code: analysis.Version}
	if err := s.store.AddRules(t, r, newest, by, now); err != nil {
		return nil, err
	}
	s.wake()
	return r, nil
}

// progress is the part of a reanalysis that is done. The position within the answers is stored
// with the rules.
type progress struct {
	Rules    int // version; the rest is about these rules
	Analysed bool
	Counted  bool
	Moved    *movement
}

// Step does the next step of the work on a tracker's rules and reports whether all is done.
func (s *Analyser) Step(ctx context.Context, t *tracking.Tracker, w *analysing.Work, now time.Time) (done bool, err error) {
	live, err := s.analyses.LiveRules(ctx, t.Organization, t.ID)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(live, func(r *analysing.Rules) bool { return r.FinishedAt.IsZero() })
	if i < 0 {
		return true, nil
	}
	r, p := live[i], progress{}
	if w.State != nil {
		if err := json.Unmarshal(w.State, &p); err != nil {
			return false, fmt.Errorf("read the progress of a reanalysis: %w", err)
		}
	}
	if p.Rules != r.Version {
		p = progress{Rules: r.Version}
		w.Restart()
		if w.Total, err = s.store.CountAnswers(ctx, t.Organization, t.ID); err != nil {
			return false, err
		}
	}
	if done, err = s.next(ctx, t, live, r, &p, now); err != nil {
		return false, fmt.Errorf("analyse answers of tracker %s: %w", t.Name, err)
	}
	if w.Done = r.Done; p.Analysed {
		w.Total = r.Done // the other answers were analysed when they were recorded
	}
	w.State, err = json.Marshal(p)
	return done && i == len(live)-1, err
}

// next continues the reanalysis by some of the live rules, and reports whether it is finished.
func (s *Analyser) next(ctx context.Context, t *tracking.Tracker, live []*analysing.Rules, r *analysing.Rules, p *progress, now time.Time) (done bool, err error) {
	panel, err := s.panels.Panel(r)
	if err != nil {
		return true, s.analyses.FinishRules(r, nil, now) // clients see the error when they read metrics
	}
	if !p.Analysed {
		if p.Analysed, err = s.analyse(ctx, t, r, panel); err != nil || !p.Analysed {
			return false, err
		}
	}
	if !p.Counted { // first, so that metrics are fast from the start
		_, left, err := s.counter.CountRules(ctx, r)
		if p.Counted = left == 0; err != nil || !p.Counted {
			return false, err
		}
	}
	if done, err := s.reportMoved(ctx, live, r, panel, p); err != nil || !done {
		return false, err
	}
	days, err := s.exporter.DaysOfRules(ctx, r, now)
	if err != nil {
		return false, err
	}
	s.log.Info("finished a reanalysis", "tracker", r.Tracker, "rules", r.Version)
	return true, s.analyses.FinishRules(r, days, now)
}

// analyse analyses the next answers and reports whether it has reached the last one. It need not
// look for others afterwards: answers that are recorded after rules were added are analysed by
// these rules at once.
func (s *Analyser) analyse(ctx context.Context, t *tracking.Tracker, r *analysing.Rules, panel *analysis.Panel) (done bool, err error) {
	known, err := s.definitions.Names(ctx, t)
	if err != nil {
		return false, err
	}
	for n := 0; n < analyseStep; {
		answers, err := s.store.Unanalysed(ctx, r, r.Cursor, ruleset.Batch)
		if err != nil || len(answers) == 0 {
			return err == nil, err
		}
		var found []*analysing.Analysis
		for _, a := range answers {
			found = append(found, s.panels.Analyse(a, ruleset.LivePanel{Version: r.Version, Panel: panel}, known.Question(a)))
		}
		if err := s.analyses.SaveAnalyses(r, answers[len(answers)-1].ID, found); err != nil {
			return false, err
		}
		n += len(found)
	}
	return false, nil
}

// Tidy deletes the analyses of rules that are no longer used.
func (s *Analyser) Tidy(ctx context.Context) error {
	trackers, err := s.store.TrackersWithOldRules(ctx)
	if err != nil {
		return err
	}
	for _, t := range trackers {
		for after := uuid.Nil.String(); ctx.Err() == nil; {
			last, err := s.analyses.DeleteOldAnalyses(ctx, t.Organization, t.ID, after)
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

// Rules returns the versions of a tracker's rules, newest first. It returns store.ErrNotFound
// if the tracker does not exist.
func (s *Analyser) Rules(ctx context.Context, organization, name string) (*earshot.RulesList, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	all, err := s.analyses.Rules(ctx, organization, t.ID)
	if err != nil {
		return nil, err
	}
	answers, err := s.store.CountAnswers(ctx, organization, t.ID)
	if err != nil {
		return nil, err
	}
	found := &earshot.RulesList{}
	for _, r := range slices.Backward(all) {
		if r.State == analysing.RulesCurrent {
			found.Current = ruleset.Name(r)
		}
		if len(found.Rules) == maxRules {
			continue
		}
		view, err := rulesView(r, answers)
		if err != nil {
			return nil, err
		}
		found.Rules = append(found.Rules, *view)
	}
	return found, nil
}

// rulesView returns rules as clients see them, for a tracker with that many answers.
func rulesView(r *analysing.Rules, answers int) (*earshot.NamingRule, error) {
	view := &earshot.NamingRule{
		Name: ruleset.Name(r), State: string(r.State), CreatedAt: earshot.Timestamp{Time: r.CreatedAt}, FinishedAt: earshot.When(r.FinishedAt), Analysed: r.Done,
	}
	set, err := ruleset.Decode(r)
	if err != nil {
		return nil, err
	}
	view.Brands, view.Sources = set.Brands, set.Sources
	if r.Report != nil {
		if err := json.Unmarshal(r.Report, &view.Moved); err != nil {
			return nil, fmt.Errorf("read the report of rules %d: %w", r.Version, err)
		}
	}
	view.Answers = answers
	return view, nil
}

// maxRules is the largest number of versions in a list.
const maxRules = 50

// Reanalyse starts a reanalysis of all kept answers of a tracker. It returns
// store.ErrNotFound if the tracker does not exist, and store.ErrChanged if its rules were
// changed at the same time.
func (s *Analyser) Reanalyse(ctx context.Context, organization, name string, by account.Actor, now time.Time) (*earshot.Reanalysis, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	r, err := s.addRules(ctx, t, by, now)
	if err != nil {
		return nil, err
	}
	answers, err := s.store.CountAnswers(ctx, r.Organization, r.Tracker)
	if err != nil {
		return nil, err
	}
	view, err := rulesView(r, answers)
	if err != nil {
		return nil, err
	}
	return &earshot.Reanalysis{Rules: *view}, nil
}
