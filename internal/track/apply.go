package track

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/track/schedule"
)

// applyTries is how often a definition is compared anew when somebody else was faster.
const applyTries = 3

// Apply compares a definition with what is there and, unless it is a dry run, stores it.
// The same definition again changes nothing.
func (s *Service) Apply(ctx context.Context, organization, name string, body []byte, isYAML, dryRun bool, now time.Time) (*earshot.TrackerApplied, error) {
	d, err := s.parse(name, body, isYAML)
	if err != nil {
		return nil, err
	}
	if err := s.checkChannels(ctx, organization, d); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		applied, err := s.applyOnce(ctx, organization, d, dryRun, now)
		if try == applyTries || !errors.Is(err, store.ErrChanged) {
			return applied, err
		}
	}
}

func (s *Service) applyOnce(ctx context.Context, organization string, d *definition, dryRun bool, now time.Time) (*earshot.TrackerApplied, error) {
	t, before, prompts, targets, err := s.current(ctx, organization, d.Name)
	if err != nil {
		return nil, err
	}
	if err := refuseDemo(t); err != nil {
		return nil, err
	}
	text, err := json.Marshal(d.TrackerDefinition)
	if err != nil {
		return nil, fmt.Errorf("encode the definition: %w", err)
	}
	changes, breaks := compare(before, &d.TrackerDefinition)
	precise, err := s.precision(ctx, t, d, now)
	if err != nil {
		return nil, err
	}
	applied := &earshot.TrackerApplied{
		DryRun: dryRun, Created: t.Version == 0, Changed: t.Version == 0 || len(changes) > 0, Changes: changes, Breaks: breaks,
		Precision: precise,
	}
	if applied.Changed {
		version := t.Version
		t.Definition, t.KeepDays, t.UpdatedAt = text, d.keepDays, now
		s.setNext(t, before, d, now)
		newPrompts := promptParts(t, prompts, d.Prompts)
		newTargets := targetParts(t, targets, d.Targets)
		if slices.ContainsFunc(newPrompts, func(p *store.TrackerPart) bool { return p.ID > maxPrompts }) {
			return nil, schema.Invalid("prompts", "a tracker may have at most %d different questions in its life: make a new one for these", maxPrompts)
		}
		if !dryRun {
			rules, err := newRules(before, d, version == 0, now)
			if err != nil {
				return nil, err
			}
			days, err := s.daysToExport(ctx, t, before, d, now)
			if err != nil {
				return nil, err
			}
			if err := s.Store.ApplyTracker(t, version, newPrompts, newTargets, rules, days); err != nil {
				return nil, err
			}
			s.Wake()
		}
		t.Version = version + 1
	}
	view, err := s.show(ctx, t, d, now)
	if err != nil {
		return nil, err
	}
	applied.Tracker, applied.Warnings = *view, warnings(view.Cost)
	return applied, nil
}

// warnings say what will come of a definition that may not be meant.
func warnings(cost earshot.TrackerCost) (all []string) {
	switch {
	case cost.Ceiling == nil:
	case cost.Sweep > *cost.Ceiling:
		all = append(all, fmt.Sprintf("a sweep can cost %d credits and the ceiling of a month is %d: every sweep will be skipped", cost.Sweep, *cost.Ceiling))
	case cost.Month > *cost.Ceiling:
		all = append(all, fmt.Sprintf("a month by the schedule can cost %d credits and its ceiling is %d: sweeps that do not fit will be skipped", cost.Month, *cost.Ceiling))
	}
	return all
}

// current is a tracker as it stands, or a new one of version 0.
func (s *Service) current(ctx context.Context, organization, name string) (t *store.Tracker, d *earshot.TrackerDefinition, prompts, targets []*store.TrackerPart, err error) {
	t, err = s.Store.Tracker(ctx, organization, name)
	if errors.Is(err, store.ErrNotFound) {
		now := s.Store.Now()
		return &store.Tracker{
			Organization: organization, ID: uuid.Must(uuid.NewV7()).String(), Name: name, State: earshot.TrackerActive, CreatedAt: now,
		}, &earshot.TrackerDefinition{}, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, nil, err
	}
	d = &earshot.TrackerDefinition{}
	if err := json.Unmarshal(t.Definition, d); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("read the definition of tracker %s: %w", name, err)
	}
	if prompts, err = s.Store.TrackerPrompts(ctx, t); err == nil {
		targets, err = s.Store.TrackerTargets(ctx, t)
	}
	return t, d, prompts, targets, err
}

// setNext finds the slots that are next. One that is due stays so when the schedule is the
// same: a new definition must not skip it.
func (s *Service) setNext(t *store.Tracker, before *earshot.TrackerDefinition, d *definition, now time.Time) {
	sameSweeps := before.Schedule != nil && d.Schedule != nil && *before.Schedule == *d.Schedule && t.NextSlot != ""
	sameReports := before.Reports != nil && d.Reports != nil && reportSchedule(before) == reportSchedule(&d.TrackerDefinition) && t.ReportSlot != ""
	if t.State != earshot.TrackerActive || !sameSweeps {
		t.NextSlot, t.DueAt = next(t, d.rule, now)
	}
	if t.State != earshot.TrackerActive || !sameReports {
		t.ReportSlot, t.ReportDueAt = next(t, d.reports, now)
	}
}

// next is the first slot of a rule that is due after a moment, "" when there is none, as
// for a tracker that is paused.
func next(t *store.Tracker, rule *schedule.Rule, after time.Time) (slot string, due time.Time) {
	if rule == nil || t.State != earshot.TrackerActive {
		return "", time.Time{}
	}
	first, ok := rule.After(after)
	if !ok {
		return "", time.Time{}
	}
	return first.String(), rule.At(first)
}

// promptParts are the questions that are new, changed or gone, with their numbers.
func promptParts(t *store.Tracker, known []*store.TrackerPart, prompts []earshot.TrackedPrompt) []*store.TrackerPart {
	return parts(t, known, prompts, promptKey, func(p earshot.TrackedPrompt, _ map[string]bool) string { return p.Text })
}

// targetParts is promptParts for targets. Their names are unique.
func targetParts(t *store.Tracker, known []*store.TrackerPart, targets []earshot.Target) []*store.TrackerPart {
	return parts(t, known, targets, targetKey, func(target earshot.Target, taken map[string]bool) string {
		name := targetName(target)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", targetName(target), n)
		}
		return name
	})
}

// parts numbers what a definition has: what was there before keeps its number, and
// what is gone is no longer active.
func parts[T any](t *store.Tracker, known []*store.TrackerPart, items []T, key func(T) string, name func(T, map[string]bool) string) []*store.TrackerPart {
	numbers, taken, last := map[string]*store.TrackerPart{}, map[string]bool{}, 0
	for _, part := range known {
		var item T
		_ = json.Unmarshal(part.Definition, &item) // as it was stored
		numbers[key(item)] = part
		taken[part.Name] = true
		last = max(last, part.ID)
		part.Active = false
	}
	var all []*store.TrackerPart
	all = append(all, known...)
	for _, item := range items {
		part := numbers[key(item)]
		if part == nil {
			last++
			part = &store.TrackerPart{Organization: t.Organization, Tracker: t.ID, ID: last, Name: name(item, taken)}
			taken[part.Name] = true
			all = append(all, part)
		}
		part.Active = true
		part.Definition, _ = json.Marshal(item) // our own types
	}
	return all
}

// SetState pauses a tracker or lets it go on with the first slot from now on. It tries
// again for as long as somebody else changes the tracker at the same moment.
func (s *Service) SetState(ctx context.Context, organization, name string, state earshot.TrackerState, now time.Time) (*earshot.Tracker, error) {
	for {
		view, err := s.setStateOnce(ctx, organization, name, state, now)
		if !errors.Is(err, store.ErrChanged) || ctx.Err() != nil {
			return view, err
		}
	}
}

func (s *Service) setStateOnce(ctx context.Context, organization, name string, state earshot.TrackerState, now time.Time) (*earshot.Tracker, error) {
	t, d, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	if t.State != state {
		if err := refuseDemo(t); err != nil {
			return nil, err
		}
		t.State = state
		t.NextSlot, t.DueAt = next(t, d.rule, now)
		t.ReportSlot, t.ReportDueAt = next(t, d.reports, now)
		if err := s.Store.SetTrackerState(t, now); err != nil {
			return nil, err
		}
		t.UpdatedAt = now
	}
	return s.show(ctx, t, d, now)
}

// load finds a tracker and its definition.
func (s *Service) load(ctx context.Context, organization, name string) (*store.Tracker, *definition, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.stored(t)
	return t, d, err
}

// stored is the definition of a tracker. What has become wrong with it since, such as a
// provider that is no longer served, is passed over: its tasks will tell.
func (s *Service) stored(t *store.Tracker) (*definition, error) {
	return s.revive(t.Name, t.Definition)
}

func (s *Service) revive(name string, text []byte) (*definition, error) {
	d := &definition{}
	if err := json.Unmarshal(text, &d.TrackerDefinition); err != nil {
		return nil, fmt.Errorf("read the definition of tracker %s: %w", name, err)
	}
	d.Samples = max(1, d.Samples)
	if d.Schedule != nil {
		d.rule = ruleOf(*d.Schedule)
	}
	if d.Reports != nil {
		d.reports = ruleOf(reportSchedule(&d.TrackerDefinition))
	}
	d.prices = make([]int64, len(d.Targets))
	for i, target := range d.Targets {
		d.prices[i] = s.price(target)
	}
	d.keepDays = cmp.Or(daysOf(d.Keep), defaultKeep)
	return d, nil
}
