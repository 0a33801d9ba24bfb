// Package reviewer reviews the answers of ended sweeps by the rules of package review, and
// lists and marks reviews.
//
//	reviewer.go  reviews sweeps
//	list.go      the API views of reviews
//	judge.go     asks models about reviews
package reviewer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/reviewing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/review"
	"earshot/internal/track/ruleset"
)

// Reviewer reviews the answers of ended sweeps.
type Reviewer struct {
	store       *tracking.Store
	reviews     *reviewing.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	explorer    *answers.Explorer
	log         *slog.Logger
	queued      func() // called after tasks were queued
}

// New returns a Reviewer on a store.
func New(s *tracking.Store, d *definition.Reader, p *ruleset.Panels, e *answers.Explorer, log *slog.Logger, queued func()) *Reviewer {
	return &Reviewer{s, reviewing.New(s.Store), d, p, e, log, queued}
}

// reviewStep is the number of answers after which a step ends. It reviews whole sweeps.
const reviewStep = 5000

// Step does the next step of the work on a tracker's reviews, and reports whether all is done.
func (s *Reviewer) Step(ctx context.Context, t *tracking.Tracker, w *analysing.Work, now time.Time) (done bool, err error) {
	r := &reviewOf{Reviewer: s, id: reviewing.Tracker{Organization: t.Organization, ID: t.ID}, tracker: t}
	if err := r.read(ctx); err != nil {
		return false, err
	}
	if r.rules != nil {
		if done, err := r.sweeps(ctx, w); err != nil || !done {
			return false, err
		}
	}
	waits, err := r.judge(ctx, now)
	if waits {
		w.Wait = judgeEvery
	}
	return !waits, err
}

// sweeps reviews the next ended sweeps that were not reviewed yet, or not by the current rules and
// facts of the tracker, and reports whether it has reached the oldest one.
func (r *reviewOf) sweeps(ctx context.Context, w *analysing.Work) (done bool, err error) {
	before := uuid.Max.String()
	if w.State == nil {
		w.Total, err = r.reviews.CountUnreviewed(ctx, r.id, r.basis)
	} else {
		err = json.Unmarshal(w.State, &before)
	}
	for err == nil && !done && r.answers < reviewStep {
		if before, err = r.reviews.Unreviewed(ctx, r.id, r.basis, before); err != nil {
			break
		}
		if done = before == ""; done {
			before = uuid.Nil.String()
			break
		}
		// A sweep that is not found was deleted.
		if err := r.sweep(ctx, before); err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, fmt.Errorf("review sweep %s of tracker %s: %w", before, r.tracker.Name, err)
		}
		w.Done++
	}
	if err == nil {
		w.State, err = json.Marshal(before)
	}
	return done, err
}

// reviewOf is the review of a tracker's answers.
type reviewOf struct {
	*Reviewer
	id      reviewing.Tracker
	tracker *tracking.Tracker
	names   *definition.PartNames
	live    ruleset.LivePanel
	rules   *review.Rules // nil if the tracker cannot be reviewed
	basis   reviewing.Basis
	answers int // that were reviewed

	definition *definition.Definition
}

// read reads the rules of the tracker.
func (r *reviewOf) read(ctx context.Context) (err error) {
	d, err := r.definitions.Of(r.tracker)
	if err != nil {
		return err
	}
	r.definition = d
	rules, panel, err := r.panels.CurrentPanel(ctx, r.tracker)
	if err != nil || rules.Version == 0 {
		// The brands cannot be looked for, which clients see when they read metrics, or the
		// tracker has no stored rules yet.
		return nil //nolint:nilerr // see above
	}
	if r.names, err = r.definitions.Names(ctx, r.tracker); err != nil {
		return err
	}
	text, err := json.Marshal(d.Facts)
	if err != nil {
		return fmt.Errorf("encode facts: %w", err)
	}
	hash := sha256.Sum256(text)
	r.basis = reviewing.Basis{Rules: rules.Version, Version: r.tracker.Version, Code: review.Code, Facts: hex.EncodeToString(hash[:8])}
	r.live, r.rules = ruleset.LivePanel{Version: rules.Version, Panel: panel}, review.NewRules(panel, d.Facts)
	return nil
}

// sweep reviews the answers of a sweep and stores the findings.
func (r *reviewOf) sweep(ctx context.Context, id string) error {
	sweep, err := r.store.Sweep(ctx, r.tracker, id)
	if err != nil {
		return err
	}
	filter := tracking.AnswerFilter{Sweep: id, From: sweep.StartedAt, Until: sweep.ClosedAt.Add(time.Millisecond)}
	reviews := map[string]*reviewing.Review{}
	var findings []*reviewing.Finding
	for answer, err := range r.explorer.Kept(r.tracker, filter, r.names, r.store.Now()).Found(ctx, r.live) {
		if err != nil {
			return err
		}
		r.answers++
		if !r.rules.Concerns(answer.Found) {
			continue
		}
		found, err := r.find(ctx, answer.Answer)
		if err != nil {
			return err
		}
		for _, f := range found {
			id := f.ID(r.id.ID)
			if known := reviews[id]; known == nil || known.LastSeen.Before(answer.AskedAt) {
				reviews[id] = r.review(id, answer.AskedAt, &f)
			}
			f.Cut()
			text, err := json.Marshal(content{f.Sentence, f.Matches})
			if err != nil {
				return fmt.Errorf("encode a finding: %w", err)
			}
			findings = append(findings, &reviewing.Finding{
				Organization: r.id.Organization, Tracker: r.id.ID, Answer: answer.ID, Review: id, Sweep: answer.Sweep,
				Prompt: answer.Prompt, Target: answer.Target, AskedAt: answer.AskedAt, Content: text,
			})
		}
	}
	// All nodes lock the rows in the same order.
	sorted := slices.SortedFunc(maps.Values(reviews), func(a, b *reviewing.Review) int { return strings.Compare(a.ID, b.ID) })
	judge := r.definition.Judge != nil && !r.tracker.Demo && r.store.Now().Sub(sweep.ClosedAt) < freshSweep
	return r.reviews.SaveSweep(r.id, id, r.basis, sorted, findings, judge)
}

// find returns the findings in an answer, or none if the answer was deleted.
func (r *reviewOf) find(ctx context.Context, a *tracking.Answer) ([]review.Finding, error) {
	err := r.store.ReadResult(ctx, a)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	shown, err := r.live.Show(a.Result, r.names.Question(a))
	a.Result = nil
	if err != nil {
		r.log.Warn("an answer cannot be reviewed", "answer", a.ID, "error", err)
		return nil, nil
	}
	return r.rules.Find(shown), nil
}

// content is the part of a finding that is stored as JSON.
type content struct {
	Sentence string                              `json:"sentence"`
	Matches  earshot.List[earshot.ReviewedWords] `json:"matches"`
}

func (r *reviewOf) review(id string, seen time.Time, f *review.Finding) *reviewing.Review {
	one := &reviewing.Review{
		Organization: r.id.Organization, Tracker: r.id.ID, ID: id, Brand: f.Brand, Kind: f.Kind, State: earshot.ReviewOpen, LastSeen: seen,
	}
	if f.Fact != nil {
		one.Fact, one.Expected, one.Found = f.Fact.Name, f.Fact.Expected, f.Fact.Found
	}
	return one
}
