// Package review finds what answers say about the tracker's own brands that a person should look
// at, and lists and marks it. The rules are word lists and the facts of the definition: no score and
// no guess. They are pure: the same answer and the same rules always give the same findings.
//
//	review.go   reviews ended sweeps
//	list.go     the API views of reviews
//	judge.go    asks models about reviews
//	rules.go    Rules, and the findings of an answer
//	words.go    the words of a sentence
//	pattern.go  phrases of word lists
//	lexicon.go  the word lists of the languages, in data/; warnings and negations
//	value.go    prices, years and numbers with units in a sentence
//	fact.go     facts of a definition, and values that differ from them
package review

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
	"earshot/internal/store/tracking"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/ruleset"
)

// Reviewer reviews the answers of ended sweeps.
type Reviewer struct {
	store       *tracking.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	explorer    *answers.Explorer
	log         *slog.Logger
	queued      func() // called after tasks were queued
}

// NewReviewer returns a Reviewer on a store.
func NewReviewer(s *tracking.Store, d *definition.Reader, p *ruleset.Panels, e *answers.Explorer, log *slog.Logger, queued func()) *Reviewer {
	return &Reviewer{s, d, p, e, log, queued}
}

// reviewStep is the number of answers after which a step ends. It reviews whole sweeps.
const reviewStep = 5000

// Step does the next step of the work on a tracker's reviews, and reports whether all is done.
func (s *Reviewer) Step(ctx context.Context, t *tracking.Tracker, w *analysing.Work, now time.Time) (done bool, err error) {
	r := &reviewOf{Reviewer: s, tracker: t}
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

// reviewOf is the review of a tracker's answers.
type reviewOf struct {
	*Reviewer
	tracker    *tracking.Tracker
	definition *definition.Definition
	names      *definition.PartNames
	live       ruleset.LivePanel
	rules      *Rules // nil if the tracker cannot be reviewed
	basis      tracking.ReviewBasis
}

// read reads the rules of the tracker.
func (r *reviewOf) read(ctx context.Context) (err error) {
	if r.definition, err = r.definitions.Of(r.tracker); err != nil {
		return err
	}
	if r.names, err = r.definitions.Names(ctx, r.tracker); err != nil {
		return err
	}
	rules, panel, err := r.panels.CurrentPanel(ctx, r.tracker)
	if err != nil || rules.Version == 0 {
		// The brands cannot be looked for, which clients see when they read metrics, or the
		// tracker has no stored rules yet.
		return nil //nolint:nilerr // see above
	}
	text, err := json.Marshal(r.definition.Facts)
	if err != nil {
		return fmt.Errorf("encode facts: %w", err)
	}
	hash := sha256.Sum256(text)
	r.basis = tracking.ReviewBasis{Rules: rules.Version, Version: r.tracker.Version, Code: Code, Facts: hex.EncodeToString(hash[:8])}
	r.live, r.rules = ruleset.LivePanel{Version: rules.Version, Panel: panel}, NewRules(panel, r.definition.Facts)
	return nil
}

// sweeps reviews the next ended sweeps that were not reviewed yet, or not by the current rules and
// facts of the tracker, and reports whether it has reached the oldest one.
func (r *reviewOf) sweeps(ctx context.Context, w *analysing.Work) (done bool, err error) {
	before := uuid.Max.String()
	if w.State == nil {
		w.Total, err = r.store.CountUnreviewed(ctx, r.tracker, r.basis)
	} else {
		err = json.Unmarshal(w.State, &before)
	}
	for reviewed := 0; err == nil && !done && reviewed < reviewStep; {
		if before, err = r.store.Unreviewed(ctx, r.tracker, r.basis, before); err != nil {
			return false, err
		}
		if done = before == ""; done {
			before = uuid.Nil.String()
			break
		}
		n, err := r.sweep(ctx, before)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // it was deleted
			return false, fmt.Errorf("review sweep %s of tracker %s: %w", before, r.tracker.Name, err)
		}
		reviewed += n
		w.Done++
	}
	if err == nil {
		w.State, err = json.Marshal(before)
	}
	return done, err
}

// sweep reviews the answers of a sweep, stores the findings, and returns the number of answers.
func (r *reviewOf) sweep(ctx context.Context, id string) (reviewed int, err error) {
	sweep, err := r.store.Sweep(ctx, r.tracker, id)
	if err != nil {
		return 0, err
	}
	filter := tracking.AnswerFilter{Sweep: id, From: sweep.StartedAt, Until: sweep.ClosedAt.Add(time.Millisecond)}
	reviews := map[string]*tracking.Review{}
	var findings []*tracking.ReviewFinding
	for answer, err := range r.explorer.Kept(r.tracker, filter, r.names, r.store.Now()).Found(ctx, r.live) {
		if err != nil {
			return reviewed, err
		}
		reviewed++
		if !r.rules.Concerns(answer.Found) {
			continue
		}
		found, err := r.find(ctx, answer.Answer)
		if err != nil {
			return reviewed, err
		}
		for _, f := range found {
			one := &tracking.Review{
				Organization: r.tracker.Organization, Tracker: r.tracker.ID, ID: f.ID(r.tracker.ID),
				Brand: f.Brand, Kind: f.Kind, Fact: f.Fact, State: earshot.ReviewOpen, LastSeen: answer.AskedAt,
			}
			if known := reviews[one.ID]; known == nil || known.LastSeen.Before(one.LastSeen) {
				reviews[one.ID] = one
			}
			f.Cut()
			text, err := json.Marshal(f)
			if err != nil {
				return reviewed, fmt.Errorf("encode a finding: %w", err)
			}
			findings = append(findings, &tracking.ReviewFinding{
				Organization: one.Organization, Tracker: one.Tracker, Answer: answer.ID, Review: one.ID, Sweep: answer.Sweep,
				Prompt: answer.Prompt, Target: answer.Target, AskedAt: answer.AskedAt, Content: text,
			})
		}
	}
	// All nodes lock the rows in the same order.
	sorted := slices.SortedFunc(maps.Values(reviews), func(a, b *tracking.Review) int { return strings.Compare(a.ID, b.ID) })
	judge := r.definition.Judge != nil && !r.tracker.Demo && r.store.Now().Sub(sweep.ClosedAt) < freshSweep
	return reviewed, r.store.SaveReviewed(r.tracker, id, r.basis, sorted, findings, judge)
}

// find returns the findings in an answer, or none if the answer was deleted.
func (r *reviewOf) find(ctx context.Context, a *tracking.Answer) ([]Finding, error) {
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
