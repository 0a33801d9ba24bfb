package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

// trackerExplore are the commands that analyse the answers of a tracker.
type trackerExplore struct {
	Names     trackerNamesCmd     `cmd:"" help:"List its brand names, or try new ones."`
	Discover  trackerDiscoverCmd  `cmd:"" help:"Suggest brand names that occur in its answers."`
	Diff      trackerDiffCmd      `cmd:"" help:"Compare two of its answers, word by word."`
	Reanalyse trackerReanalyseCmd `cmd:"" help:"Analyse all stored answers again."`
	Work      trackerWorkCmd      `cmd:"" help:"List its background work."`
}

type trackerNamesCmd struct {
	List trackerNamesListCmd `cmd:"" help:"List the brand names of the current rules."`
	Try  trackerNamesTryCmd  `cmd:"" help:"Find out how often names occur in stored answers."`
}

type trackerNamesListCmd struct {
	trackerArg
	tableFlags
}

// Help returns the command's long help.
func (c *trackerNamesListCmd) Help() string {
	return `Lists the brand names of a tracker's current rules, with their matching options, and the domains of each brand. If stored answers
are being analysed with new rules, it prints the progress to standard error.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker names list shoes
  earshot tracker names list shoes --csv > names.csv`
}

// Run lists the names.
func (c *trackerNamesListCmd) Run(in *invocation, service *client.Client) error {
	rules, err := service.TrackerRules(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"BRAND", "NAME", "OPTIONS", "DOMAINS"}}
	for _, r := range rules.Rules {
		if r.State == "pending" && !c.JSON && !c.CSV {
			fmt.Fprintf(in.errOut, "%s: %s of %s stored answers are analysed with the new names\n", r.Name, thousands(int64(r.Analysed)), thousands(int64(r.Answers)))
		}
		if r.Name != rules.Current {
			continue
		}
		for _, brand := range r.Brands {
			own := brand.Name
			if brand.Own {
				own += " (own)"
			}
			rows = append(rows, []string{oneLine(own), oneLine(brand.Name), dashed(matchOptions(brand.Match)), dashed(strings.Join(brand.Domains, " "))})
			for _, alias := range brand.Aliases {
				rows = append(rows, []string{oneLine(own), oneLine(alias.Name), dashed(matchOptions(alias.Match)), "-"})
			}
		}
	}
	return c.print(in, rules, rows, false, "the tracker has no brands; add 'brands' to its definition")
}

// matchOptions returns the options of a name in words.
func matchOptions(m *earshot.NameMatch) string {
	if m == nil {
		return ""
	}
	var parts []string
	if m.Case != "" {
		parts = append(parts, "case "+m.Case)
	}
	if m.Joined {
		parts = append(parts, "joined")
	}
	for _, list := range []struct {
		name  string
		words []string
	}{{"prefixes", m.Prefixes}, {"suffixes", m.Suffixes}, {"near", m.Near}, {"not", m.Not}} {
		if len(list.words) > 0 {
			parts = append(parts, list.name+" "+strings.Join(list.words, ", "))
		}
	}
	if m.Within > 0 && len(m.Near)+len(m.Not) > 0 {
		parts = append(parts, fmt.Sprintf("within %d", m.Within))
	}
	return strings.Join(parts, "; ")
}

type trackerNamesTryCmd struct {
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
	tableFlags
}

// Help returns the command's long help.
func (c *trackerNamesTryCmd) Help() string {
	return `Searches stored answers for names as if they were in the tracker's definition. It prints how many answers contain them, up to ten
occurrences, the names that they conflict with, and how many answers would name each brand. The options apply to all names.
Nothing is changed or charged; to use the names, add them to the definition and run 'earshot tracker apply'. --csv prints the
occurrences.

Exit status: 0 the search is complete, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker names try shoes "Ollaro Sports" --brand Ollaro
  earshot tracker names try shoes On --case exact --near shoes --near running --within 8`
}

// Run searches for the names.
func (c *trackerNamesTryCmd) Run(in *invocation, service *client.Client) error {
	match := &earshot.NameMatch{Case: c.Case, Joined: c.Joined, Prefixes: c.Prefixes, Suffixes: c.Suffixes, Near: c.Near, Not: c.Not, Within: c.Within}
	if matchOptions(match) == "" {
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
	places := [][]string{{"NAME", "TARGET", "ANSWER", "PLACE"}}
	for _, p := range tried.Contexts {
		places = append(places, []string{oneLine(p.Name), oneLine(p.Target), p.Answer, oneLine(p.Sentence)})
	}
	if c.JSON || c.CSV {
		return c.print(in, tried, places, false, "")
	}
	rows := [][]string{{"NAME", "HITS", "ANSWERS", "SHARE"}}
	for _, n := range tried.Names {
		rows = append(rows, []string{oneLine(n.Name), strconv.Itoa(n.Hits), strconv.Itoa(n.Named), c.value(&n.Share, false)})
	}
	if err := c.print(in, tried, rows, tried.MadeUp, ""); err != nil {
		return err
	}
	fmt.Fprintf(in.out, "\nsearched %s\n\n", searched(&tried.AnswerSample))
	rows = [][]string{{"BRAND", "NAMED NOW", "THEN", "SHARE NOW", "THEN"}}
	for _, v := range tried.Changes {
		rows = append(rows, []string{oneLine(v.Brand), strconv.Itoa(v.NamedBefore), strconv.Itoa(v.NamedAfter), c.value(&v.Before, false), c.value(&v.After, false)})
	}
	if err := printTable(in.out, rows); err != nil {
		return err
	}
	for _, n := range tried.Collisions {
		how := "is contained in"
		if n.Equal {
			how = "is the same as"
		}
		fmt.Fprintf(in.out, "\n%s (%s) %s %s (%s)", oneLine(n.Name), oneLine(n.Brand), how, oneLine(n.Within), oneLine(n.WithinBrand))
	}
	if len(places) == 1 {
		return nil
	}
	fmt.Fprintln(in.out)
	return printTable(in.out, places)
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
	tableFlags
}

// Help returns the command's long help.
func (c *trackerDiscoverCmd) Help() string {
	return `Lists names that stored answers emphasise, start list items with or mark as an entity, and that no brand of the tracker has,
ordered by the number of answers. The list is a suggestion: check each name with 'earshot tracker names try'.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker discover shoes
  earshot tracker discover shoes --answers 5000 --csv > names.csv`
}

// Run lists the names.
func (c *trackerDiscoverCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.DiscoverNames(in, c.Name, earshot.DiscoverQuery{Limit: c.Limit, Answers: c.Answers})
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"NAME", "ANSWERS", "SHARE", "AS", "FIRST SEEN", "TARGETS", "EXAMPLE"}}
	for _, n := range report.Names {
		rows = append(rows, []string{
			oneLine(n.Name), strconv.Itoa(n.Named), c.value(&n.Share, false), strings.Join(n.As, ","), n.FirstSeen.Local().Format(time.DateTime),
			oneLine(strings.Join(n.Targets, " ")), n.Examples[0],
		})
	}
	if !c.JSON && !c.CSV && report.Answers > 0 {
		fmt.Fprintf(in.errOut, "searched %s\n", searched(&report.AnswerSample))
	}
	return c.print(in, report, rows, report.MadeUp, "there are no suggestions")
}

type trackerWorkCmd struct {
	trackerArg
	tableFlags
}

// Help returns the command's long help.
func (c *trackerWorkCmd) Help() string {
	return `Lists the background work of a tracker that is not done yet: stored answers that are analysed again, closed sweeps to count, and sweeps
to review. DONE and TOTAL are answers for 'analyse' and sweeps for the others. Trackers of all organizations take turns. Work that
failed is tried again within a minute.

Exit status: 0 it was listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker work shoes
  earshot tracker work shoes --json | jq '.work[].secondsLeft'`
}

// Run lists the work.
func (c *trackerWorkCmd) Run(in *invocation, service *client.Client) error {
	list, err := service.TrackerWork(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"KIND", "STATE", "DONE", "TOTAL", "TIME LEFT", "ERROR"}}
	for _, w := range list.Work {
		total, left := "-", "-"
		if w.Total != nil {
			total = strconv.Itoa(*w.Total)
		}
		if w.SecondsLeft != nil {
			left = (time.Duration(*w.SecondsLeft) * time.Second).String()
		}
		rows = append(rows, []string{string(w.Kind), string(w.State), strconv.Itoa(w.Done), total, left, dashed(w.Error)})
	}
	return c.print(in, list, rows, false, "all background work is done")
}

type trackerReanalyseCmd struct {
	JSON  bool          `name:"json" help:"Print the new rules as JSON."`
	Every time.Duration `help:"How often to poll." default:"500ms" hidden:""`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerReanalyseCmd) Help() string {
	return `Analyses all stored answers again with the current brand names, in the background and at no cost, and waits for the end. Ctrl-C
leaves the analysis running. After a change of brands or an upgrade, this happens automatically. The metrics switch to the new
rules when the analysis is complete. The table shows how many stored answers name each brand by the old and by the new rules, and
how many were gained and lost.

Exit status: 0 the analysis is complete, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker reanalyse shoes`
}

// Run starts the analysis and waits for its end.
func (c *trackerReanalyseCmd) Run(in *invocation) error {
	service, err := c.connect(client.WithRetries(batchRetries))
	if err != nil {
		return err
	}
	started, err := service.Reanalyse(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	name := started.Rules.Name
	bar := newProgress(in.errOut, isTerminal(in.errOut))
	bar.begin(started.Rules.Answers, time.Now())
	defer bar.clear()
	for {
		rules, err := service.TrackerRules(in, c.Name)
		if err != nil && in.Err() == nil {
			return c.explain(err)
		}
		if err == nil {
			for i := range rules.Rules {
				switch r := &rules.Rules[i]; {
				case r.Name != name:
				case r.State == "pending":
					bar.show(r.Analysed, 0, time.Now())
				case r.State == "old":
					return fmt.Errorf("the rules %s were replaced before all answers were analysed; the current rules are %s", name, rules.Current)
				case c.JSON:
					return in.json(r)
				default:
					bar.clear()
					fmt.Fprintf(in.out, "%s: %s analysed\n", name, many(r.Analysed, "answer"))
					return c.moved(in, r)
				}
			}
		}
		select {
		case <-in.Done():
			text := fmt.Sprintf("interrupted; the analysis continues on the server: 'earshot tracker work %s' shows its progress", c.Name)
			return exitError{errors.New(text), statusInterrupted}
		case <-time.After(c.Every):
		}
	}
}

// moved prints the changes that new rules caused.
func (c *trackerReanalyseCmd) moved(in *invocation, r *earshot.NamingRule) error {
	if r.Moved == nil {
		return nil
	}
	rows := [][]string{{"BRAND", "BEFORE", "AFTER", "GAINED", "LOST"}}
	for _, m := range *r.Moved {
		rows = append(rows, []string{
			oneLine(m.Brand), thousands(int64(m.AnswersBefore)), thousands(int64(m.AnswersAfter)), thousands(int64(m.Gained)), thousands(int64(m.Lost)),
		})
	}
	return printTable(in.out, rows)
}
