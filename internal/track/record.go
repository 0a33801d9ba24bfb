package track

import (
	"context"
	"encoding/json"
	"errors"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/ruleset"
)

// record stores the answers of ended tasks for every organization with running sweeps.
func (s *Service) record(ctx context.Context) error {
	followed, err := s.Store.Followed(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range followed {
		// On ErrChanged the rules are newer, and the next step records the answers with them.
		if err := s.recordAll(ctx, f); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Service) recordAll(ctx context.Context, f tracking.Followed) error {
	for ctx.Err() == nil {
		tasks, last, err := s.Store.Ended(ctx, f)
		if err != nil || last == f.Event {
			return err
		}
		// Read after the tasks, so that the trackers include the tracker of each task.
		trackers, err := s.recorded(ctx, f.Organization)
		if err != nil {
			return err
		}
		var answers []*tracking.Answer
		newest := map[string]int{}
		for _, task := range tasks {
			// A task has only the name of its tracker. A deleted tracker and a new one may have
			// the same name; only one of them has a row for this answer.
			for _, t := range trackers[task.Tracker] {
				answers = append(answers, s.answerOf(task, t))
				newest[t.id] = t.newest
			}
		}
		if err := s.Store.Record(f, last, answers, newest); err != nil {
			return err
		}
		f.Event = last
	}
	return nil
}

// recorded is a tracker with the rules that analyse its answers.
type recorded struct {
	id     string
	newest int // newest version of its rules
	rules  []ruleset.LivePanel
}

// recorded returns the trackers of an organization with running sweeps, by name.
func (s *Service) recorded(ctx context.Context, organization string) (map[string][]*recorded, error) {
	ids, err := s.Store.RunningTrackers(ctx, organization)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]*recorded, len(ids))
	for name, same := range ids {
		for _, id := range same {
			newest, rules, err := s.panels.Live(ctx, organization, id)
			if err != nil {
				return nil, err
			}
			found[name] = append(found[name], &recorded{id, newest, rules})
		}
	}
	return found, nil
}

// answerOf returns the answer of an ended task with its analyses.
func (s *Service) answerOf(task *store.Task, t *recorded) *tracking.Answer {
	a := tracking.AnswerOf(task, t.id)
	if task.Status != earshot.StatusCompleted {
		a.Outcome, a.Reason = earshot.OutcomeMissing, failure(task.Error)
		return a
	}
	a.Outcome = earshot.OutcomeAnswered
	if analysis.Refused(task.Result) {
		a.Outcome = earshot.OutcomeRefused
	}
	a.Surface, a.Model = analysis.Origin(task.Result)
	question := s.definitions.Question(task.Provider, task.Request, a.Surface)
	for _, r := range t.rules {
		if found := s.panels.Analyse(a, r, question); found != nil {
			a.Analyses = append(a.Analyses, found)
		}
	}
	return a
}

// BrandsNamed returns the brands that a result names, by the current rules of the job's tracker.
func (s *Service) BrandsNamed(ctx context.Context, job *store.Job, result json.RawMessage) ([]string, error) {
	t, err := s.Store.Tracker(ctx, job.Organization, job.Tracker)
	if err != nil {
		return nil, err
	}
	_, panel, err := s.panels.CurrentPanel(ctx, t)
	if err != nil {
		return nil, err
	}
	found, err := panel.Analyse(result, s.definitions.Question(job.Provider, job.Request, ""))
	if err != nil {
		return nil, err
	}
	return found.Order(panel), nil
}

// failure returns the reason for a failed task as one word.
func failure(stored json.RawMessage) string {
	var e struct {
		Code    earshot.Code            `json:"code"`
		Details earshot.UpstreamDetails `json:"details"`
	}
	_ = json.Unmarshal(stored, &e) // other kinds of details have no reason
	switch {
	case e.Details.Reason != "":
		return string(e.Details.Reason)
	case e.Code == earshot.CodeNoCredits:
		return "credits"
	default:
		return "failed"
	}
}
