package main

import (
	"bytes"
	"strings"
	"testing"

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
			"chatasistant":   `there is no provider "chatasistant"; did you mean chatassistant?`,
			"websearch-news": `there is no provider "websearch-news"; did you mean websearch/news?`,
			"nobody":         `there is no provider "nobody"; the providers are ` + strings.Join(providerNames(), ", "),
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
