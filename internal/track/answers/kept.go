package answers

import (
	"context"
	"errors"
	"iter"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/ruleset"
)

// Kept are the answers of a tracker that a filter leaves.
type Kept struct {
	explorer *Explorer
	Tracker  *tracking.Tracker
	filter   tracking.AnswerFilter
	Names    *definition.PartNames
	expired  time.Time // answers that were asked before may be gone
}

// Kept returns the answers of a tracker that a filter leaves. An answer that was asked before
// expired and is not found was removed, which is no error.
func (s *Explorer) Kept(t *tracking.Tracker, filter tracking.AnswerFilter, known *definition.PartNames, expired time.Time) *Kept {
	return &Kept{s, t, filter, known, expired}
}

// pages reads answers without their results.
func (e *Kept) pages(ctx context.Context) iter.Seq2[[]*tracking.Answer, error] {
	return func(yield func([]*tracking.Answer, error) bool) {
		for filter := e.filter; ; {
			filter.Limit = exportPage
			answers, next, err := e.explorer.store.Answers(ctx, e.Tracker, filter)
			if !yield(answers, err) || err != nil || next == "" {
				return
			}
			filter.Before = next
		}
	}
}

// All reads one answer after the other, with its result.
func (e *Kept) All(ctx context.Context) iter.Seq2[*tracking.Answer, error] {
	return func(yield func(*tracking.Answer, error) bool) {
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
func (e *Kept) readResult(ctx context.Context, a *tracking.Answer) (bool, error) {
	err := e.explorer.store.ReadResult(ctx, a)
	if errors.Is(err, store.ErrNotFound) && a.AskedAt.Before(e.expired) {
		return false, nil // it was removed meanwhile
	}
	return err == nil, err
}

// Finding is what the current rules find in an answer.
type Finding struct {
	*tracking.Answer
	Found *analysis.Found
}

// Found reads what was found in answers, and finds what was not looked for yet.
func (e *Kept) Found(ctx context.Context, by ruleset.LivePanel) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for page, err := range e.pages(ctx) {
			var all []Finding
			if err == nil {
				all, err = e.foundIn(ctx, by, page)
			}
			if err != nil {
				yield(Finding{}, err)
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
func (e *Kept) foundIn(ctx context.Context, by ruleset.LivePanel, page []*tracking.Answer) (all []Finding, err error) {
	if len(page) == 0 {
		return nil, nil
	}
	known, err := e.explorer.store.Found(ctx, e.Tracker, by.Version, e.filter.Prompt, page[len(page)-1].ID, page[0].ID)
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
				content = e.explorer.panels.Analyse(a, by, e.Names.Prompts[a.Prompt]).Content
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
		all = append(all, Finding{a, found})
	}
	return all, nil
}

// exportPage is how many answers, without their results, are read together.
const exportPage = 500
