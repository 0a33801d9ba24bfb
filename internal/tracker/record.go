package tracker

import (
	"context"
	"encoding/json"
	"errors"

	"earshot"
	"earshot/internal/store"
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
		if err := s.recordAll(ctx, f); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Service) recordAll(ctx context.Context, f store.Followed) error {
	trackers := map[string]*recorded{} // by name
	for ctx.Err() == nil {
		tasks, last, err := s.Store.Ended(ctx, f)
		if err != nil || last == f.Event {
			return err
		}
		var answers []*store.Answer
		for _, task := range tasks {
			t, err := s.recorded(ctx, trackers, task)
			if err != nil {
				return err
			}
			if t.id != "" {
				answers = append(answers, s.answerOf(task, t))
			}
		}
		if err := s.Store.Record(f, last, answers); err != nil {
			return err
		}
		f.Event = last
	}
	return nil
}

// recorded is a tracker whose answers are recorded.
type recorded struct {
	id    string // "" when it was deleted
	rules []livePanel
}

// recorded finds a task's tracker with the rules by which its answers are analysed.
func (s *Service) recorded(ctx context.Context, known map[string]*recorded, task *store.Task) (*recorded, error) {
	if t := known[task.Tracker]; t != nil {
		return t, nil
	}
	t, err := s.Store.Tracker(ctx, task.Organization, task.Tracker)
	if errors.Is(err, store.ErrNotFound) {
		known[task.Tracker] = &recorded{}
		return known[task.Tracker], nil
	}
	if err != nil {
		return nil, err
	}
	rules, err := s.livePanels(ctx, t)
	if err != nil {
		return nil, err
	}
	known[task.Tracker] = &recorded{t.ID, rules}
	return known[task.Tracker], nil
}

// answerOf is the answer that a task ended with, and what is found in it.
func (s *Service) answerOf(task *store.Task, t *recorded) *store.Answer {
	a := task.Ending(t.id)
	if task.Status != earshot.StatusCompleted {
		a.Outcome, a.Reason = earshot.OutcomeMissing, failure(task.Error)
		return a
	}
	a.Outcome = earshot.OutcomeAnswered
	var result struct {
		Surface string  `json:"surface"`
		Model   *string `json:"model"`
	}
	if json.Unmarshal(task.Result, &result) == nil { // else it has neither
		a.Surface = result.Surface
		if result.Model != nil {
			a.Model = *result.Model
		}
	}
	prompt := s.questionOf(task)
	for _, r := range t.rules {
		if analysis := s.analyse(a, r, prompt); analysis != nil {
			a.Analyses = append(a.Analyses, analysis)
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
