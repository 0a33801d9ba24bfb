package answers

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/stats"
	"earshot/internal/track/worddiff"
)

// cellAnswers is how many answers of a cell its noise is made of: those of a year and a
// month of daily sweeps.
const cellAnswers = 400

// Answer shows one answer with its result, what the current rules find in it, and the
// answers beside it. Returns store.ErrNotFound.
func (s *Explorer) Answer(ctx context.Context, organization, name, id string) (*earshot.TrackedAnswer, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	a, err := s.store.Answer(ctx, t, id)
	if err != nil {
		return nil, err
	}
	known, err := s.definitions.Names(ctx, t)
	if err != nil {
		return nil, err
	}
	view := View(known, a)
	if view.Cell, err = s.cellOf(ctx, a); err != nil || a.Result == nil {
		return &view, err
	}
	rules, err := s.panels.Current(ctx, t)
	if err != nil {
		return nil, err
	}
	panel, err := s.panels.Panel(rules)
	if err == nil {
		view.Found, err = findings(rules, panel, a.Result, view.Prompt)
	}
	if err != nil {
		s.log.Warn("nothing can be found in an answer", "answer", a.ID, "error", err) // its result is shown
	}
	return &view, nil
}

// Find is what the current rules of a tracker find in a result that it need not have asked
// for. Returns store.ErrNotFound.
func (s *Explorer) Find(ctx context.Context, organization, name string, result []byte, prompt string) (*earshot.AnswerFindings, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	rules, panel, err := s.panels.CurrentPanel(ctx, t)
	if err != nil {
		return nil, err
	}
	return findings(rules, panel, result, prompt)
}

// findings are what rules find in a result.
func findings(rules *tracking.Rules, panel *analysis.Panel, result []byte, prompt string) (*earshot.AnswerFindings, error) {
	shown, err := panel.Show(result, prompt)
	if err != nil {
		return nil, err
	}
	found := &earshot.AnswerFindings{Rules: ruleset.Name(rules), Citations: pages(panel, shown.Citations)}
	if shown.Organic != nil {
		found.Organic = pages(panel, shown.Organic)
	}
	for _, t := range shown.Texts {
		found.Texts = append(found.Texts, earshot.FoundText{Where: string(t.Where), Index: t.Index, Format: string(t.Format), Text: t.Body})
	}
	for i, m := range shown.Mentions {
		sentence := shown.Sentences[i]
		one := earshot.FoundMention{
			Brand: panel.Brands[m.Brand].Name, Own: panel.Brands[m.Brand].Own, Name: panel.NameOf(m), Kind: string(m.Kind), Where: string(m.Where),
			Text: sentence.Text, Start: m.Start, End: m.End, Position: m.Position, ListRank: m.ListRank,
			SentenceStart: sentence.Start, SentenceEnd: sentence.End, Domains: m.Domains,
		}
		for _, at := range m.Citations {
			one.Citations = append(one.Citations, shown.Citations[at].Position)
		}
		found.Mentions = append(found.Mentions, one)
	}
	return found, nil
}

func pages(panel *analysis.Panel, citations []metric.Citation) []earshot.FoundPage {
	found := make([]earshot.FoundPage, len(citations))
	for i, c := range citations {
		_, brand, _ := panel.Site(c.URL)
		found[i] = earshot.FoundPage{URL: c.URL, Domain: c.Domain, Type: c.Type, Brand: brand, Position: c.Position}
	}
	return found
}

// cellOf are the answers beside one.
func (s *Explorer) cellOf(ctx context.Context, a *tracking.Answer) (*earshot.AnswerCell, error) {
	before, after, err := s.store.CellAround(ctx, a)
	if err != nil {
		return nil, err
	}
	cell := &earshot.AnswerCell{}
	for _, side := range []struct {
		answers []*tracking.Answer
		into    *earshot.List[earshot.CellAnswer]
	}{{before, &cell.Previous}, {after, &cell.Next}} {
		sweep := ""
		for _, other := range side.answers {
			view := earshot.CellAnswer{ID: other.ID, Sweep: other.Sweep, Sample: other.Sample, Outcome: other.Outcome, AskedAt: earshot.Timestamp{Time: other.AskedAt}}
			switch {
			case other.Sweep == a.Sweep:
				cell.Samples = append(cell.Samples, view)
			case sweep == "" || sweep == other.Sweep:
				sweep = other.Sweep
				*side.into = append(*side.into, view)
			}
		}
	}
	return cell, nil
}

// Diff tells how two answers of a tracker differ. Returns store.ErrNotFound.
func (s *Explorer) Diff(ctx context.Context, organization, name string, q *earshot.DiffQuery) (*earshot.AnswerDiff, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	known, err := s.definitions.Names(ctx, t)
	if err != nil {
		return nil, err
	}
	rules, panel, err := s.panels.CurrentPanel(ctx, t)
	if err != nil {
		return nil, err
	}
	var sides [2]diffSide
	for i, id := range []string{q.A, q.B} {
		if sides[i], err = s.diffSide(ctx, t, known, panel, id); err != nil {
			return nil, err
		}
	}
	a, b := &sides[0], &sides[1]
	diff := &earshot.AnswerDiff{
		Tracker: name, Rules: ruleset.Name(rules), SameCell: a.Prompt == b.Prompt && a.Target == b.Target, A: a.view, B: b.view, Distance: distance(a.sets, b.sets),
	}
	runs, cut := worddiff.Diff(a.text, b.text)
	diff.Cut = cut
	for _, run := range runs {
		diff.Words = append(diff.Words, earshot.WordRun{Kind: string(run.Kind), Text: run.Text})
	}
	diff.Lost, diff.Kept = apart(a.pages, b.pages)
	diff.Gained, _ = apart(b.pages, a.pages)
	diff.Noise, err = s.noise(ctx, rules, panel, b.Answer)
	return diff, err
}

// sets are what answers are compared by.
type sets struct{ domains, brands map[string]bool }

func setsOf(panel *analysis.Panel, found *analysis.Found) sets {
	named := map[string]bool{}
	for _, brand := range found.Order(panel) {
		named[brand] = true
	}
	return sets{found.Domains(), named}
}

// diffSide is one of two answers, read.
type diffSide struct {
	*tracking.Answer
	view  earshot.DiffSide
	sets  sets
	pages []earshot.FoundPage
	text  string
}

func (s *Explorer) diffSide(ctx context.Context, t *tracking.Tracker, known *definition.PartNames, panel *analysis.Panel, id string) (side diffSide, err error) {
	side.Answer, err = s.store.Answer(ctx, t, id)
	if errors.Is(err, store.ErrNotFound) {
		err = &earshot.Error{Code: earshot.CodeNotFound, Message: "there is no answer with this id", Details: earshot.ResourceDetails{ID: id}}
	}
	if err != nil {
		return side, err
	}
	side.view.Answer = View(known, side.Answer)
	side.view.Answer.Result = nil
	if side.Result == nil {
		return side, nil
	}
	found, err := panel.Analyse(side.Result, side.view.Answer.Prompt)
	if err != nil {
		return side, err
	}
	side.view.Brands, side.sets, side.pages = found.Order(panel), setsOf(panel, found), pages(panel, found.Citations)
	side.text, err = analysis.Plain(side.Result)
	return side, err
}

// apart parts the pages of a into those that b lacks and those that it has.
func apart(a, b []earshot.FoundPage) (only, both []earshot.FoundPage) {
	there := map[string]bool{}
	for _, page := range b {
		there[page.URL] = true
	}
	for _, page := range a {
		if there[page.URL] {
			both = append(both, page)
		} else {
			only = append(only, page)
		}
	}
	return only, both
}

func distance(a, b sets) (apart earshot.AnswerDistance) {
	if d, ok := stats.Jaccard(a.domains, b.domains); ok {
		apart.Domains = &d
	}
	if d, ok := stats.Jaccard(a.brands, b.brands); ok {
		apart.Brands = &d
	}
	return apart
}

// noise is how far each answer of a cell is from the one before it.
func (s *Explorer) noise(ctx context.Context, rules *tracking.Rules, panel *analysis.Panel, of *tracking.Answer) (noise earshot.CellNoise, err error) {
	all, err := s.store.CellAnalyses(ctx, rules, of.Prompt, of.Target, cellAnswers)
	if err != nil {
		return noise, err
	}
	noise.Answers = len(all)
	var before sets
	var domains, brands []float64
	for i, a := range all {
		found, err := analysis.Decode(a.Content)
		if err != nil {
			return noise, err
		}
		now := setsOf(panel, found)
		if i > 0 {
			apart := distance(before, now)
			domains, brands = appendTo(domains, apart.Domains), appendTo(brands, apart.Brands)
		}
		before = now
	}
	noise.DomainPairs, noise.BrandPairs = len(domains), len(brands)
	noise.Domains, noise.Brands = meanOf(domains), meanOf(brands)
	return noise, nil
}

func appendTo(values []float64, value *float64) []float64 {
	if value == nil {
		return values
	}
	return append(values, *value)
}

func meanOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return new(stats.Mean(values))
}
