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

// trackerExplore are the commands that look into the answers of a tracker.
type trackerExplore struct {
	Names     trackerNamesCmd     `cmd:"" help:"The names that are looked for, and what others would find."`
	Discover  trackerDiscoverCmd  `cmd:"" help:"List names that its answers make stand out and nobody looks for."`
	Diff      trackerDiffCmd      `cmd:"" help:"Compare two of its answers, word by word."`
	Reanalyse trackerReanalyseCmd `cmd:"" help:"Look for all names again in all kept answers."`
	Verify    trackerVerifyCmd    `cmd:"" help:"Compute the numbers of an export again, without a server."`
}

type trackerNamesCmd struct {
	List trackerNamesListCmd `cmd:"" help:"List the names that are looked for."`
	Try  trackerNamesTryCmd  `cmd:"" help:"Tell what names would find in kept answers."`
}

type trackerNamesListCmd struct {
	trackerArg
	tableFlags
}

// Help says what is listed.
func (c *trackerNamesListCmd) Help() string {
	return `Lists the names that the current rules of a tracker look for, with their switches, and the domains of each brand. Rules that kept
answers are still being analysed by are told, too.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker names list shoes
  earshot tracker names list shoes --csv > names.csv`
}

// Run lists names.
func (c *trackerNamesListCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	rules, err := service.TrackerRules(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"BRAND", "NAME", "SWITCHES", "DOMAINS"}}
	for _, r := range rules.Rules {
		if r.State == "pending" && !c.JSON && !c.CSV {
			fmt.Fprintf(in.errOut, "%s: %s of %s kept answers are analysed by new names\n", r.Name, thousands(int64(r.Analysed)), thousands(int64(r.Answers)))
		}
		if r.Name != rules.Current {
			continue
		}
		for _, brand := range r.Brands {
			own := brand.Name
			if brand.Own {
				own += " (own)"
			}
			rows = append(rows, []string{oneLine(own), oneLine(brand.Name), dashed(switches(brand.Match)), dashed(strings.Join(brand.Domains, " "))})
			for _, alias := range brand.Aliases {
				rows = append(rows, []string{oneLine(own), oneLine(alias.Name), dashed(switches(alias.Match)), "-"})
			}
		}
	}
	return c.print(in, rules, rows, false, "no names are looked for; 'brands' in the tracker's file has them")
}

// switches tells how a name is found.
func switches(m *earshot.NameMatch) string {
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
	Names []string `arg:"" help:"The names to look for."`

	Brand    string   `help:"The brand that they are names of; without it, they are a new one's." placeholder:"BRAND"`
	Case     string   `help:"exact where upper and lower case must be as in the name." enum:"exact," default:"" placeholder:"exact"`
	Joined   bool     `help:"Spaces and hyphens in the name may be missing or others."`
	Prefixes []string `help:"What may stand between the beginning of a word and the name." placeholder:"TEXT"`
	Suffixes []string `help:"What may stand between the name and the end of a word." placeholder:"TEXT"`
	Near     []string `help:"Words of which one must stand nearby." placeholder:"WORD"`
	Not      []string `help:"Words and phrases that rule the name out." placeholder:"TEXT"`
	Within   int      `help:"How many words around the name are nearby." placeholder:"N"`
	Limit    int      `help:"How many kept answers to look at, the newest first." default:"1000" placeholder:"N"`
	tableFlags
}

// Help says what is told.
func (c *trackerNamesTryCmd) Help() string {
	return `Looks for names in kept answers as if they were in the tracker's file, and tells in how many answers they stand, ten places, which
names they collide with, and how many answers would name whom. The switches hold for all of the names. Nothing changes and
nothing is charged; with 'earshot tracker apply' names take effect. --csv prints the places.

Exit status: 0 they were looked for, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker names try shoes "Ollaro Sports" --brand Ollaro
  earshot tracker names try shoes On --case exact --near shoes --near running --within 8`
}

// Run looks for names.
func (c *trackerNamesTryCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	match := &earshot.NameMatch{Case: c.Case, Joined: c.Joined, Prefixes: c.Prefixes, Suffixes: c.Suffixes, Near: c.Near, Not: c.Not, Within: c.Within}
	if switches(match) == "" {
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
	fmt.Fprintf(in.out, "\nlooked at %s\n\n", looked(&tried.AnswerSample))
	rows = [][]string{{"BRAND", "NAMED NOW", "THEN", "SHARE NOW", "THEN"}}
	for _, v := range tried.Changes {
		rows = append(rows, []string{oneLine(v.Brand), strconv.Itoa(v.NamedBefore), strconv.Itoa(v.NamedAfter), c.value(&v.Before, false), c.value(&v.After, false)})
	}
	if err := printTable(in.out, rows); err != nil {
		return err
	}
	for _, n := range tried.Collisions {
		how := "stands inside"
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

// looked says which answers were looked at.
func looked(s *earshot.AnswerSample) string {
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
	Answers int `help:"How many kept answers to look at, the newest first." default:"1000" placeholder:"N"`
	tableFlags
}

// Help says where names come from.
func (c *trackerDiscoverCmd) Help() string {
	return `Lists what kept answers emphasise, begin list items with or mark as an entity, that looks like a name and that the tracker does
not look for, by the number of answers. It is a guess: what is a name of whom, only you know. 'earshot tracker names try' tells more
of one.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker discover shoes
  earshot tracker discover shoes --answers 5000 --csv > names.csv`
}

// Run lists names.
func (c *trackerDiscoverCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
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
		fmt.Fprintf(in.errOut, "looked at %s\n", looked(&report.AnswerSample))
	}
	return c.print(in, report, rows, report.MadeUp, "nothing stands out in its answers that is not looked for")
}

type trackerReanalyseCmd struct {
	JSON  bool          `name:"json" help:"Print the new rules as JSON."`
	Every time.Duration `help:"How often to look." default:"500ms" hidden:""`
	trackerArg
}

// Help says when one needs it.
func (c *trackerReanalyseCmd) Help() string {
	return `Looks for all names again in all kept answers, in the background and at no cost, and waits for it. Ctrl-C leaves it running. A
change of brands or an upgrade does so by itself. Numbers change over at once when it is done. The table tells, for each brand, how
many kept answers name it by the rules before and by the new ones, and how many do so only by one of them.

Exit status: 0 it was done, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker reanalyse shoes`
}

// Run has answers analysed and waits.
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
					return fmt.Errorf("the rules %s were replaced before all answers were analysed; the current ones are %s", name, rules.Current)
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
			text := fmt.Sprintf("interrupted; it goes on on the server: 'earshot tracker names list %s' tells how far it is", c.Name)
			return exitError{errors.New(text), statusInterrupted}
		case <-time.After(c.Every):
		}
	}
}

// moved prints what new rules changed.
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
