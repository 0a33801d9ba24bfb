package track

import (
	"context"
	"errors"
	"iter"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/ruleset"
)

// keptAnswers are the answers of a tracker that a filter leaves.
type keptAnswers struct {
	*explorer
	t       *store.Tracker
	filter  store.AnswerFilter
	known   *definition.PartNames
	expired time.Time // answers that were asked before may be gone
}

// kept returns the answers of a tracker that a filter leaves. An answer that was asked before
// expired and is not found was removed, which is no error.
func (s *explorer) kept(t *store.Tracker, filter store.AnswerFilter, known *definition.PartNames, expired time.Time) *keptAnswers {
	return &keptAnswers{s, t, filter, known, expired}
}

// pages reads answers without their results.
func (e *keptAnswers) pages(ctx context.Context) iter.Seq2[[]*store.Answer, error] {
	return func(yield func([]*store.Answer, error) bool) {
		for filter := e.filter; ; {
			filter.Limit = exportPage
			answers, next, err := e.store.Answers(ctx, e.t, filter)
			if !yield(answers, err) || err != nil || next == "" {
				return
			}
			filter.Before = next
		}
	}
}

// answers reads one answer after the other, with its result.
func (e *keptAnswers) answers(ctx context.Context) iter.Seq2[*store.Answer, error] {
	return func(yield func(*store.Answer, error) bool) {
		for page, err := range e.pages(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, a := range page {
				isThere, err := e.readResult(ctx, a)
				if err == nil && !isThere {
					continue
				}
				if !yield(a, err) || err != nil {
					return
				}
				a.Result = nil
			}
		}
	}
}

// readResult fills in the result. It tells whether the answer is still there.
func (e *keptAnswers) readResult(ctx context.Context, a *store.Answer) (bool, error) {
	err := e.store.ReadResult(ctx, a)
	if errors.Is(err, store.ErrNotFound) && a.AskedAt.Before(e.expired) {
		return false, nil // it was removed meanwhile
	}
	return err == nil, err
}

// finding is what the current rules find in an answer.
type finding struct {
	*store.Answer
	found *analysis.Found
}

// found reads what was found in answers, and finds what was not looked for yet.
func (e *keptAnswers) found(ctx context.Context, by ruleset.LivePanel) iter.Seq2[finding, error] {
	return func(yield func(finding, error) bool) {
		for page, err := range e.pages(ctx) {
			var all []finding
			if err == nil {
				all, err = e.foundIn(ctx, by, page)
			}
			if err != nil {
				yield(finding{}, err)
				return
			}
			for _, one := range all {
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}

// foundIn is found for some answers, the newest first.
func (e *keptAnswers) foundIn(ctx context.Context, by ruleset.LivePanel, page []*store.Answer) (all []finding, err error) {
	if len(page) == 0 {
		return nil, nil
	}
	known, err := e.store.Found(ctx, e.t, by.Version, e.filter.Prompt, page[len(page)-1].ID, page[0].ID)
	if err != nil {
		return nil, err
	}
	for _, a := range page {
		content := known[a.ID]
		if content == nil && (a.Outcome == earshot.OutcomeAnswered || a.Outcome == earshot.OutcomeRefused) {
			isThere, err := e.readResult(ctx, a)
			if err != nil {
				return nil, err
			}
			if isThere {
				content = e.panels.Analyse(a, by, e.known.Prompts[a.Prompt]).Content
				a.Result = nil
			}
		}
		if content == nil {
			continue // there is no answer
		}
		found, err := analysis.Decode(content)
		if err != nil {
			return nil, err
		}
		all = append(all, finding{a, found})
	}
	return all, nil
}

// exportPage is how many answers, without their results, are read together.
const exportPage = 500
