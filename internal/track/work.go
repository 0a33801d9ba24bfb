package track

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/review"
)

const (
	// workLease is how long a node that died keeps its work. The lease is renewed well before it ends.
	workLease = 30 * time.Second
	// workAgain is the time until a failed step is tried again.
	workAgain = time.Minute
)

// Work does background work of all trackers, one step at a time, until none is free. Organizations
// take turns with their steps. If a step fails or clock returns an error, Work returns the error.
func (s *Service) Work(ctx context.Context, clock func() (time.Time, error)) error {
	for served := uuid.Nil.String(); ctx.Err() == nil; {
		now, err := clock()
		if err != nil {
			return err
		}
		for _, r := range s.counter.Uncounted() {
			if err := s.analyses.EnterWork(r.Organization, r.Tracker, earshot.WorkCount); err != nil {
				return err
			}
		}
		w, err := s.analyses.ClaimWork(ctx, served, workLease)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case errors.Is(err, store.ErrChanged): // another node was faster
		case err != nil:
			return err
		default:
			served = w.Organization
			if err := s.stepOf(ctx, w, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// stepOf does a step of claimed work and stores the progress.
func (s *Service) stepOf(ctx context.Context, w *analysing.Work, now time.Time) error {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	var renewing sync.WaitGroup
	renewing.Go(func() {
		again(working, workLease/3, nil, func() {
			if s.analyses.RenewWork(w, workLease) != nil {
				cancel()
			}
		})
	})
	done, err := s.do(working, w, now)
	isCut := err != nil && (working.Err() != nil || errors.Is(err, store.ErrChanged))
	cancel()
	renewing.Wait()
	var ended error
	switch {
	case isCut:
		ended = s.analyses.FailStep(w, "", 0)
		err = nil
	case err != nil:
		ended = s.analyses.FailStep(w, shownFailure(err), workAgain)
	default:
		ended = s.analyses.EndStep(w, done)
	}
	if errors.Is(ended, store.ErrChanged) { // another node has the work
		ended = nil
	}
	return errors.Join(err, ended)
}

// shownFailure returns an error as clients see it. Other errors may name what only the operator
// knows.
func shownFailure(err error) string {
	if known, ok := errors.AsType[*earshot.Error](err); ok {
		return known.Message
	}
	return "the step failed; the operator's log has the reason"
}

// do does a step and reports whether the work is done.
func (s *Service) do(ctx context.Context, w *analysing.Work, now time.Time) (done bool, err error) {
	t, err := s.Store.TrackerByID(ctx, w.Organization, w.Tracker)
	if errors.Is(err, store.ErrNotFound) || err == nil && t.State == tracking.TrackerDeleting {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	switch w.Kind {
	case earshot.WorkAnalyse:
		return s.Analyser.Step(ctx, t, w, now)
	case earshot.WorkCount:
		return s.count(ctx, t, w)
	default:
		return s.Reviewer.Step(ctx, t, w, now)
	}
}

// count counts closed sweeps by the current rules. A reanalysis counts them by pending rules.
func (s *Service) count(ctx context.Context, t *tracking.Tracker, w *analysing.Work) (done bool, err error) {
	rules, err := s.panels.Current(ctx, t)
	if err != nil || rules.Version == 0 {
		return true, err
	}
	counted, left, err := s.counter.CountRules(ctx, rules)
	if aggregate.IsTooMany(err) { // clients see the error when they read metrics
		return true, nil
	}
	w.Done += counted
	w.Total = w.Done + left
	return left == 0, err
}

// FindWork enters work that nobody has entered: of a release before this one, or after a change of
// the code.
func (s *Service) FindWork(ctx context.Context) error {
	unfinished, err := s.analyses.UnfinishedRules(ctx)
	errs := []error{err}
	for _, r := range unfinished {
		errs = append(errs, s.analyses.EnterWork(r.Organization, r.Tracker, earshot.WorkAnalyse))
	}
	uncounted, err := s.analyses.RulesToCount(ctx)
	errs = append(errs, err)
	for _, r := range uncounted {
		errs = append(errs, s.analyses.EnterWork(r.Organization, r.Tracker, earshot.WorkCount))
	}
	unreviewed, err := s.Store.TrackersToReview(ctx, review.Code)
	errs = append(errs, err)
	for _, t := range unreviewed {
		errs = append(errs, s.analyses.EnterWork(t.Organization, t.ID, earshot.WorkReview))
	}
	return errors.Join(errs...)
}

// TrackerWork lists the background work of a tracker that is not done. It returns
// store.ErrNotFound if the tracker does not exist.
func (s *Service) TrackerWork(ctx context.Context, organization, name string) (*earshot.TrackerWorkList, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	all, took, err := s.analyses.WorkOf(ctx, organization, t.ID)
	if err != nil {
		return nil, err
	}
	list := &earshot.TrackerWorkList{}
	for i, w := range all {
		view := earshot.TrackerWork{Kind: w.Kind, State: earshot.WorkRunning, Done: w.Done, Error: w.Error}
		switch {
		case w.Error != "":
			view.State = earshot.WorkFailed
		case w.BeganAt.IsZero():
			view.State = earshot.WorkWaiting
		case w.Done > 0 && w.Total > w.Done:
			view.SecondsLeft = new(int(took[i].Seconds() * float64(w.Total-w.Done) / float64(w.Done)))
		}
		if w.Total > 0 {
			view.Total = new(w.Total)
		}
		list.Work = append(list.Work, view)
	}
	return list, nil
}
