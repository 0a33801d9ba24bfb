package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
	"earshot/internal/track/ruleset"
)

const (
	// maxSearches is the largest number of concurrent searches. One organization may run half
	// of them, so that another organization can always start one.
	maxSearches = 4
	// maxContexts is the number of contexts in the result of a trial.
	maxContexts = 10
	// maxSentence is the largest length of a context in bytes.
	maxSentence = 400
)

// newest calls look for the newest answers with results, at most limit of them.
func (s *Explorer) newest(ctx context.Context, t *tracking.Tracker, limit int, look func(*tracking.Answer) error) (sample earshot.AnswerSample, err error) {
	release, ok := s.searches.Hold(t.Organization)
	if !ok {
		return sample, &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "kept answers of this account are already being searched; try again later"}
	}
	defer release()
	for before := uuid.Max.String(); ; {
		// One answer beyond the limit shows that there are more.
		answers, err := s.store.NewestResults(ctx, t, before, min(ruleset.Batch, limit-sample.Answers+1))
		if err != nil || len(answers) == 0 {
			return sample, err
		}
		for _, a := range answers {
			if sample.Answers == limit {
				sample.More = true
				return sample, nil
			}
			if err := look(a); err != nil {
				return sample, err
			}
			before = a.ID
			sample.Answers++
			sample.MadeUp = sample.MadeUp || a.Surface == aggregate.LabSurface
			sample.From = &earshot.Timestamp{Time: a.AskedAt}
			if sample.To == nil {
				sample.To = sample.From
			}
		}
	}
}

// TryNames searches kept answers with additional names and returns what they would find. It
// returns store.ErrNotFound if the tracker does not exist.
func (s *Explorer) TryNames(ctx context.Context, organization, name string, trial *earshot.NameTrial) (*earshot.NameTried, error) {
	t, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	run, err := newTrial(t, trial)
	if err != nil {
		return nil, err
	}
	found := &earshot.NameTried{Tracker: name, Rules: ruleset.Name(t.rules), Brand: run.panel.Brands[run.brand].Name}
	if found.AnswerSample, err = s.newest(ctx, t.Tracker, trial.Limit, run.look); err != nil {
		return nil, err
	}
	run.report(found)
	return found, nil
}

// nameTrial counts what tried names find in answers.
type nameTrial struct {
	known         *definition.PartNames
	before, panel *analysis.Panel // without and with the tried names
	brand         int             // the brand that gets the names
	names         []int           // the tried names, in the numbering of Mention.Name

	hits, answers []int // mentions and answers, by tried name
	named         int   // answers with any of the tried names
	was, will     []int // answers that name each brand, by each panel
	contexts      []earshot.NameContext
	spare         []earshot.NameContext // further contexts of the same cells
	cells         map[[2]int]bool       // cells with a context
}

// newTrial returns a trial with a panel that contains the tried names. Errors refer to names
// by their index in the trial.
func newTrial(t trackerRules, trial *earshot.NameTrial) (*nameTrial, error) {
	set, err := ruleset.Decode(t.rules)
	if err != nil {
		return nil, err
	}
	brands := set.Brands
	run := &nameTrial{known: t.names, before: t.panel, cells: map[[2]int]bool{}}
	run.brand = slices.IndexFunc(brands, func(b earshot.Brand) bool { return b.Name == trial.Brand })
	rest := trial.Names
	switch {
	case run.brand < 0 && trial.Brand != "":
		return nil, schema.Invalid("brand", "must be a brand of the panel; leave it out to try a new brand")
	case run.brand < 0:
		if slices.ContainsFunc(brands, func(b earshot.Brand) bool { return b.Name == rest[0].Name }) {
			return nil, schema.Invalid("names[0].name", "is a brand of the panel; set brand to this name to try other rules for it")
		}
		run.brand, run.names = len(brands), []int{0}
		brands = append(brands, earshot.Brand{Name: rest[0].Name, Match: rest[0].Match})
		rest = rest[1:]
	}
	for i := range rest {
		at := addName(&brands[run.brand], rest[i])
		if first := slices.Index(run.names, at); first >= 0 {
			return nil, schema.Invalid(fmt.Sprintf("names[%d].name", len(run.names)), "is the same as names[%d].name", first)
		}
		run.names = append(run.names, at)
	}
	if run.panel, err = analysis.NewPanel(brands, set.Sources...); err != nil {
		return nil, run.problems(err)
	}
	run.hits, run.answers = make([]int, len(run.names)), make([]int, len(run.names))
	run.was, run.will = make([]int, len(brands)), make([]int, len(brands))
	return run, nil
}

// addName adds a name to a brand or replaces the name with the same spelling. It returns the
// number of the name: 0 is the brand's own name, n is alias n-1.
func addName(b *earshot.Brand, name earshot.BrandName) int {
	if b.Name == name.Name {
		b.Match = name.Match
		return 0
	}
	at := slices.IndexFunc(b.Aliases, func(alias earshot.BrandName) bool { return alias.Name == name.Name })
	if at < 0 {
		at = len(b.Aliases)
		b.Aliases = append(b.Aliases, name)
	}
	b.Aliases[at] = name
	return at + 1
}

// problems converts problems of brands to problems of the tried names.
func (run *nameTrial) problems(err error) error {
	problems, ok := errors.AsType[mention.Problems](err)
	if !ok {
		return schema.Invalid("names", "%s", err)
	}
	var details []earshot.FieldProblem
	for _, p := range problems {
		field := p.Path
		for i, name := range run.names {
			place := fmt.Sprintf("brands[%d]", run.brand)
			if name > 0 {
				place += fmt.Sprintf(".aliases[%d]", name-1)
			}
			if rest, ok := strings.CutPrefix(p.Path, place+"."); ok && (name > 0 || !strings.HasPrefix(rest, "aliases[")) {
				field = fmt.Sprintf("names[%d].%s", i, rest)
			}
		}
		details = append(details, earshot.FieldProblem{Field: field, Message: p.Message})
	}
	invalid := schema.Invalid("names", "are not valid")
	invalid.Details = details
	return invalid
}

// look counts the mentions in an answer, with and without the tried names.
func (run *nameTrial) look(a *tracking.Answer) error {
	question := run.known.Question(a)
	now, err := run.before.Analyse(a.Result, question)
	if err != nil {
		return nil //nolint:nilerr // an unreadable result names no brand, as in metrics
	}
	shown, err := run.panel.Show(a.Result, question)
	if err != nil {
		return err
	}
	count(run.was, now)
	count(run.will, shown.Analysis)
	hits := make([]int, len(run.names))
	isNamed, isShown := false, false
	for i, m := range shown.Mentions {
		at := slices.Index(run.names, m.Name)
		if m.Brand != run.brand || at < 0 || m.Kind == mention.Domain {
			continue
		}
		if !isShown {
			run.show(a, shown, i)
			isShown = true
		}
		if m.Kind == mention.Name {
			hits[at]++
			isNamed = true
		}
	}
	for i, n := range hits {
		run.hits[i] += n
		run.answers[i] += min(n, 1)
	}
	if isNamed {
		run.named++
	}
	return nil
}

// count counts an answer for each brand that it names.
func count(named []int, found *analysis.Analysis) {
	seen := map[int]bool{}
	for _, m := range found.Mentions {
		if m.Kind != mention.Absent && !seen[m.Brand] {
			seen[m.Brand] = true
			named[m.Brand]++
		}
	}
}

// show adds the context of a mention. Contexts of different cells are preferred.
func (run *nameTrial) show(a *tracking.Answer, shown *analysis.Shown, i int) {
	cell := [2]int{a.Prompt, a.Target}
	into := &run.contexts
	if run.cells[cell] {
		into = &run.spare
	}
	if len(*into) == maxContexts {
		return
	}
	run.cells[cell] = true
	m, sentence := shown.Mentions[i], shown.Sentences[i]
	text, start := excerpt(shown.Texts[sentence.Text].Body, sentence, m)
	*into = append(*into, earshot.NameContext{
		Answer: a.ID, Prompt: run.known.Prompts[a.Prompt], Target: run.known.Targets[a.Target], Name: run.panel.NameOf(m), Kind: string(m.Kind), Where: string(m.Where),
		Sentence: text, Start: m.Start - start, End: m.End - start,
	})
}

// excerpt returns the sentence of a mention and its start in the text. It cuts a long
// sentence between two characters.
func excerpt(body string, sentence analysis.Sentence, m analysis.Mention) (text string, start int) {
	start, end := min(sentence.Start, m.Start), max(sentence.End, m.End)
	if end-start > maxSentence {
		room := max(0, (maxSentence-(m.End-m.Start))/2)
		start, end = max(start, m.Start-room), min(end, m.End+room)
		for start < m.Start && !utf8.RuneStart(body[start]) {
			start++
		}
		for end > m.End && end < len(body) && !utf8.RuneStart(body[end]) {
			end--
		}
	}
	return body[start:end], start
}

// report sets the counts of a trial.
func (run *nameTrial) report(found *earshot.NameTried) {
	share := func(n int) float64 { return float64(n) / float64(max(1, found.Answers)) }
	for i, name := range run.names {
		text := run.panel.NameOf(analysis.Mention{Brand: run.brand, Name: name})
		found.Names = append(found.Names, earshot.TriedName{Name: text, Hits: run.hits[i], Named: run.answers[i], Share: share(run.answers[i])})
		found.Hits += run.hits[i]
	}
	found.Named, found.Share = run.named, share(run.named)
	found.Contexts = slices.Concat(run.contexts, run.spare[:min(len(run.spare), maxContexts-len(run.contexts))])
	for i, brand := range run.panel.Brands {
		if i == run.brand || run.was[i] != run.will[i] {
			found.Changes = append(found.Changes, earshot.VisibilityChange{
				Brand: brand.Name, NamedBefore: run.was[i], NamedAfter: run.will[i], Before: share(run.was[i]), After: share(run.will[i]),
			})
		}
	}
	found.Collisions = run.collisions()
}

// collisions returns the collisions of the tried names with other names of the panel.
func (run *nameTrial) collisions() (all []earshot.NameCollision) {
	isTried := func(n mention.NameRef) bool { return n.Brand == run.brand && slices.Contains(run.names, n.Name) }
	for _, c := range run.panel.Collisions() {
		// Equal names collide in both directions, but are listed once.
		if !isTried(c.Name) && (!isTried(c.Within) || c.Equal) {
			continue
		}
		all = append(all, earshot.NameCollision{
			Name: run.nameOf(c.Name), Brand: run.panel.Brands[c.Name.Brand].Name,
			Within: run.nameOf(c.Within), WithinBrand: run.panel.Brands[c.Within.Brand].Name, Equal: c.Equal,
		})
	}
	return all
}

func (run *nameTrial) nameOf(n mention.NameRef) string {
	return run.panel.NameOf(analysis.Mention{Brand: n.Brand, Name: n.Name, Kind: mention.Name})
}
