package track

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store"
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
		d, err := s.stored(&t.Tracker)
		if err != nil {
			return nil, err
		}
		// Only their numbers are shown.
		d.Prompts, d.Brands = make([]earshot.TrackedPrompt, t.Prompts), make([]earshot.Brand, t.Brands)
		view, err := s.view(ctx, &t.Tracker, d, now)
		if err != nil {
			return nil, err
		}
		view.Definition = nil
		list.Trackers = append(list.Trackers, *view)
	}
	return list, nil
}

// Get shows one tracker with its definition. Returns store.ErrNotFound.
func (s *Service) Get(ctx context.Context, organization, name string, now time.Time) (*earshot.Tracker, error) {
	t, d, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	return s.show(ctx, t, d, now)
}

// show is view with the coming slots, and how reports and exports stand.
func (s *Service) show(ctx context.Context, t *store.Tracker, d *definition, now time.Time) (*earshot.Tracker, error) {
	view, err := s.view(ctx, t, d, now)
	if err != nil {
		return nil, err
	}
	if view.NextSlots, err = nextSlots(t, d.rule); err != nil {
		return nil, err
	}
	return view, s.viewScheduled(ctx, t, d, view)
}

// slotsShown is how many coming slots are listed.
const slotsShown = 5

// nextSlots are the slots for which a tracker's next sweeps are due.
func nextSlots(t *store.Tracker, rule *schedule.Rule) (coming []earshot.ComingSlot, err error) {
	if t.NextSlot == "" || rule == nil {
		return nil, nil
	}
	slot, err := schedule.ParseSlot(t.NextSlot)
	for ok := err == nil; ok && len(coming) < slotsShown; slot, ok = rule.Next(slot) {
		coming = append(coming, earshot.ComingSlot{Slot: slot.String() + " " + rule.Zone(), DueAt: earshot.Timestamp{Time: rule.At(slot)}})
	}
	return coming, err
}

// view is a tracker as clients see it.
func (s *Service) view(ctx context.Context, t *store.Tracker, d *definition, now time.Time) (*earshot.Tracker, error) {
	view := &earshot.Tracker{
		Name: t.Name, State: t.State, Demo: t.Demo, Version: t.Version, Prompts: len(d.Prompts), Targets: len(d.Targets), Brands: len(d.Brands),
		CreatedAt: earshot.Timestamp{Time: t.CreatedAt}, UpdatedAt: earshot.Timestamp{Time: t.UpdatedAt}, NextSweepAt: earshot.When(t.DueAt),
		Cost:       earshot.TrackerCost{Sweep: d.sweepCost(), Ceiling: d.ceiling()},
		Definition: &d.TrackerDefinition,
	}
	view.Cost.Month = view.Cost.Sweep * int64(d.sweepsIn(31, now))
	var err error
	if view.Cost.Committed, err = s.Store.Committed(ctx, t, monthOf(d, now)); err != nil {
		return nil, err
	}
	last, err := s.Store.Sweeps(ctx, t, "", "", 1)
	if err != nil {
		return nil, err
	}
	if len(last) > 0 {
		view.LastSweep = new(sweepView(last[0]))
	}
	return view, nil
}

func sweepView(sweep *store.Sweep) earshot.Sweep {
	view := earshot.Sweep{
		ID: sweep.ID, Slot: sweep.Slot, State: sweep.State, Reason: sweep.Reason, Version: sweep.Version,
		DueAt: earshot.Timestamp{Time: sweep.DueAt}, StartedAt: earshot.When(sweep.StartedAt), EndsAt: earshot.Timestamp{Time: sweep.EndsAt}, ClosedAt: earshot.When(sweep.ClosedAt),
		Progress: earshot.SweepProgress{Planned: sweep.Planned, Submitted: sweep.Submitted, Answered: sweep.Answered, Missing: sweep.Missing},
		Credits:  earshot.SweepCredits{CreditsToCharge: sweep.MaxCost, CreditsCharged: sweep.Charged},
		Repeats:  sweep.Repeats,
	}
	if sweep.Planned > 0 {
		view.Progress.Coverage = float64(sweep.Answered) / float64(sweep.Planned)
	}
	return view
}

// Sweep shows one sweep with the reasons of what is missing. Returns store.ErrNotFound.
func (s *Service) Sweep(ctx context.Context, organization, name, id string) (*earshot.Sweep, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	sweep, err := s.Store.Sweep(ctx, t, id)
	if err != nil {
		return nil, err
	}
	view := sweepView(sweep)
	view.Missing, err = s.Store.MissingReasons(ctx, sweep)
	return &view, err
}

// SweepBody is what a webhook tells of a sweep. Returns store.ErrNotFound.
func (s *Service) SweepBody(ctx context.Context, organization, id string) (*earshot.SweepEvent, error) {
	sweep, err := s.Store.SweepOf(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	t, err := s.Store.TrackerByID(ctx, organization, sweep.Tracker)
	if err != nil {
		return nil, err
	}
	event := &earshot.SweepEvent{Type: earshot.SweepCompleted, Tracker: t.Name, Sweep: sweepView(sweep)}
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
		page.Sweeps = append(page.Sweeps, sweepView(sweep))
	}
	return page, nil
}

// names are what the numbers of a tracker's parts stand for.
type names struct {
	prompts, targets map[int]string
	tags             map[int][]string // of the prompts, as they are now
}

func (s *Service) names(ctx context.Context, t *store.Tracker) (*names, error) {
	prompts, err := s.Store.TrackerPrompts(ctx, t)
	if err != nil {
		return nil, err
	}
	targets, err := s.Store.TrackerTargets(ctx, t)
	if err != nil {
		return nil, err
	}
	n := &names{prompts: map[int]string{}, targets: map[int]string{}, tags: map[int][]string{}}
	for _, p := range prompts {
		n.prompts[p.ID], n.tags[p.ID] = p.Name, tagsOf(p.Definition)
	}
	for _, p := range targets {
		n.targets[p.ID] = p.Name
	}
	return n, nil
}

func (n *names) view(a *store.Answer) earshot.TrackedAnswer {
	return earshot.TrackedAnswer{
		ID: a.ID, Sweep: a.Sweep, PromptID: a.Prompt, Prompt: n.prompts[a.Prompt], Target: n.targets[a.Target], Sample: a.Sample,
		Outcome: a.Outcome, Reason: a.Reason, Surface: a.Surface, Model: a.Model, MadeUp: a.Surface == "lab",
		AskedAt: earshot.Timestamp{Time: a.AskedAt}, FinishedAt: earshot.When(a.FinishedAt), Charged: a.Charged, Attempts: a.Attempts, Result: a.Result,
	}
}

// Answers lists a page of answers, the newest first. before is where it goes on.
func (s *Service) Answers(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until time.Time, before string, limit int) (*earshot.AnswerPage, error) {
	t, filter, known, err := s.filter(ctx, organization, name, q, from, until)
	if err != nil {
		return nil, err
	}
	filter.Before, filter.Limit = before, limit
	answers, next, err := s.Store.Answers(ctx, t, filter)
	if err != nil {
		return nil, err
	}
	page := &earshot.AnswerPage{}
	if next != "" {
		page.NextCursor = &next
	}
	for _, a := range answers {
		page.Answers = append(page.Answers, known.view(a))
	}
	return page, nil
}

// filter is how the store picks the answers that a client asks for.
func (s *Service) filter(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until time.Time) (*store.Tracker, store.AnswerFilter, *names, error) {
	filter := store.AnswerFilter{Prompt: q.PromptID, From: from, Until: until}
	if !from.IsZero() && !until.IsZero() && !from.Before(until) {
		return nil, filter, nil, schema.Invalid("to", "must be after from")
	}
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, filter, nil, err
	}
	if q.Sweep != "" {
		sweep, err := s.Store.Sweep(ctx, t, q.Sweep)
		if err != nil {
			return nil, filter, nil, err
		}
		filter.Sweep = sweep.ID
		if sweep.StartedAt.After(filter.From) {
			filter.From = sweep.StartedAt
		}
		if !sweep.ClosedAt.IsZero() && (filter.Until.IsZero() || sweep.ClosedAt.Before(filter.Until)) {
			filter.Until = sweep.ClosedAt.Add(time.Millisecond)
		}
	}
	known, err := s.names(ctx, t)
	if err != nil {
		return nil, filter, nil, err
	}
	counts, err := s.counted(ctx, t, q)
	if err != nil {
		return nil, filter, nil, err
	}
	text := strings.ToLower(q.Text)
	filter.Match = func(a *store.Answer) bool {
		return (q.Target == "" || known.targets[a.Target] == q.Target) &&
			(q.Outcome == "" || a.Outcome == q.Outcome) && (q.Reason == "" || a.Reason == q.Reason) &&
			(q.Tag == "" || slices.Contains(known.tags[a.Prompt], q.Tag)) &&
			(text == "" || strings.Contains(strings.ToLower(known.prompts[a.Prompt]), text)) && counts(a)
	}
	if q.Brand != "" {
		filter.Choose, err = s.naming(ctx, q.Brand, &answerExport{Service: s, t: t, filter: filter, known: known, expired: time.Now()})
	}
	return t, filter, known, err
}

// naming returns a function that picks the answers that name a brand, by the current rules.
func (s *Service) naming(ctx context.Context, brand string, e *answerExport) (func(context.Context, []*store.Answer) ([]*store.Answer, error), error) {
	rules, err := s.currentRules(ctx, e.t)
	if err != nil {
		return nil, err
	}
	panel, err := s.panelOf(rules)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, some []*store.Answer) (naming []*store.Answer, err error) {
		all, err := e.foundIn(ctx, livePanel{rules.Version, panel}, some)
		for _, one := range all {
			if slices.Contains(one.found.Order(panel), brand) {
				naming = append(naming, one.Answer)
			}
		}
		return naming, err
	}, nil
}

// tagsOf are the tags of a question as it is stored.
func tagsOf(definition []byte) []string {
	var p earshot.TrackedPrompt
	_ = json.Unmarshal(definition, &p) // as it was stored
	return p.Tags
}
