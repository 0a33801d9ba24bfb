package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store/tracking"
	"earshot/internal/track/definition"
)

// load reads a tracker and the names of its parts.
func (s *Reviewer) load(ctx context.Context, organization, name string) (*tracking.Tracker, *definition.PartNames, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, nil, err
	}
	names, err := s.definitions.Names(ctx, t)
	return t, names, err
}

// Reviews lists reviews of a tracker, the last seen first. after is the cursor of the page.
// Reviews returns store.ErrNotFound if the tracker does not exist.
func (s *Reviewer) Reviews(ctx context.Context, organization, name string, q *earshot.ReviewQuery, from, until time.Time, after string) (*earshot.ReviewPage, error) {
	t, names, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	if err := schema.Known("target", q.Target, "tracker", slices.Collect(maps.Values(names.Targets))); err != nil {
		return nil, err
	}
	limit := cmp.Or(q.Limit, 20)
	f := tracking.ReviewFilter{State: q.State, Kind: q.Kind, Brand: q.Brand, From: from, Until: until, After: after, Limit: limit + 1}
	for id, target := range names.Targets {
		if target == q.Target {
			f.Target = id
		}
	}
	all, err := s.store.Reviews(ctx, t, f)
	if err != nil {
		return nil, err
	}
	page := &earshot.ReviewPage{}
	if len(all) == 0 && q.Brand != "" { // reviews of a brand may outlive it
		_, panel, err := s.panels.CurrentPanel(ctx, t)
		if err != nil {
			return nil, err
		}
		return page, panel.CheckBrand(q.Brand)
	}
	if len(all) > limit {
		all = all[:limit]
		page.NextCursor = &all[limit-1].ID
	}
	for _, r := range all {
		view, err := s.view(ctx, r, names)
		if err != nil {
			return nil, err
		}
		page.Reviews = append(page.Reviews, *view)
	}
	return page, nil
}

// MarkReview sets the state of a review. It returns store.ErrNotFound.
func (s *Reviewer) MarkReview(ctx context.Context, organization, name, id string, patch earshot.ReviewPatch, by account.Actor, now time.Time) (*earshot.ReviewMarked, error) {
	t, names, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	marked, err := s.store.MarkReview(t, id, patch, by, now)
	if err != nil {
		return nil, err
	}
	view, err := s.view(ctx, marked, names)
	if err != nil {
		return nil, err
	}
	return &earshot.ReviewMarked{Review: *view}, nil
}

// view returns the API view of a review.
func (s *Reviewer) view(ctx context.Context, r *tracking.Review, names *definition.PartNames) (*earshot.Review, error) {
	seen, err := s.store.Seen(ctx, r)
	if err != nil {
		return nil, err
	}
	view := &earshot.Review{
		ID: r.ID, Brand: r.Brand, Kind: r.Kind, State: r.State, Note: r.Note, MarkedAt: earshot.When(r.MarkedAt), MarkedBy: r.MarkedBy,
		Answers: seen.Answers, FirstSeenAt: earshot.Timestamp{Time: seen.First}, LastSeenAt: earshot.Timestamp{Time: seen.Last},
	}
	if r.Kind == earshot.ReviewFact {
		view.Fact = &r.Fact
	}
	if r.Opinion.Opinion != "" {
		view.Opinion = &r.Opinion
	}
	for _, f := range seen.Newest {
		example := earshot.ReviewExample{
			Answer: f.Answer, Sweep: f.Sweep, Prompt: names.Prompts[f.Prompt], Target: names.Targets[f.Target], AskedAt: earshot.Timestamp{Time: f.AskedAt},
		}
		if err := json.Unmarshal(f.Content, &example); err != nil { // the sentence and the matches
			return nil, fmt.Errorf("decode a finding: %w", err)
		}
		view.Examples = append(view.Examples, example)
	}
	return view, nil
}
