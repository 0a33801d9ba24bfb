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

// Kept iterates over the kept answers of a tracker that match a filter.
type Kept struct {
	explorer *Explorer
	Tracker  *tracking.Tracker
	filter   tracking.AnswerFilter
	Names    *definition.PartNames
	expired  time.Time // older answers may be deleted at any time
}

// Kept returns the kept answers of a tracker that match a filter. Answers from before expired
// may be deleted during an iteration, which then skips them.
func (s *Explorer) Kept(t *tracking.Tracker, filter tracking.AnswerFilter, known *definition.PartNames, expired time.Time) *Kept {
	return &Kept{s, t, filter, known, expired}
}

// pages iterates over pages of answers without their results.
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

// All iterates over answers with their results. A result is valid until the next answer.
func (e *Kept) All(ctx context.Context) iter.Seq2[*tracking.Answer, error] {
	return func(yield func(*tracking.Answer, error) bool) {
		for page, err := range e.pages(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, a := range page {
				exists, err := e.readResult(ctx, a)
				if err == nil && !exists {
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

// readResult sets the result of an answer and reports whether the answer still exists.
func (e *Kept) readResult(ctx context.Context, a *tracking.Answer) (bool, error) {
	err := e.explorer.store.ReadResult(ctx, a)
	if errors.Is(err, store.ErrNotFound) && a.AskedAt.Before(e.expired) {
		return false, nil // deleted in the meantime
	}
	return err == nil, err
}

// Finding is an answer and its analysis.
type Finding struct {
	*tracking.Answer
	Found *analysis.Analysis
}

// Found iterates over answers and their analyses. It analyses answers without a stored
// analysis.
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

// foundIn returns the analyses of a page of answers, which must be newest first.
func (e *Kept) foundIn(ctx context.Context, by ruleset.LivePanel, page []*tracking.Answer) (all []Finding, err error) {
	if len(page) == 0 {
		return nil, nil
	}
	known, err := e.explorer.analyses.Contents(ctx, e.Tracker.Organization, e.Tracker.ID, by.Version, e.filter.Prompt, page[len(page)-1].ID, page[0].ID)
	if err != nil {
		return nil, err
	}
	for _, a := range page {
		content := known[a.ID]
		if content == nil && (a.Outcome == earshot.OutcomeAnswered || a.Outcome == earshot.OutcomeRefused) {
			exists, err := e.readResult(ctx, a)
			if err != nil {
				return nil, err
			}
			if exists {
				content = e.explorer.panels.Analyse(a, by, e.Names.Question(a)).Content
				a.Result = nil
			}
		}
		if content == nil {
			continue // a missing answer
		}
		found, err := analysis.Decode(content)
		if err != nil {
			return nil, err
		}
		all = append(all, Finding{a, found})
	}
	return all, nil
}

// exportPage is the number of answers per page.
const exportPage = 500
