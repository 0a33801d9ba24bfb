// Package demo creates demo trackers, whose answers are made up by the lab.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// Maker creates demo trackers.
type Maker struct {
	store       *tracking.Store
	catalogue   *provider.Catalogue
	definitions *definition.Reader
	panels      *ruleset.Panels
	lab         func(*lab.World) (*upstream.Client, error)
	busy        chan struct{} // semaphore: one demo at a time
}

// NewMaker returns a Maker.
func NewMaker(s *tracking.Store, catalogue *provider.Catalogue, d *definition.Reader, p *ruleset.Panels, open func(*lab.World) (*upstream.Client, error)) *Maker {
	return &Maker{s, catalogue, d, p, open, make(chan struct{}, 1)}
}

const (
	// demoBatch is the number of sweeps per transaction, so that no transaction blocks others
	// for long.
	demoBatch = 5
	// demoOdd is the minimum number of days for a demo with a missed and a skipped sweep.
	demoOdd = 7
	// demoTries is the maximum number of attempts for an answer.
	demoTries = 5
)

// Make creates a demo tracker with a history of sweeps. No task runs, and nothing is charged.
// Make replaces a demo of the same name, but no other tracker.
func (s *Maker) Make(ctx context.Context, organization, name string, asked earshot.DemoRequest, by account.Actor, now time.Time) (*Demo, error) {
	select {
	case s.busy <- struct{}{}: // a demo uses all processors for seconds
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h, err := s.beginDemo(ctx, organization, name, asked, by, now)
	if err != nil {
		return nil, err
	}
	defer h.client.Close()
	if err := h.fill(ctx); err != nil {
		return nil, errors.Join(err, s.store.DeleteTracker(context.WithoutCancel(ctx), organization, name, by, now))
	}
	return &Demo{h.made, h.tracker, h.plan.Definition}, nil
}

// Demo is a created demo tracker.
type Demo struct {
	earshot.DemoMade // without its tracker
	Stored           *tracking.Tracker
	Definition       *definition.Definition
}

// Refuse returns an error for a demo, which cannot be run or changed: real answers must not
// mix with made-up answers.
func Refuse(t *tracking.Tracker) error {
	if !t.Demo {
		return nil
	}
	return errDemo(t.Name, "is a demo with made-up answers: it cannot be run or changed, only deleted or created again")
}

func errDemo(name, why string) error {
	return &earshot.Error{Code: earshot.CodeConflict, Message: fmt.Sprintf("the tracker %s %s", name, why), Details: earshot.ConflictDetails{ID: name}}
}

// history is a demo that is being created.
type history struct {
	*Maker
	tracker  *tracking.Tracker
	plan     *definition.Plan
	names    *definition.PartNames
	slots    []schedule.Slot
	requests []provider.Request // one for each cell of the plan
	rules    []ruleset.LivePanel
	client   *upstream.Client
	made     earshot.DemoMade
}

// beginDemo stores a tracker without sweeps, and deletes an existing demo of that name.
func (s *Maker) beginDemo(ctx context.Context, organization, name string, asked earshot.DemoRequest, by account.Actor, now time.Time) (*history, error) {
	d, err := s.demoDefinition(name, asked.Prompts)
	if err != nil {
		return nil, err
	}
	existing, err := s.store.Tracker(ctx, organization, name)
	if err == nil {
		if !existing.Demo {
			return nil, errDemo(name, "is not a demo; choose another name, or delete it first")
		}
		err = s.store.DeleteTracker(ctx, organization, name, by, now)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	h := &history{Maker: s, slots: pastSlots(d.Rule, asked.Days, now)}
	first := d.Rule.At(h.slots[0]).Add(-time.Hour)
	text, err := json.Marshal(d.TrackerDefinition)
	if err != nil {
		return nil, fmt.Errorf("encode the definition: %w", err)
	}
	h.tracker = &tracking.Tracker{
		Organization: organization, ID: uuid.Must(uuid.NewV7()).String(), Name: name, State: earshot.TrackerPaused, Demo: true,
		Definition: text, KeepDays: d.KeepDays, NumbersDays: d.NumbersDays, CreatedAt: first, UpdatedAt: first,
	}
	world := demoWorld(h.slots[len(h.slots)*2/3].String()[:len(time.DateOnly)])
	shift := world.Shifts[0]
	h.made.Shift = earshot.DemoShift{Day: shift.Day, Brand: shift.Brand, From: world.Brands[0].Rate, To: shift.Rate}
	if h.client, err = s.lab(world); err != nil {
		return nil, err
	}
	rules, err := ruleset.Changed(&earshot.TrackerDefinition{}, d, true, first)
	if err == nil {
		err = s.store.ApplyTracker(h.tracker, 0, definition.PromptParts(h.tracker, nil, d.Prompts), definition.TargetParts(h.tracker, nil, d.Targets), rules, nil, by, now)
	}
	if err != nil {
		h.client.Close()
		return nil, err
	}
	return h, nil
}

// pastSlots returns the last n slots of a rule whose windows have ended.
func pastSlots(rule *schedule.Rule, n int, now time.Time) (slots []schedule.Slot) {
	slot, ok := rule.After(now.AddDate(0, 0, -n-2))
	for ; ok && !rule.At(slot).Add(rule.Within).After(now); slot, ok = rule.Next(slot) {
		slots = append(slots, slot)
	}
	return slots[max(0, len(slots)-n):]
}

// fill stores the sweeps, the oldest first.
func (h *history) fill(ctx context.Context) error {
	if err := h.prepare(ctx); err != nil {
		return err
	}
	for first := 0; first < len(h.slots); first += demoBatch {
		var sweeps []*tracking.Sweep
		var answers []*tracking.Answer
		for i := first; i < min(first+demoBatch, len(h.slots)); i++ {
			sweep, asked, err := h.sweep(ctx, i)
			if err != nil {
				return err
			}
			sweeps, answers = append(sweeps, sweep), append(answers, asked...)
			h.made.Sweeps++
			h.made.Answers += sweep.Answered
			h.made.Missing += sweep.Missing
		}
		if err := h.store.InsertHistory(h.tracker, sweeps, answers); err != nil {
			return err
		}
	}
	return nil
}

// prepare reads the plan, the rules and the requests of the sweeps.
func (h *history) prepare(ctx context.Context) (err error) {
	if h.plan, err = h.definitions.Plan(ctx, h.tracker, h.tracker.Version); err != nil {
		return err
	}
	if h.names, err = h.definitions.Names(ctx, h.tracker); err != nil {
		return err
	}
	if _, h.rules, err = h.panels.Live(ctx, h.tracker.Organization, h.tracker.ID); err != nil {
		return err
	}
	for _, c := range h.plan.Cells {
		payload, err := h.plan.Payload(c)
		if err != nil {
			return err
		}
		request, problems := definition.DecodeRequest(h.plan.Providers[c.TargetIndex], payload)
		if problems != nil {
			return fmt.Errorf("a request of the demo is not valid: %v", problems)
		}
		h.requests = append(h.requests, request)
	}
	return nil
}

// sweep makes up the sweep of a slot.
func (h *history) sweep(ctx context.Context, i int) (*tracking.Sweep, []*tracking.Answer, error) {
	slot, rule := h.slots[i], h.plan.Definition.Rule
	due := rule.At(slot)
	sweep := &tracking.Sweep{
		Organization: h.tracker.Organization, Tracker: h.tracker.ID, ID: definition.NewID(due), Slot: slot.String() + " " + rule.Zone(),
		State: earshot.SweepClosed, Version: h.tracker.Version, Month: slot.Month(), DueAt: due, EndsAt: due.Add(rule.Within), Planned: len(h.plan.Cells),
	}
	if n := len(h.slots); n >= demoOdd && (i == n/4 || i == n/2) {
		sweep.State, sweep.ClosedAt = earshot.SweepMissed, sweep.EndsAt
		if i == n/2 {
			sweep.State, sweep.Reason, sweep.ClosedAt = earshot.SweepSkipped, tracking.ReasonCeiling, due
		}
		return sweep, nil, nil
	}
	sweep.StartedAt = due
	answers := make([]*tracking.Answer, len(h.plan.Cells))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range h.plan.Cells {
		group.Go(func() (err error) {
			answers[n], err = h.answer(ctx, sweep, n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for _, a := range answers {
		sweep.Submitted++
		if a.Outcome == earshot.OutcomeAnswered {
			sweep.Answered++
		} else {
			sweep.Missing++
		}
		if a.FinishedAt.After(sweep.ClosedAt) {
			sweep.ClosedAt = a.FinishedAt
		}
	}
	return sweep, answers, nil
}

// answer makes up the answer of a cell in a sweep: the provider parses a document of the
// lab. About one in fifty answers is missing.
func (h *history) answer(ctx context.Context, sweep *tracking.Sweep, n int) (*tracking.Answer, error) {
	c := h.plan.Cells[n]
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s/%d/%d/%d", sweep.Slot, c.Prompt, c.Target, c.Sample) // never fails
	chance := definition.Mix(hash.Sum64())
	asked := c.AskedAt(sweep.DueAt, sweep.EndsAt).Truncate(time.Millisecond)
	a := &tracking.Answer{
		Organization: h.tracker.Organization, Tracker: h.tracker.ID, ID: definition.NewID(asked), Sweep: sweep.ID, Prompt: c.Prompt, Target: c.Target, Sample: c.Sample,
		Outcome: earshot.OutcomeAnswered, AskedAt: asked, FinishedAt: asked.Add(time.Duration(2000+chance%9000) * time.Millisecond), Attempts: 1,
	}
	if reason := demoFailure(chance); reason != "" {
		a.Outcome, a.Reason, a.Attempts, a.FinishedAt = earshot.OutcomeMissing, string(reason), demoTries, asked.Add(5*time.Minute)
		return a, nil
	}
	var err error
	if a.Result, err = h.ask(ctx, n, fmt.Sprintf("%s/%d", sweep.Slot[:len(time.DateOnly)], c.Sample)); err != nil {
		return nil, err
	}
	a.Surface, a.Model = analysis.Origin(a.Result)
	for _, r := range h.rules {
		a.Analyses = append(a.Analyses, h.panels.Analyse(a, r, h.names.Question(a)))
	}
	return a, nil
}

// ask asks the lab. On a busy machine even parsing the lab's pages may time out, so ask
// retries as often as a task does.
func (h *history) ask(ctx context.Context, n int, sample string) ([]byte, error) {
	for try := 1; ; try++ {
		outcome, err := h.requests[n].Ask(ctx, h.client.NewSample(sample))
		if err == nil {
			return json.Marshal(outcome.Result)
		}
		if failure, ok := errors.AsType[*upstream.Failure](err); !ok || failure.Final || try == demoTries {
			return nil, fmt.Errorf("make up an answer: %w", err)
		}
	}
}

// demoFailure returns the reason why an answer is missing, or "" for most answers.
func demoFailure(chance uint64) earshot.Reason {
	switch n := chance >> 20 % 1000; {
	case n < 14:
		return earshot.ReasonBlocked
	case n < 20:
		return earshot.ReasonTimeout
	default:
		return ""
	}
}
