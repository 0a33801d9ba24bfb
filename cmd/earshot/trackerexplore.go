package main

import (
	"fmt"
	"reflect"
	"time"

	"earshot"
	"earshot/client"
)

// trackerExplore are the commands that analyse the answers of a tracker.
type trackerExplore struct {
	Names    trackerNamesCmd    `cmd:"" help:"Find out how often names occur in stored answers."`
	Discover trackerDiscoverCmd `cmd:"" help:"Suggest brand names that occur in its answers."`
	Diff     trackerDiffCmd     `cmd:"" help:"Compare two of its answers, word by word."`
}

type trackerNamesCmd struct {
	trackerArg
	Names []string `arg:"" help:"The names to find."`

	Brand    string   `help:"The brand of the names; by default, a new brand." placeholder:"BRAND"`
	Case     string   `help:"exact if upper and lower case must match." enum:"exact," default:"" placeholder:"exact"`
	Joined   bool     `help:"Spaces and hyphens in the name may be missing or exchanged."`
	Prefixes []string `help:"Beginnings that a word with the name may have." placeholder:"TEXT"`
	Suffixes []string `help:"Endings that a word with the name may have." placeholder:"TEXT"`
	Near     []string `help:"Words of which at least one must occur near the name." placeholder:"WORD"`
	Not      []string `help:"Words and phrases that exclude a match." placeholder:"TEXT"`
	Within   int      `help:"How many words before and after the name count as near." placeholder:"N"`
	Limit    int      `help:"How many stored answers to search, newest first." default:"1000" placeholder:"N"`
	output
}

// Help returns the command's long help.
func (c *trackerNamesCmd) Help() string {
	return `Searches stored answers for names as if they were in the tracker's definition. It prints how many answers contain them, up to ten
occurrences, the names that they conflict with, and how many answers would name each brand. The options apply to all names.
Nothing is changed or charged; to use the names, add them to the definition and run 'earshot tracker apply'. -o csv prints the
occurrences. 'earshot api /v1/trackers/NAME/rules' prints the names that the tracker has.

Exit status: 0 the search is complete, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker names shoes "Ollaro Sports" --brand Ollaro
  earshot tracker names shoes On --case exact --near shoes --near running --within 8`
}

// Run searches for the names.
func (c *trackerNamesCmd) Run(in *invocation, service *client.Client) error {
	match := &earshot.NameMatch{Case: c.Case, Joined: c.Joined, Prefixes: c.Prefixes, Suffixes: c.Suffixes, Near: c.Near, Not: c.Not, Within: c.Within}
	if reflect.DeepEqual(match, &earshot.NameMatch{}) {
		match = nil
	}
	trial := earshot.NameTrial{Brand: c.Brand, Limit: c.Limit}
	for _, name := range c.Names {
		trial.Names = append(trial.Names, earshot.BrandName{Name: name, Match: match})
	}
	tried, err := service.TryNames(in, c.Name, trial)
	if err != nil {
		return c.explain(err)
	}
	places := tableOf("NAME|TARGET|ANSWER|PLACE", tried.Contexts, func(p *earshot.NameContext) []any {
		return []any{p.Name, p.Target, p.Answer, p.Sentence}
	})
	if places.report = tried; !c.isTable() {
		return c.print(in, places)
	}
	names := tableOf("NAME|HITS|ANSWERS|SHARE", tried.Names, func(n *earshot.TriedName) []any {
		return []any{n.Name, n.Hits, n.Named, percent(&n.Share)}
	})
	names.madeUp = tried.MadeUp
	if err := c.print(in, names); err != nil {
		return err
	}
	fmt.Fprintf(in.out, "\nsearched %s\n\n", searched(&tried.AnswerSample))
	changes := tableOf("BRAND|NAMED NOW|THEN|SHARE NOW|THEN", tried.Changes, func(v *earshot.VisibilityChange) []any {
		return []any{v.Brand, v.NamedBefore, v.NamedAfter, percent(&v.Before), percent(&v.After)}
	})
	if err := c.print(in, changes); err != nil {
		return err
	}
	for _, n := range tried.Collisions {
		how := "is contained in"
		if n.Equal {
			how = "is the same as"
		}
		fmt.Fprintf(in.out, "\n%s (%s) %s %s (%s)", oneLine(n.Name), oneLine(n.Brand), how, oneLine(n.Within), oneLine(n.WithinBrand))
	}
	if len(places.rows) == 0 {
		return nil
	}
	fmt.Fprintln(in.out)
	return c.print(in, places)
}

// searched returns which answers were searched, in words.
func searched(s *earshot.AnswerSample) string {
	text := many(s.Answers, "answer")
	if s.More {
		text = "the newest " + text
	}
	if s.From != nil && s.To != nil {
		text += fmt.Sprintf(", asked from %s to %s", s.From.Local().Format(time.DateTime), s.To.Local().Format(time.DateTime))
	}
	return text
}

type trackerDiscoverCmd struct {
	trackerArg
	Limit   int `help:"How many names to list." default:"30" placeholder:"N"`
	Answers int `help:"How many stored answers to search, newest first." default:"1000" placeholder:"N"`
	output
}

// Help returns the command's long help.
func (c *trackerDiscoverCmd) Help() string {
	return `Lists names that stored answers emphasise, start list items with or mark as an entity, and that no brand of the tracker has,
ordered by the number of answers. The list is a suggestion: check each name with 'earshot tracker names'.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker discover shoes
  earshot tracker discover shoes --answers 5000 -o csv > names.csv`
}

// Run lists the names.
func (c *trackerDiscoverCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.DiscoverNames(in, c.Name, earshot.DiscoverQuery{Limit: c.Limit, Answers: c.Answers})
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("NAME|ANSWERS|SHARE|AS|FIRST SEEN|TARGETS|EXAMPLE", report.Names, func(n *earshot.DiscoveredName) []any {
		return []any{n.Name, n.Named, percent(&n.Share), n.As, n.FirstSeen, n.Targets, n.Examples[0]}
	})
	if c.isTable() && report.Answers > 0 {
		fmt.Fprintf(in.errOut, "searched %s\n", searched(&report.AnswerSample))
	}
	t.report, t.madeUp, t.none = report, report.MadeUp, "there are no suggestions"
	return c.print(in, t)
}
