package track

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/definition"
	"earshot/internal/track/demo"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
)

// applyTries is the maximum number of attempts if others change the tracker at the same time.
const applyTries = 3

// Apply compares a definition with the stored one and, unless dryRun is set, stores it.
// Applying the same definition again changes nothing.
func (s *Service) Apply(ctx context.Context, organization, name string, body []byte, isYAML, dryRun bool, by account.Actor, now time.Time) (*earshot.TrackerApplied, error) {
	d, err := s.definitions.Parse(name, body, isYAML)
	if err != nil {
		return nil, err
	}
	if err := s.CheckNamed(ctx, organization, d); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		applied, err := s.applyOnce(ctx, organization, d, dryRun, by, now)
		if try == applyTries || !errors.Is(err, store.ErrChanged) {
			return applied, err
		}
	}
}

func (s *Service) applyOnce(ctx context.Context, organization string, d *definition.Definition, dryRun bool, by account.Actor, now time.Time) (*earshot.TrackerApplied, error) {
	t, before, prompts, targets, err := s.current(ctx, organization, d.Name, now)
	if err != nil {
		return nil, err
	}
	if err := store.Expect(by, t.Tag()); err != nil { // ApplyTracker checks that this is the version
		return nil, err
	}
	if err := demo.Refuse(t); err != nil {
		return nil, err
	}
	text, err := json.Marshal(d.TrackerDefinition)
	if err != nil {
		return nil, fmt.Errorf("encode the definition: %w", err)
	}
	changes, breaks := definition.Changes(before, &d.TrackerDefinition)
	precise, err := s.Precision(ctx, t, d, now)
	if err != nil {
		return nil, err
	}
	applied := &earshot.TrackerApplied{
		DryRun: dryRun, Created: t.Version == 0, Changed: t.Version == 0 || len(changes) > 0, Changes: changes, Breaks: breaks,
		Precision: precise,
	}
	if applied.Changed {
		version := t.Version
		t.Definition, t.KeepDays, t.NumbersDays, t.UpdatedAt = text, d.KeepDays, d.NumbersDays, now
		if now.Before(t.CreatedAt) { // by another request that began later
			t.UpdatedAt = t.CreatedAt
		}
		s.setNext(t, before, d, now)
		newPrompts := definition.PromptParts(t, prompts, d.Prompts)
		newTargets := definition.TargetParts(t, targets, d.Targets)
		if slices.ContainsFunc(newPrompts, func(p *tracking.TrackerPart) bool { return p.ID > definition.MaxPrompts }) {
			return nil, schema.Invalid("prompts", "a tracker may have at most %d different prompts in its lifetime, including removed prompts; create a new tracker for these", definition.MaxPrompts)
		}
		if !dryRun {
			rules, err := ruleset.Changed(before, d, version == 0, now)
			if err != nil {
				return nil, err
			}
			days, err := s.DaysOfChange(ctx, t, before, d, now)
			if err != nil {
				return nil, err
			}
			if err := s.Store.ApplyTracker(t, version, newPrompts, newTargets, rules, days, by, now); err != nil {
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

// warnings returns warnings about sweeps that will be skipped because of the ceiling.
func warnings(cost earshot.TrackerCost) (all []string) {
	switch {
	case cost.Ceiling == nil:
	case cost.Sweep > *cost.Ceiling:
		all = append(all, fmt.Sprintf("a sweep can cost %d credits, and the monthly ceiling is %d: every sweep will be skipped", cost.Sweep, *cost.Ceiling))
	case cost.Month > *cost.Ceiling:
		all = append(all, fmt.Sprintf("the scheduled sweeps of a month can cost %d credits, and the monthly ceiling is %d: sweeps that could exceed it will be skipped", cost.Month, *cost.Ceiling))
	}
	return all
}

// current returns a stored tracker with its definition, prompts and targets, or a new tracker
// of version 0.
func (s *Service) current(ctx context.Context, organization, name string, now time.Time) (t *tracking.Tracker, d *earshot.TrackerDefinition, prompts, targets []*tracking.TrackerPart, err error) {
	t, err = s.Store.Tracker(ctx, organization, name)
	if errors.Is(err, store.ErrNotFound) {
		return &tracking.Tracker{
			Organization: organization, ID: uuid.Must(uuid.NewV7()).String(), Name: name, State: earshot.TrackerActive, CreatedAt: now,
		}, &earshot.TrackerDefinition{}, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, nil, err
	}
	d = &earshot.TrackerDefinition{}
	if err := json.Unmarshal(t.Definition, d); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("decode the definition of tracker %s: %w", name, err)
	}
	if prompts, err = s.Store.TrackerPrompts(ctx, t); err == nil {
		targets, err = s.Store.TrackerTargets(ctx, t)
	}
	return t, d, prompts, targets, err
}

// setNext sets the next slots of sweeps and reports. If a schedule is unchanged, its slot
// stays: a new definition must not skip a due slot.
func (s *Service) setNext(t *tracking.Tracker, before *earshot.TrackerDefinition, d *definition.Definition, now time.Time) {
	sameSweeps := before.Schedule != nil && d.Schedule != nil && *before.Schedule == *d.Schedule && t.NextSlot != ""
	sameReports := before.Reports != nil && d.Reports != nil && definition.ReportSchedule(before) == definition.ReportSchedule(&d.TrackerDefinition) && t.ReportSlot != ""
	if t.State != earshot.TrackerActive || !sameSweeps {
		t.NextSlot, t.DueAt = next(t, d.Rule, now)
	}
	if t.State != earshot.TrackerActive || !sameReports {
		t.ReportSlot, t.ReportDueAt = next(t, d.ReportRule, now)
	}
}

// next returns the first slot of a rule that is due after a time, or "" if there is none. A
// paused tracker has no next slot.
func next(t *tracking.Tracker, rule *schedule.Rule, after time.Time) (slot string, due time.Time) {
	if rule == nil || t.State != earshot.TrackerActive {
		return "", time.Time{}
	}
	return rule.Due(rule.After(after))
}

// SetState pauses a tracker, or resumes it with the first slot after now; "" keeps its state. It retries while
// others change the tracker at the same time.
func (s *Service) SetState(ctx context.Context, organization, name string, state earshot.TrackerState, by account.Actor, now time.Time) (*earshot.Tracker, error) {
	for {
		view, err := s.setStateOnce(ctx, organization, name, state, by, now)
		if !errors.Is(err, store.ErrChanged) || ctx.Err() != nil {
			return view, err
		}
	}
}

func (s *Service) setStateOnce(ctx context.Context, organization, name string, state earshot.TrackerState, by account.Actor, now time.Time) (*earshot.Tracker, error) {
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	if err := store.Expect(by, t.Tag()); err != nil {
		return nil, err
	}
	if state != "" && t.State != state {
		if err := demo.Refuse(t); err != nil {
			return nil, err
		}
		t.State = state
		t.NextSlot, t.DueAt = next(t, d.Rule, now)
		t.ReportSlot, t.ReportDueAt = next(t, d.ReportRule, now)
		if err := s.Store.SetTrackerState(t, by, now); err != nil {
			return nil, err
		}
		t.UpdatedAt = now
	}
	return s.show(ctx, t, d, now)
}
