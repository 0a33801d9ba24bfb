package answers

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
	"earshot/internal/track/ruleset"
)

const (
	// maxDiscovered is the largest number of names that are counted. They take about 10 MB.
	maxDiscovered = 20_000
	// maxSpellings is the largest number of spellings that are counted per name.
	maxSpellings = 5
	// maxExamples is the number of example answers per name.
	maxExamples = 3
)

// Discover returns frequent names in answers that may be brands and are not in the panel. It
// returns store.ErrNotFound if the tracker does not exist.
func (s *Explorer) Discover(ctx context.Context, organization, name string, q *earshot.DiscoverQuery) (*earshot.DiscoverReport, error) {
	t, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	d := discovery{names: map[string]*discovered{}}
	report := &earshot.DiscoverReport{Tracker: name, Rules: ruleset.Name(t.rules)}
	report.AnswerSample, err = s.newest(ctx, t.Tracker, q.Answers, func(a *tracking.Answer) error {
		found, err := t.panel.Candidates(a.Result, t.names.Prompts[a.Prompt])
		if err != nil {
			return nil //nolint:nilerr // an unreadable result names no brand, as in metrics
		}
		for _, c := range found {
			d.add(a, c.Key, c.Text, string(c.As))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	report.Cut = d.cut
	for _, n := range d.most(q.Limit) {
		report.Names = append(report.Names, n.view(t.names, report.Answers))
	}
	return report, nil
}

// NamesIn returns parts of a result that look like names: first the ones that the provider
// marked, then others in the order of the text, without names that contain an earlier one.
func NamesIn(result []byte, prompt string) (names []string, err error) {
	panel, err := analysis.NewPanel(nil)
	if err != nil {
		return nil, err
	}
	found, _ := panel.Candidates(result, prompt) // an unreadable result has no names, as in metrics
	var keys []string
	for _, marked := range []bool{true, false} {
		for _, c := range found {
			contains := func(key string) bool { return strings.Contains(" "+c.Key+" ", " "+key+" ") }
			if (c.As == mention.Entity) == marked && !slices.ContainsFunc(keys, contains) {
				keys, names = append(keys, c.Key), append(names, c.Text)
			}
		}
	}
	return names, nil
}

// discovery counts names.
type discovery struct {
	names map[string]*discovered // by folded name
	cut   bool                   // some names were not counted
}

// discovered contains the counts of one name.
type discovered struct {
	key       string
	spellings map[string]int
	standings map[string]bool
	targets   map[int]bool
	answers   int
	examples  []string
	first     *tracking.Answer // the oldest answer, without its result
}

// add counts a name once per answer. The newest answers must come first.
func (d *discovery) add(a *tracking.Answer, key, text, standing string) {
	n := d.names[key]
	if n == nil {
		if len(d.names) == maxDiscovered {
			d.cut = true
			return
		}
		n = &discovered{key: key, spellings: map[string]int{}, standings: map[string]bool{}, targets: map[int]bool{}}
		d.names[key] = n
	}
	if _, known := n.spellings[text]; known || len(n.spellings) < maxSpellings {
		n.spellings[text]++
	}
	n.standings[standing] = true
	if n.first != nil && n.first.ID == a.ID {
		return
	}
	n.targets[a.Target] = true
	n.answers++
	if len(n.examples) < maxExamples {
		n.examples = append(n.examples, a.ID)
	}
	n.first = &tracking.Answer{ID: a.ID, AskedAt: a.AskedAt}
}

// most returns the names with the most answers.
func (d *discovery) most(limit int) []*discovered {
	all := slices.SortedFunc(maps.Values(d.names), func(a, b *discovered) int {
		return cmp.Or(cmp.Compare(b.answers, a.answers), cmp.Compare(a.key, b.key))
	})
	return all[:min(len(all), limit)]
}

func (n *discovered) view(known *definition.PartNames, answers int) earshot.DiscoveredName {
	view := earshot.DiscoveredName{
		Name: stats.Mode(n.spellings), Named: n.answers, Share: float64(n.answers) / float64(max(1, answers)), As: slices.Sorted(maps.Keys(n.standings)),
		FirstSeen: earshot.Timestamp{Time: n.first.AskedAt}, Examples: n.examples,
	}
	for target := range n.targets {
		view.Targets = append(view.Targets, known.Targets[target])
	}
	slices.Sort(view.Targets)
	return view
}
