package answers

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/worddiff"
)

// cellAnswers is the largest number of answers from which the noise of a cell is computed: 13
// months of daily sweeps.
const cellAnswers = 400

// trackerRules contains a tracker, the names of its parts, and its current rules.
type trackerRules struct {
	*tracking.Tracker
	names *definition.PartNames
	rules *analysing.Rules
	panel *analysis.Panel
}

// load reads a tracker and its rules. It returns store.ErrNotFound if the tracker does not
// exist.
func (s *Explorer) load(ctx context.Context, organization, name string) (t trackerRules, err error) {
	if t.Tracker, err = s.store.Tracker(ctx, organization, name); err != nil {
		return t, err
	}
	if t.names, err = s.definitions.Names(ctx, t.Tracker); err != nil {
		return t, err
	}
	t.rules, t.panel, err = s.panels.CurrentPanel(ctx, t.Tracker)
	return t, err
}

// Answer returns an answer with its result, its findings by the current rules, and the
// neighbouring answers of its cell. It returns store.ErrNotFound if the tracker or the answer
// does not exist.
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
		view.Found, err = findings(rules, panel, a.Result, known.Question(a))
	}
	if err != nil { // the client still gets the result
		s.log.Warn("an answer cannot be analysed", "answer", a.ID, "error", err)
	}
	return &view, nil
}

// Find returns the findings of a tracker's current rules in any result. It returns
// store.ErrNotFound if the tracker does not exist.
func (s *Explorer) Find(ctx context.Context, organization, name string, result []byte, prompt string) (*earshot.AnswerFindings, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	rules, panel, err := s.panels.CurrentPanel(ctx, t)
	if err != nil {
		return nil, err
	}
	return findings(rules, panel, result, analysis.Question{Text: prompt})
}

// findings returns the mentions and citations that rules find in a result.
func findings(rules *analysing.Rules, panel *analysis.Panel, result []byte, q analysis.Question) (*earshot.AnswerFindings, error) {
	shown, err := panel.Show(result, q)
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

// cellOf returns the other samples of an answer's sweep, and the answers of its cell in the
// sweeps before and after.
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

// Diff returns the differences between two answers of a tracker. It returns store.ErrNotFound
// if the tracker does not exist.
func (s *Explorer) Diff(ctx context.Context, organization, name string, q *earshot.DiffQuery) (*earshot.AnswerDiff, error) {
	t, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	var sides [2]diffSide
	for i, id := range []string{q.A, q.B} {
		if sides[i], err = s.diffSide(ctx, t, id); err != nil {
			return nil, err
		}
	}
	a, b := &sides[0], &sides[1]
	diff := &earshot.AnswerDiff{
		Tracker: name, Rules: ruleset.Name(t.rules), SameCell: a.Prompt == b.Prompt && a.Target == b.Target, A: a.view, B: b.view, Distance: distance(a.sets, b.sets),
	}
	runs, cut := worddiff.Diff(a.text, b.text)
	diff.Cut = cut
	for _, run := range runs {
		diff.Words = append(diff.Words, earshot.WordRun{Kind: string(run.Kind), Text: run.Text})
	}
	diff.Lost, diff.Kept = apart(a.pages, b.pages)
	diff.Gained, _ = apart(b.pages, a.pages)
	diff.Noise, err = s.noise(ctx, t, b.Answer)
	return diff, err
}

// sets contains the cited domains and the named brands of an answer.
type sets struct{ domains, brands map[string]bool }

func setsOf(panel *analysis.Panel, found *analysis.Analysis) sets {
	named := map[string]bool{}
	for _, brand := range found.Order(panel) {
		named[brand] = true
	}
	return sets{found.Domains(), named}
}

// diffSide is one of the two answers of a diff.
type diffSide struct {
	*tracking.Answer
	view  earshot.DiffSide
	sets  sets
	pages []earshot.FoundPage
	text  string
}

func (s *Explorer) diffSide(ctx context.Context, t trackerRules, id string) (side diffSide, err error) {
	side.Answer, err = s.store.Answer(ctx, t.Tracker, id)
	if errors.Is(err, store.ErrNotFound) {
		err = &earshot.Error{Code: earshot.CodeNotFound, Message: "there is no answer with this id", Details: earshot.ResourceDetails{ID: id}}
	}
	if err != nil {
		return side, err
	}
	side.view.Answer = View(t.names, side.Answer)
	side.view.Answer.Result = nil
	if side.Result == nil {
		return side, nil
	}
	found, err := t.panel.Analyse(side.Result, t.names.Question(side.Answer))
	if err != nil {
		return side, err
	}
	side.view.Brands, side.sets, side.pages = found.Order(t.panel), setsOf(t.panel, found), pages(t.panel, found.Citations)
	side.text, err = analysis.Plain(side.Result)
	return side, err
}

// apart splits the pages of a into pages that only a has and pages that both have.
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

// noise returns the mean distance between consecutive answers of a cell.
func (s *Explorer) noise(ctx context.Context, t trackerRules, of *tracking.Answer) (noise earshot.CellNoise, err error) {
	all, err := s.analyses.CellAnalyses(ctx, t.rules, of.Prompt, of.Target, cellAnswers)
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
		now := setsOf(t.panel, found)
		if i > 0 {
			apart := distance(before, now)
			if apart.Domains != nil {
				domains = append(domains, *apart.Domains)
			}
			if apart.Brands != nil {
				brands = append(brands, *apart.Brands)
			}
		}
		before = now
	}
	noise.DomainPairs, noise.BrandPairs = len(domains), len(brands)
	noise.Domains, noise.Brands = stats.MeanOrNil(domains), stats.MeanOrNil(brands)
	return noise, nil
}
