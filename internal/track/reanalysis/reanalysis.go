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
	moves       moves
}

// NewAnalyser returns an Analyser on a store.
func NewAnalyser(s *store.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter, e *export.Exporter, log *slog.Logger, wake func()) *Analyser {
	return &Analyser{store: tracking.New(s), analyses: analysing.New(s), definitions: d, panels: p, counter: c, exporter: e, log: log, wake: wake, moves: moves{unfinished: map[definition.VersionKey]*movement{}}}
}

// analyseStep is the number of answers that are analysed before other work gets its turn.
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

// Step continues the analysis of answers by pending rules. Progress is stored with the
// analyses, so that any node can continue.
func (s *Analyser) Step(ctx context.Context, now time.Time) error {
	unfinished, err := s.analyses.UnfinishedRules(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range unfinished {
		// ErrChanged means that another node was faster.
		if err := s.reanalyseSome(ctx, r, now); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, fmt.Errorf("analyse answers of tracker %s: %w", r.Tracker, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Analyser) reanalyseSome(ctx context.Context, r *analysing.Rules, now time.Time) error {
	panel, err := s.panels.Panel(r)
	if err != nil {
		return s.analyses.FinishRules(r, nil, now) // clients see the error when they read metrics
	}
	known, err := s.definitions.Names(ctx, &tracking.Tracker{Organization: r.Organization, ID: r.Tracker})
	if err != nil {
		return err
	}
	for n := 0; n < analyseStep; {
		answers, err := s.store.Unanalysed(ctx, r, r.Cursor, ruleset.Batch)
		if err != nil {
			return err
		}
		if len(answers) == 0 && r.Cursor == uuid.Nil.String() {
			// Store the tallies first, so that metrics are fast from the start.
			if done, err := s.counter.TallyRules(ctx, r); err != nil || !done {
				return err
			}
			if done, err := s.reportMoved(ctx, r, panel); err != nil || !done {
				return err
			}
			days, err := s.exporter.DaysOfRules(ctx, r, now)
			if err != nil {
				return err
			}
			s.log.Info("finished a reanalysis", "tracker", r.Tracker, "rules", r.Version)
			return s.analyses.FinishRules(r, days, now)
		}
		// After the last batch the search restarts from the beginning, because other answers may
		// have arrived in the meantime.
		cursor := uuid.Nil.String()
		var found []*analysing.Analysis
		for _, a := range answers {
			cursor = a.ID
			found = append(found, s.panels.Analyse(a, ruleset.LivePanel{Version: r.Version, Panel: panel}, known.Question(a)))
		}
		if err := s.analyses.SaveAnalyses(r, cursor, found); err != nil {
			return err
		}
		n += len(found)
	}
	s.wake()
	return nil
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
