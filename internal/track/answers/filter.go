// Package answers lists, searches and compares the kept answers of trackers.
//
//	filter.go     lists of answers
//	kept.go       iterators over the answers of a filter and their analyses
//	answer.go     one answer with its findings, and the diff of two answers
//	try.go        tries names before they are added to the panel
//	discover.go   suggests names for the panel
//	sweepview.go  sweeps as clients see them
package answers

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/numbers"
	"earshot/internal/track/ruleset"
)

// Explorer lists, searches and compares the kept answers of trackers.
type Explorer struct {
	store       *tracking.Store
	analyses    *analysing.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	numbers     *numbers.Reader
	log         *slog.Logger
	// searches limits concurrent searches, so that no organization uses all connections for
	// reports.
	searches *share.Pool
}

// NewExplorer returns an Explorer on a store.
func NewExplorer(s *store.Store, d *definition.Reader, p *ruleset.Panels, n *numbers.Reader, log *slog.Logger) *Explorer {
	return &Explorer{store: tracking.New(s), analyses: analysing.New(s), definitions: d, panels: p, numbers: n, log: log, searches: share.NewPool(maxSearches)}
}

// View returns an answer as clients see it.
func View(n *definition.PartNames, a *tracking.Answer) earshot.TrackedAnswer {
	surface, via := analysis.SplitOrigin(a.Surface)
	return earshot.TrackedAnswer{
		ID: a.ID, Sweep: a.Sweep, PromptID: a.Prompt, Prompt: n.Prompts[a.Prompt], Target: n.Targets[a.Target], Sample: a.Sample,
		Outcome: a.Outcome, Reason: a.Reason, Surface: surface, Via: via, Model: a.Model, MadeUp: a.Surface == "lab",
		AskedAt: earshot.Timestamp{Time: a.AskedAt}, FinishedAt: earshot.When(a.FinishedAt), Charged: a.Charged, Attempts: a.Attempts, Result: a.Result,
	}
}

// Answers returns a page of answers, newest first. before is the cursor of the page.
func (s *Explorer) Answers(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until time.Time, before string, limit int) (*earshot.AnswerPage, error) {
	t, filter, known, err := s.Filter(ctx, organization, name, q, from, until)
	if err != nil {
		return nil, err
	}
	filter.Before, filter.Limit = before, limit
	answers, next, err := s.store.Answers(ctx, t, filter)
	if err != nil {
		return nil, err
	}
	page := &earshot.AnswerPage{}
	if next != "" {
		page.NextCursor = &next
	}
	for _, a := range answers {
		page.Answers = append(page.Answers, View(known, a))
	}
	return page, nil
}

// Filter returns the store's filter for a client's filter, with the tracker and the names of
// its parts.
func (s *Explorer) Filter(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until time.Time) (*tracking.Tracker, tracking.AnswerFilter, *definition.PartNames, error) {
	filter := tracking.AnswerFilter{Prompt: q.PromptID, From: from, Until: until}
	if !from.IsZero() && !until.IsZero() && !from.Before(until) {
		return nil, filter, nil, schema.Invalid("to", "must be after from")
	}
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, filter, nil, err
	}
	if q.Sweep != "" {
		sweep, err := s.store.Sweep(ctx, t, q.Sweep)
		if errors.Is(err, store.ErrNotFound) {
			err = schema.Invalid("sweep", "the tracker has no sweep with this id")
		}
		if err != nil {
			return nil, filter, nil, err
		}
		filter.Sweep = sweep.ID
		if sweep.StartedAt.After(filter.From) {
			filter.From = sweep.StartedAt
		}
		if !sweep.ClosedAt.IsZero() && (filter.Until.IsZero() || sweep.ClosedAt.Before(filter.Until)) {
			filter.Until = sweep.ClosedAt.Add(time.Millisecond)
		}
	}
	known, err := s.definitions.Names(ctx, t)
	if err != nil {
		return nil, filter, nil, err
	}
	if err := checkParts(q, known); err != nil {
		return nil, filter, nil, err
	}
	counts, err := s.numbers.Counted(ctx, t, q)
	if err != nil {
		return nil, filter, nil, err
	}
	text := strings.ToLower(q.Text)
	filter.Match = func(a *tracking.Answer) bool {
		return (q.Target == "" || known.Targets[a.Target] == q.Target) &&
			(q.Outcome == "" || a.Outcome == q.Outcome) && (q.Reason == "" || a.Reason == q.Reason) &&
			(q.Tag == "" || slices.Contains(known.Tags[a.Prompt], q.Tag)) &&
			(text == "" || strings.Contains(strings.ToLower(known.Prompts[a.Prompt]), text)) && counts(a)
	}
	if q.Brand != "" || q.Source != "" {
		filter.Choose, err = s.finding(ctx, q, s.Kept(t, filter, known, time.Now()))
	}
	return t, filter, known, err
}

// checkParts returns an error for a prompt, target or tag that the tracker never had.
func checkParts(q *earshot.AnswerFilter, known *definition.PartNames) error {
	if _, ok := known.Prompts[q.PromptID]; !ok && q.PromptID != 0 {
		return schema.Invalid("promptId", "the tracker has no prompt %d", q.PromptID)
	}
	return cmp.Or(
		schema.Known("target", q.Target, "tracker", slices.Collect(maps.Values(known.Targets))),
		schema.Known("tag", q.Tag, "tracker", slices.Concat(slices.Collect(maps.Values(known.Tags))...)),
	)
}

// finding returns a function that selects the answers that name a brand and cite a source, by
// the current rules.
func (s *Explorer) finding(ctx context.Context, q *earshot.AnswerFilter, e *Kept) (func(context.Context, []*tracking.Answer) ([]*tracking.Answer, error), error) {
	rules, panel, err := s.panels.CurrentPanel(ctx, e.Tracker)
	if err != nil {
		return nil, err
	}
	if err := panel.CheckBrand(q.Brand); err != nil {
		return nil, err
	}
	return func(ctx context.Context, some []*tracking.Answer) (chosen []*tracking.Answer, err error) {
		all, err := e.foundIn(ctx, ruleset.LivePanel{Version: rules.Version, Panel: panel}, some)
		for _, one := range all {
			if finds(one.Found, panel, q.Brand, q.Source) {
				chosen = append(chosen, one.Answer)
			}
		}
		return chosen, err
	}, nil
}

// finds reports whether an answer names a brand and cites a source, in the same sentence if
// both are given.
func finds(found *analysis.Analysis, panel *analysis.Panel, brand, source string) bool {
	isSource := func(page metric.Citation) bool { return page.Domain == source || page.URL == source }
	switch {
	case source == "":
		return slices.Contains(found.Order(panel), brand)
	case brand == "":
		return slices.ContainsFunc(found.Citations, isSource)
	}
	return slices.ContainsFunc(found.Mentions, func(m analysis.Mention) bool {
		return m.Kind != mention.Absent && panel.Brands[m.Brand].Name == brand && (slices.Contains(m.Domains, source) ||
			slices.ContainsFunc(m.Citations, func(at int) bool { return isSource(found.Citations[at]) }))
	})
}
