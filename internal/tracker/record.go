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
	for ctx.Err() == nil {
		tasks, last, err := s.Store.Ended(ctx, f)
		if err != nil || last == f.Event {
			return err
		}
		// After the tasks, so that the tracker of each is among them as long as it is
		// waited for.
		trackers, err := s.Store.RunningTrackers(ctx, f.Organization)
		if err != nil {
			return err
		}
		var answers []*store.Answer
		for _, task := range tasks {
			// A task knows the name only, which a deleted tracker may have left to
			// another one; the task's answer is of one of them.
			for _, id := range trackers[task.Tracker] {
				answers = append(answers, answerOf(task, id))
			}
		}
		if err := s.Store.Record(f, last, answers); err != nil {
			return err
		}
		f.Event = last
	}
	return nil
}

// answerOf is the answer that a task ended with.
func answerOf(task *store.Task, tracker string) *store.Answer {
	a := task.Ending(tracker)
	if task.Status != earshot.StatusCompleted {
		a.Outcome, a.Reason = earshot.OutcomeMissing, failure(task.Error)
		return a
	}
	a.Outcome = earshot.OutcomeAnswered
	a.Surface, a.Model = origin(task.Result)
	return a
}

// origin is what a result says of where it came from.
func origin(stored json.RawMessage) (surface, model string) {
	var result struct {
		Surface string  `json:"surface"`
		Model   *string `json:"model"`
	}
	_ = json.Unmarshal(stored, &result) // else it has neither
	if result.Model != nil {
		model = *result.Model
	}
	return result.Surface, model
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
