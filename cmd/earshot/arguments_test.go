package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"earshot/internal/app"
	"earshot/internal/files/batchfile"
)

// parsed parses a command line without running it.
func parsed(t *testing.T, args ...string) (*cli, error) {
	t.Helper()
	return parserOf(t)(args...)
}

// parserOf returns a function that parses many command lines with one parser, because
// creating a parser is slow. The result is valid until the next call.
func parserOf(t *testing.T) func(args ...string) (*cli, error) {
	t.Helper()
	c := &cli{}
	parser, err := kong.New(c, kong.Name("earshot"), helpVars())
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (*cli, error) {
		_, err := parser.Parse(args)
		return c, err
	}
}

func TestEveryProviderIsListedAndAccepted(t *testing.T) {
	t.Parallel()
	parse, all := parserOf(t), commands(t)
	for _, command := range []string{"ask", "parse", "batch", "check"} {
		help := all["earshot "+command]
		var text bytes.Buffer
		for _, argument := range help.Positional {
			text.WriteString(argument.Help + "\n")
		}
		for _, flag := range help.Flags {
			text.WriteString(flag.Help + "\n")
		}
		wants(t, text.String(), ": "+strings.Join(providerNames(), ", ")+".")
	}
	for _, p := range app.Providers() {
		about := p.Definition()
		for _, name := range []string{about.Name, strings.ToUpper(about.Name), about.TaskType, strings.ToLower(about.TaskType)} {
			c, err := parse("ask", name, "shoes")
			if err != nil || c.Ask.Provider.Name != about.Name {
				t.Errorf("ask %s: %q, %v", name, c.Ask.Provider.Name, err)
			}
			request, err := c.Ask.request(&invocation{Context: t.Context()})
			if err != nil || request[about.TextField()] != "shoes" {
				t.Errorf("ask %s requests %v, %v", name, request, err)
			}
			if c, err = parse("parse", name); err != nil || c.Parse.Provider.Name != about.Name {
				t.Errorf("parse %s: %q, %v", name, c.Parse.Provider.Name, err)
			}
			if c, err = parse("check", name, name); err != nil || len(c.Check.Provider) != 2 || c.Check.Provider[1].Name != about.Name {
				t.Errorf("check %s: %v", name, err)
			}
			if c, err = parse("tasks", "--type", name); err != nil || c.Tasks.List.Type.TaskType != about.TaskType {
				t.Errorf("tasks --type %s: %q, %v", name, c.Tasks.List.Type.TaskType, err)
			}
			if c, err = parse("batch", "x.csv", "--providers", "websearch,"+name); err != nil || c.Batch.Providers[1].Name != about.Name {
				t.Fatalf("batch --providers %s: %v", name, err)
			}
			for _, field := range []string{"provider", "taskType"} {
				questions, err := questionsOf(batchfile.Row{Fields: map[string]any{field: name, "prompt": "shoes"}}, nil, nil)
				if err != nil || questions[0].task().TaskType != about.TaskType || questions[0].payload[about.TextField()] != "shoes" {
					t.Errorf("a row with the %s %s: %v", field, name, err)
				}
			}
		}
	}
}

func TestUnknownProviderIsRefusedWithASuggestion(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"ask", "?", "x"}, {"parse", "?"}, {"check", "?"}, {"tasks", "--type", "?"}, {"batch", "x.csv", "--providers", "?"}} {
		for name, want := range map[string]string{
			"chatasistant":  `there is no provider "chatasistant"; did you mean chatassistant?`,
			"websearch-nws": `there is no provider "websearch-nws"; did you mean websearch/news?`,
			"nobody":        `there is no provider "nobody"; the providers are ` + strings.Join(providerNames(), ", "),
		} {
			named := append([]string{}, args...)
			for i := range named {
				named[i] = strings.Replace(named[i], "?", name, 1)
			}
			if _, err := parsed(t, named...); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("earshot %s: %v, want %q", strings.Join(named, " "), err, want)
			}
		}
	}
}

func TestProductsAndCountriesBecomeCanonical(t *testing.T) {
	t.Parallel()
	parse := parserOf(t)
	for product, want := range map[string]string{
		"ChatGPT": "chatassistant", "gemini": "genassistant", "perplexity": "answerengine", "google": "websearch", "news": "websearch/news",
		"aimode": "searchaimode", "Google AI Mode": "searchaimode", "grok": "socialassistant", "copilot": "officeassistant", "claude": "claude",
	} {
		c, err := parse("ask", product, "x", "--country", "us", "--state", "ca")
		if err != nil || c.Ask.Provider.Name != want || c.Ask.Country != "US" || c.Ask.State != "CA" {
			t.Errorf("ask %s: %+v, %v", product, c.Ask, err)
		}
	}
	rows, err := questionsOf(batchfile.Row{Fields: map[string]any{"provider": "aimode", "prompt": "x", "country": "us", "state": "ca"}}, nil, nil)
	if err != nil || rows[0].provider.Name != "searchaimode" || rows[0].country() != "US" || rows[0].payload["state"] != "CA" {
		t.Errorf("a row of a batch: %+v, %v", rows, err)
	}
	c, err := parse("tracker", "metrics", "x", "--filter", "target:chatgpt/us,tag:Trail,provider:news,country:de", "--having", "target:news/de/desktop")
	if m := c.Tracker.Metrics; err != nil || m.Filter != "target:chatassistant/US,tag:Trail,provider:websearch/news,country:DE" || m.Having != "target:websearch/news/DE/desktop" {
		t.Errorf("filters: %q, %q, %v", m.Filter, m.Having, err)
	}
	if c, err = parse("tracker", "answers", "x", "--target", "other/us"); err != nil || c.Tracker.Answers.Target != "other/us" {
		t.Errorf("an unknown target: %q, %v", c.Tracker.Answers.Target, err)
	}
}

func TestTimesMayBeRelative(t *testing.T) {
	t.Parallel()
	parse := parserOf(t)
	read := func(args ...string) (*trackerCompareCmd, error) {
		c, err := parse(withNegatives(&kong.Application{Node: commands(t)["earshot"]}, append([]string{"tracker", "compare", "x"}, args...))...)
		return &c.Tracker.Compare, err
	}
	before := time.Now().UTC()
	c, err := read("--from", "-7d", "--to", "-1d", "--baseline-from", "-2w", "--baseline-to", "-12h")
	after := time.Now().UTC()
	if err != nil {
		t.Fatal(err)
	}
	days := func(n int) []moment {
		return []moment{moment(before.AddDate(0, 0, -n).Format(time.DateOnly)), moment(after.AddDate(0, 0, -n).Format(time.DateOnly))}
	}
	hours, err := time.Parse(time.RFC3339, string(c.BaselineTo))
	if !slices.Contains(days(7), c.From) || !slices.Contains(days(1), c.To) || !slices.Contains(days(14), c.BaselineFrom) || err != nil ||
		hours.Before(before.Add(-12*time.Hour-time.Second)) || hours.After(after.Add(-12*time.Hour)) {
		t.Errorf("it reads %+v (%v)", c, err)
	}
	if c, err = read("--from", "2026-11-01", "--to", "2026-11-02T03:04:05+01:00"); err != nil || c.From != "2026-11-01" || c.To != "2026-11-02T03:04:05+01:00" {
		t.Errorf("it reads %+v, %v", c, err)
	}
	for _, text := range []string{"yesterday", "2026-13-01", "-7y", "7d", "-7"} {
		if _, err := read("--to=" + text); err == nil || !strings.Contains(err.Error(), "--to: must be a day such as 2026-11-01, ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := parse("tracker", "share", "x", "--from=-12h"); err == nil || !strings.Contains(err.Error(), "--from: must be a day such as 2026-11-01, now, or ") {
		t.Errorf("a time as a day: %v", err)
	}
}
