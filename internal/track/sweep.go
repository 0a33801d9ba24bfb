package track

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/demo"
	"earshot/internal/track/schedule"
)

const (
	// dueBatch is the maximum number of sweeps that one step starts.
	dueBatch = 100
	// submitBatch is the maximum number of tasks in one transaction.
	submitBatch = 500
	// manualWindow is the time limit of a sweep that was started manually.
	manualWindow = 24 * time.Hour
	// taskKey is the key id of tasks that a tracker submits.
	taskKey = "tracker"
)

// startDue starts the due sweeps.
func (s *Service) startDue(ctx context.Context, now time.Time) error {
	due, err := s.Store.DueTrackers(ctx, now, dueBatch)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range due {
		// On ErrChanged another node has already started the sweep.
		if err := s.startOne(t, now); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// startOne starts the due sweep of a tracker. Sweeps whose window is over are stored as missed.
func (s *Service) startOne(t *tracking.Tracker, now time.Time) error {
	d, err := s.definitions.Of(t)
	if err != nil {
		return err
	}
	if d.Rule == nil {
		t.NextSlot, t.DueAt = "", time.Time{}
		return s.Store.SetTrackerState(t, account.System(), now)
	}
	slot, err := schedule.ParseSlot(t.NextSlot)
	if err != nil {
		return err
	}
	for {
		next, due := d.Rule.Due(d.Rule.Next(slot))
		at := d.Rule.At(slot)
		sweep := s.newSweep(t, d, slot.String()+" "+d.Rule.Zone(), slot.Month(), at, at.Add(d.Rule.Within), now)
		if !now.Before(sweep.EndsAt) {
			sweep.State, sweep.StartedAt, sweep.ClosedAt = earshot.SweepMissed, time.Time{}, now
		}
		started, err := s.Store.StartSweep(t, sweep, d.MonthlyCeiling(), d.WebhookURL(), next, due, nil, account.System(), now)
		if err != nil {
			return err
		}
		s.logSweep(&started.Sweep)
		if due.IsZero() || due.After(now) {
			return nil
		}
		t.NextSlot = next
		if slot, err = schedule.ParseSlot(next); err != nil {
			return err
		}
	}
}

// logSweep logs the state of a new sweep. A skipped sweep has a webhook.
func (s *Service) logSweep(sweep *tracking.Sweep) {
	s.Log.Info("sweep", "tracker", sweep.Tracker, "sweep", sweep.ID, "slot", sweep.Slot, "state", sweep.State)
	if sweep.State == earshot.SweepSkipped {
		s.Planned()
	}
}

func (s *Service) newSweep(t *tracking.Tracker, d *definition.Definition, slot, month string, due, ends, now time.Time) tracking.Sweep {
	return tracking.Sweep{
		ID: uuid.Must(uuid.NewV7()).String(), Slot: slot, State: earshot.SweepRunning, Version: t.Version, Month: month, DueAt: due, StartedAt: now, EndsAt: ends,
		Planned: len(d.Prompts) * len(d.Targets) * d.Samples, MaxCost: d.SweepCost(),
	}
}

// RunNow starts a sweep at once, or repeats the newest closed sweep. A call with the same
// idempotency key returns the same sweep. RunNow retries while others change the tracker at
// the same time.
func (s *Service) RunNow(ctx context.Context, organization, name string, request earshot.SweepRequest, by account.Actor, now time.Time) (*earshot.SweepStarted, error) {
	key := cmp.Or(request.IdempotencyKey, uuid.NewString())
	for {
		t, d, err := s.definitions.Load(ctx, organization, name)
		if err != nil {
			return nil, err
		}
		if err := demo.Refuse(t); err != nil {
			return nil, err
		}
		sweep := s.newSweep(t, d, tracking.ManualSlot+key, d.Month(now), now, now.Add(manualWindow), now)
		if request.Repeat {
			sweep.Repeats = tracking.RepeatNewest
		}
		started, err := s.Store.StartSweep(t, sweep, d.MonthlyCeiling(), d.WebhookURL(), t.NextSlot, t.DueAt, startedView, by, now)
		if errors.Is(err, store.ErrChanged) && ctx.Err() == nil {
			continue
		}
		if err == nil && started.Existed && (started.Repeats != "") != request.Repeat {
			err = errOtherSweep
		}
		if err != nil {
			return nil, explainRefused(err, name)
		}
		if !started.Existed {
			s.logSweep(&started.Sweep)
			s.Wake()
		}
		view, _ := startedView(&started).(*earshot.SweepStarted) // always the type
		return view, nil
	}
}

func startedView(started *tracking.StartedSweep) any {
	return &earshot.SweepStarted{Sweep: answers.SweepView(&started.Sweep), Replayed: started.Existed}
}

// errOtherSweep is returned if the key belongs to a sweep with another value of repeat.
var errOtherSweep = errors.New("the key belongs to another sweep")

// explainRefused returns an error for users if a sweep cannot be started manually.
func explainRefused(err error, name string) error {
	var text string
	switch {
	case errors.Is(err, tracking.ErrSweepRuns):
		text = "a sweep of the tracker %s is running; repeat it when it is closed"
	case errors.Is(err, tracking.ErrSweepsRun):
		text = "too many sweeps of the tracker %s are running; wait until one is closed, or cancel one"
	case errors.Is(err, tracking.ErrNothingToRepeat):
		text = "the tracker %s has no closed sweep to repeat; run a sweep first"
	case errors.Is(err, errOtherSweep):
		text = "the idempotencyKey was already used for a sweep of the tracker %s with another value of repeat; use another key"
	default:
		return err
	}
	return &earshot.Error{Code: earshot.CodeConflict, Message: fmt.Sprintf(text, name), Details: earshot.ConflictDetails{ID: name}}
}

// Cancel cancels a sweep. Its queued tasks are removed; its running tasks continue.
func (s *Service) Cancel(ctx context.Context, organization, name, id string, by account.Actor, now time.Time) (*earshot.SweepCancelResult, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	sweep, err := s.Store.Sweep(ctx, t, id)
	if err != nil {
		return nil, err
	}
	if sweep.State != earshot.SweepRunning {
		return nil, &earshot.Error{
			Code: earshot.CodeConflict, Message: fmt.Sprintf("only a running sweep can be canceled; this one is %s", sweep.State),
			Details: earshot.ConflictDetails{ID: sweep.ID},
		}
	}
	cleared, err := s.Store.CancelSweep(t, sweep, by, now)
	if err != nil {
		return nil, err
	}
	s.Wake()
	if sweep, err = s.Store.Sweep(ctx, t, id); err != nil {
		return nil, err
	}
	return &earshot.SweepCancelResult{Sweep: answers.SweepView(sweep), Cleared: cleared}, nil
}

// advance submits the due tasks of running sweeps, ends sweeps whose window is over, and closes
// sweeps that have no open tasks.
func (s *Service) advance(ctx context.Context, now time.Time) error {
	running, err := s.Store.RunningSweeps(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, sweep := range running {
		if ctx.Err() != nil {
			break
		}
		if err := s.advanceOne(ctx, sweep, now); err != nil {
			errs = append(errs, fmt.Errorf("sweep %s: %w", sweep.ID, err))
		}
	}
	return errors.Join(errs...)
}

// recordLost records the answers of tasks that were removed from the queue as missing.
func (s *Service) recordLost(ctx context.Context, now time.Time) error {
	running, err := s.Store.RunningSweeps(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, sweep := range running {
		if sweep.Answered+sweep.Missing < sweep.Submitted {
			_, err := s.Store.RecordLost(ctx, sweep, now)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Service) advanceOne(ctx context.Context, sweep *tracking.Sweep, now time.Time) error {
	t, err := s.Store.TrackerByID(ctx, sweep.Organization, sweep.Tracker)
	if err != nil {
		return err
	}
	p, err := s.definitions.Plan(ctx, t, sweep.Version)
	if err != nil {
		return err
	}
	open := now.Before(sweep.EndsAt) && sweep.Reason == ""
	if open && sweep.Submitted < sweep.Planned {
		if err := s.submit(ctx, t, p, sweep, now); err != nil {
			return err
		}
	}
	ended := sweep.Answered + sweep.Missing
	if ended < sweep.Submitted {
		if !open {
			_, err = s.Store.EndSweep(sweep, cmp.Or(sweep.Reason, tracking.ReasonExpired), now)
		}
		return err
	}
	if open && sweep.Submitted < sweep.Planned {
		return nil
	}
	state := earshot.SweepClosed
	if sweep.Reason == tracking.ReasonCanceled {
		state = earshot.SweepCanceled
	}
	closed, err := s.Store.CloseSweep(sweep, state, p.Definition.WebhookURL(), now)
	if closed {
		s.Log.Info("sweep ended", "tracker", t.Name, "sweep", sweep.ID, "state", state, "answered", sweep.Answered, "planned", sweep.Planned)
		s.Planned()
		s.Wake()
	}
	return err
}

// submit queues the tasks of due cells until the queue is full.
func (s *Service) submit(ctx context.Context, t *tracking.Tracker, p *definition.Plan, sweep *tracking.Sweep, now time.Time) error {
	start, end := sweep.StartedAt, sweep.EndsAt
	if sweep.Manual() {
		start = end // all cells are due at once
	}
	for ctx.Err() == nil {
		due := min(p.Due(start, end, now), sweep.Submitted+submitBatch)
		if due <= sweep.Submitted {
			return nil
		}
		tasks, answers, err := s.tasks(t, p, sweep, p.Cells[sweep.Submitted:due], now)
		if err != nil {
			return err
		}
		n, err := s.Store.SubmitSweep(sweep, tasks, answers, now)
		if err != nil || n == 0 {
			return err
		}
		s.Jobs.Wake()
		if sweep.Submitted += n; n < len(tasks) {
			return nil // the queue is full
		}
	}
	return nil
}

// tasks returns the jobs of cells, and the rows of their answers.
func (s *Service) tasks(t *tracking.Tracker, p *definition.Plan, sweep *tracking.Sweep, cells []definition.Cell, now time.Time) (tasks []store.Job, answers []*tracking.Answer, err error) {
	asked := now
	if asked.Before(sweep.StartedAt) { // this node read its clock before another node started the sweep
		asked = sweep.StartedAt
	}
	for _, c := range cells {
		payload, err := p.Payload(c)
		if err != nil {
			return nil, nil, err
		}
		id := uuid.Must(uuid.NewV7()).String()
		tasks = append(tasks, store.Job{
			ID: id, Organization: t.Organization, KeyID: taskKey, Provider: p.Definition.Targets[c.TargetIndex].Provider, Request: payload,
			MaxCost: p.Definition.Prices[c.TargetIndex], CreatedAt: asked, Tracker: t.Name,
		})
		answers = append(answers, &tracking.Answer{
			Organization: t.Organization, Tracker: t.ID, ID: id, Sweep: sweep.ID, Prompt: c.Prompt, Target: c.Target, Sample: c.Sample,
			Outcome: earshot.OutcomePending, AskedAt: asked,
		})
	}
	return tasks, answers, nil
}
