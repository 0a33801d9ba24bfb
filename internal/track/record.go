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

// record writes the answers of tasks that have ended, for every organization that has
// running sweeps.
func (s *Service) record(ctx context.Context) error {
	followed, err := s.Store.Followed(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range followed {
		// By rules that are new meanwhile the next step does it again.
		if err := s.recordAll(ctx, f); err != nil && !errors.Is(err, tracking.ErrChanged) {
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
		// After the tasks, so that the tracker of each is among them as long as it is
		// waited for.
		trackers, err := s.recorded(ctx, f.Organization)
		if err != nil {
			return err
		}
		var answers []*tracking.Answer
		newest := map[string]int{}
		for _, task := range tasks {
			// A task knows the name only, which a deleted tracker may have left to
			// another one; the task's answer is of one of them.
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

// recorded is a tracker whose answers are recorded, with the rules by which they are
// analysed.
type recorded struct {
	id     string
	newest int // version of its rules
	rules  []ruleset.LivePanel
}

// recorded are the trackers of an organization that have running sweeps, by name.
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

// answerOf is the answer that a task ended with, and what is found in it.
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
	prompt := s.questionOf(task)
	for _, r := range t.rules {
		if found := s.panels.Analyse(a, r, prompt); found != nil {
			a.Analyses = append(a.Analyses, found)
		}
	}
	return a
}

// questionOf is the question that a task asked.
func (s *Service) questionOf(task *store.Task) string {
	asked, err := s.Catalogue.Provider(task.Provider)
	if err != nil {
		return ""
	}
	var fields map[string]json.RawMessage
	var question string
	if json.Unmarshal(task.Request, &fields) == nil {
		_ = json.Unmarshal(fields[asked.Definition().TextField()], &question) // as it was submitted
	}
	return question
}

// failure is why a task gave no answer, in a word.
func failure(stored json.RawMessage) string {
	var e struct {
		Code    earshot.Code            `json:"code"`
		Details earshot.UpstreamDetails `json:"details"`
	}
	_ = json.Unmarshal(stored, &e) // details of another shape have no reason
	switch {
	case e.Details.Reason != "":
		return string(e.Details.Reason)
	case e.Code == earshot.CodeNoCredits:
		return "credits"
	default:
		return "failed"
	}
}
