package track

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/track/definition"
	"earshot/internal/track/ruleset"
)

// explorer lists, searches and compares the kept answers of trackers.
type explorer struct {
	store       *store.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	numbers     *numberReader
	log         *slog.Logger
	// searches limits who searches through kept answers, so that no account takes all of
	// the connections for reports.
	searches *share.Pool
}

func newExplorer(s *store.Store, d *definition.Reader, p *ruleset.Panels, n *numberReader, log *slog.Logger) *explorer {
	return &explorer{store: s, definitions: d, panels: p, numbers: n, log: log, searches: share.NewPool(maxSearches)}
}

func answerView(n *definition.PartNames, a *store.Answer) earshot.TrackedAnswer {
	return earshot.TrackedAnswer{
		ID: a.ID, Sweep: a.Sweep, PromptID: a.Prompt, Prompt: n.Prompts[a.Prompt], Target: n.Targets[a.Target], Sample: a.Sample,
		Outcome: a.Outcome, Reason: a.Reason, Surface: a.Surface, Model: a.Model, MadeUp: a.Surface == "lab",
		AskedAt: earshot.Timestamp{Time: a.AskedAt}, FinishedAt: earshot.When(a.FinishedAt), Charged: a.Charged, Attempts: a.Attempts, Result: a.Result,
	}
}

// Answers lists a page of answers, the newest first. before is where it goes on.
func (s *explorer) Answers(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until time.Time, before string, limit int) (*earshot.AnswerPage, error) {
	t, filter, known, err := s.filter(ctx, organization, name, q, from, until)
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
		page.Answers = append(page.Answers, answerView(known, a))
	}
	return page, nil
}

// filter is how the store picks the answers that a client asks for.
func (s *explorer) filter(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until time.Time) (*store.Tracker, store.AnswerFilter, *definition.PartNames, error) {
	filter := store.AnswerFilter{Prompt: q.PromptID, From: from, Until: until}
	if !from.IsZero() && !until.IsZero() && !from.Before(until) {
		return nil, filter, nil, schema.Invalid("to", "must be after from")
	}
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, filter, nil, err
	}
	if q.Sweep != "" {
		sweep, err := s.store.Sweep(ctx, t, q.Sweep)
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
	counts, err := s.numbers.counted(ctx, t, q)
	if err != nil {
		return nil, filter, nil, err
	}
	text := strings.ToLower(q.Text)
	filter.Match = func(a *store.Answer) bool {
		return (q.Target == "" || known.Targets[a.Target] == q.Target) &&
			(q.Outcome == "" || a.Outcome == q.Outcome) && (q.Reason == "" || a.Reason == q.Reason) &&
			(q.Tag == "" || slices.Contains(known.Tags[a.Prompt], q.Tag)) &&
			(text == "" || strings.Contains(strings.ToLower(known.Prompts[a.Prompt]), text)) && counts(a)
	}
	if q.Brand != "" {
		filter.Choose, err = s.naming(ctx, q.Brand, s.kept(t, filter, known, time.Now()))
	}
	return t, filter, known, err
}

// naming returns a function that picks the answers that name a brand, by the current rules.
func (s *explorer) naming(ctx context.Context, brand string, e *keptAnswers) (func(context.Context, []*store.Answer) ([]*store.Answer, error), error) {
	rules, err := s.panels.Current(ctx, e.t)
	if err != nil {
		return nil, err
	}
	panel, err := s.panels.Panel(rules)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, some []*store.Answer) (naming []*store.Answer, err error) {
		all, err := e.foundIn(ctx, ruleset.LivePanel{Version: rules.Version, Panel: panel}, some)
		for _, one := range all {
			if slices.Contains(one.found.Order(panel), brand) {
				naming = append(naming, one.Answer)
			}
		}
		return naming, err
	}, nil
}
