package track

import (
	"cmp"
	"context"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/tracking"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/schedule"
)

// List lists the trackers of an organization.
func (s *Service) List(ctx context.Context, organization string, now time.Time) (*earshot.TrackerList, error) {
	trackers, err := s.Store.TrackerBriefs(ctx, organization)
	if err != nil {
		return nil, err
	}
	list := &earshot.TrackerList{}
	for _, t := range trackers {
		d, err := s.definitions.Of(&t.Tracker)
		if err != nil {
			return nil, err
		}
		// The list shows only how many there are.
		d.Prompts, d.Brands = make([]earshot.TrackedPrompt, t.Prompts), make([]earshot.Brand, t.Brands)
		view, err := s.view(ctx, &t.Tracker, d, now)
		if err != nil {
			return nil, err
		}
		view.Definition, view.OpenAlerts, view.Coverage = nil, &t.OpenAlerts, t.Coverage
		if t.Lead != nil {
			view.Lead = &earshot.Brand{Name: *t.Lead, Own: t.LeadOwn}
		}
		list.Trackers = append(list.Trackers, *view)
	}
	return list, nil
}

// MakeDemo creates a demo tracker. It replaces a demo of the same name, but no other tracker.
func (s *Service) MakeDemo(ctx context.Context, organization, name string, asked earshot.DemoRequest, by account.Actor, now time.Time) (*earshot.DemoMade, error) {
	made, err := s.Make(ctx, organization, name, asked, by, now)
	if err != nil {
		return nil, err
	}
	view, err := s.view(ctx, made.Stored, made.Definition, now)
	if err != nil {
		return nil, err
	}
	made.Tracker = *view
	return &made.DemoMade, nil
}

// Get returns a tracker with its definition. Returns store.ErrNotFound.
func (s *Service) Get(ctx context.Context, organization, name string, now time.Time) (*earshot.Tracker, error) {
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	return s.show(ctx, t, d, now)
}

// show returns view with the next slots and the state of reports and exports.
func (s *Service) show(ctx context.Context, t *tracking.Tracker, d *definition.Definition, now time.Time) (*earshot.Tracker, error) {
	view, err := s.view(ctx, t, d, now)
	if err != nil {
		return nil, err
	}
	if view.NextSlots, err = nextSlots(t, d.Rule); err != nil {
		return nil, err
	}
	if d.Reports != nil {
		if view.Reports, err = s.Status(ctx, t); err != nil {
			return nil, err
		}
	}
	if d.Exports != nil {
		state, err := s.days.State(ctx, t.Organization, t.ID)
		if err != nil {
			return nil, err
		}
		view.Exports = &earshot.ExportStatus{DaysWaiting: state.Waiting, WrittenAt: earshot.When(state.WrittenAt), Error: state.Failure}
	}
	return view, nil
}

// slotsShown is the maximum number of next slots in a view.
const slotsShown = 5

// nextSlots returns the slots of a tracker's next sweeps.
func nextSlots(t *tracking.Tracker, rule *schedule.Rule) (coming []earshot.ComingSlot, err error) {
	if t.NextSlot == "" || rule == nil {
		return nil, nil
	}
	slot, err := schedule.ParseSlot(t.NextSlot)
	for ok := err == nil; ok && len(coming) < slotsShown; slot, ok = rule.Next(slot) {
		coming = append(coming, earshot.ComingSlot{Slot: slot.String() + " " + rule.Zone(), DueAt: earshot.Timestamp{Time: rule.At(slot)}})
	}
	return coming, err
}

// view returns the API view of a tracker.
func (s *Service) view(ctx context.Context, t *tracking.Tracker, d *definition.Definition, now time.Time) (*earshot.Tracker, error) {
	view := &earshot.Tracker{
		Name: t.Name, Title: cmp.Or(d.Title, t.Name), State: t.State, Demo: t.Demo, Version: t.Version, Prompts: len(d.Prompts), Targets: len(d.Targets), Brands: len(d.Brands),
		CreatedAt: earshot.Timestamp{Time: t.CreatedAt}, UpdatedAt: earshot.Timestamp{Time: t.UpdatedAt}, NextSweepAt: earshot.When(t.DueAt), ETag: t.Tag(),
		Cost:       earshot.TrackerCost{Sweep: d.SweepCost(), Ceiling: d.MonthlyCeiling()},
		Definition: &d.TrackerDefinition,
	}
	view.Cost.Month = view.Cost.Sweep * int64(d.SweepsIn(31, now))
	var err error
	if view.Cost.Committed, err = s.Store.Committed(ctx, t, d.Month(now)); err != nil {
		return nil, err
	}
	last, err := s.Store.Sweeps(ctx, t, "", "", 1)
	if err != nil {
		return nil, err
	}
	if len(last) > 0 {
		view.LastSweep = new(answers.SweepView(last[0]))
	}
	return view, nil
}

// Sweep returns a sweep with the reasons of its missing answers. Returns store.ErrNotFound.
func (s *Service) Sweep(ctx context.Context, organization, name, id string) (*earshot.Sweep, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	sweep, err := s.Store.Sweep(ctx, t, id)
	if err != nil {
		return nil, err
	}
	view := answers.SweepView(sweep)
	view.Missing, err = s.Store.MissingReasons(ctx, sweep)
	return &view, err
}

// SweepBody returns the body of a webhook about a sweep. Returns store.ErrNotFound.
func (s *Service) SweepBody(ctx context.Context, organization, id string) (*earshot.SweepEvent, error) {
	sweep, err := s.Store.SweepOf(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	t, err := s.Store.TrackerByID(ctx, organization, sweep.Tracker)
	if err != nil {
		return nil, err
	}
	event := &earshot.SweepEvent{Type: earshot.SweepCompleted, Tracker: t.Name, Sweep: answers.SweepView(sweep)}
	if sweep.State == earshot.SweepSkipped {
		event.Type = earshot.SweepWasSkipped
	}
	event.Sweep.Missing, err = s.Store.MissingReasons(ctx, sweep)
	return event, err
}

// Sweeps lists sweeps of a tracker, the newest first.
func (s *Service) Sweeps(ctx context.Context, organization, name string, state earshot.SweepState, before string, limit int) (*earshot.SweepPage, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	sweeps, err := s.Store.Sweeps(ctx, t, state, before, limit+1)
	if err != nil {
		return nil, err
	}
	page := &earshot.SweepPage{}
	if len(sweeps) > limit {
		sweeps = sweeps[:limit]
		page.NextCursor = &sweeps[limit-1].ID
	}
	for _, sweep := range sweeps {
		page.Sweeps = append(page.Sweeps, answers.SweepView(sweep))
	}
	return page, nil
}
