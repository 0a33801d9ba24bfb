package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"earshot"
	"earshot/client"
)

type trackerApplyCmd struct {
	File   string `arg:"" help:"The tracker's definition, in YAML or JSON. With - it is read from standard input." placeholder:"FILE"`
	Name   string `help:"The tracker's name, where the file does not say it." placeholder:"NAME"`
	DryRun bool   `help:"Only tell what would change."`
	JSON   bool   `name:"json" help:"Print what the API answers."`
	remote
}

// Help says what it tells.
func (c *trackerApplyCmd) Help() string {
	return `Makes a tracker what a file says; it is the only way to change one. It tells what changes, what a sweep and a month can cost at
most, which series of numbers break, how precise they will be, and when the next sweep is due. The same file again changes
nothing. Mistakes are listed with their lines, and nothing is changed then.

Exit status: 0 it is as the file says, or with --dry-run could be, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: boots\nprompts:\n  - best boots\ntargets:\n  - {provider: chatassistant, country: US}\nschedule: {every: day, at: "06:00"}\n' > boots.yaml
  earshot tracker apply boots.yaml --dry-run
  earshot tracker apply boots.yaml
  earshot tracker apply boots.yaml --json | jq .changed`
}

// maxDefinition is as long as a definition may be.
const maxDefinition = 8 << 20

// Run applies the file.
func (c *trackerApplyCmd) Run(in *invocation) error {
	text, err := c.read(in)
	if err != nil {
		return err
	}
	name, err := c.nameIn(text)
	if err != nil {
		return err
	}
	service, err := c.connect()
	if err != nil {
		return err
	}
	applied, err := service.ApplyTracker(in, name, text, c.DryRun)
	if problems, ok := client.Details[[]earshot.FieldProblem](err); ok {
		return c.mistakes(in, text, problems)
	}
	if err != nil {
		about := trackerArg{Name: name, remote: c.remote}
		return about.explain(err)
	}
	if c.JSON {
		return in.json(applied)
	}
	return printApplied(in, applied)
}

func (c *trackerApplyCmd) read(in *invocation) ([]byte, error) {
	if c.File == "-" {
		return in.readInput("the definition", maxDefinition)
	}
	return readFile(c.File, maxDefinition)
}

// source is what the file is called in messages.
func (c *trackerApplyCmd) source() string {
	if c.File == "-" {
		return "standard input"
	}
	return c.File
}

// nameIn is the name of the tracker: that of the flag, or the one in the definition.
func (c *trackerApplyCmd) nameIn(text []byte) (string, error) {
	if c.Name != "" {
		return c.Name, nil
	}
	var definition struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &definition) != nil {
		if found := nameLine.FindSubmatch(text); found != nil {
			definition.Name = string(found[1])
		}
	}
	if definition.Name == "" {
		return "", fmt.Errorf("%s: the tracker has no name: add a line such as 'name: %s', or --name", c.source(), c.suggestion())
	}
	return definition.Name, nil
}

// nameLine is where YAML has the name. The rest of the file is the service's to read,
// which tells what is wrong with it.
var nameLine = regexp.MustCompile(`(?m)^\{?["']?name["']?[ \t]*:[ \t]+["']?([^"'\s,}#]+)`)

// suggestion is a name made of the file's.
func (c *trackerApplyCmd) suggestion() string {
	base := filepath.Base(c.File)
	if base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base))); c.File == "-" || base == "" {
		return "shoes"
	}
	return base
}

// mistakes prints what is wrong with the file, a line each.
func (c *trackerApplyCmd) mistakes(in *invocation, text []byte, problems []earshot.FieldProblem) error {
	lines := linesOf(text)
	for _, p := range problems {
		place := c.source()
		if line := p.Line; line > 0 {
			place += fmt.Sprintf(":%d", line)
		} else if line := lineOf(lines, p.Field); line > 0 {
			place += fmt.Sprintf(":%d", line)
		}
		fmt.Fprintln(in.errOut, oneLine(fmt.Sprintf("%s: %s: %s", place, p.Field, p.Message)))
	}
	return fmt.Errorf("%s in %s; nothing was changed", many(len(problems), "mistake"), c.source())
}

// linesOf are the lines of the fields of a definition in JSON, which is YAML, too. Those
// of YAML the service tells.
func linesOf(text []byte) map[string]int {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil
	}
	lines := map[string]int{}
	var walk func(node ast.Node, path string)
	walk = func(node ast.Node, path string) {
		lines[path] = node.GetToken().Position.Line
		switch node := node.(type) {
		case *ast.MappingNode:
			for _, item := range node.Values {
				walk(item.Value, strings.TrimPrefix(path+"."+item.Key.GetToken().Value, "."))
			}
		case *ast.SequenceNode:
			for i, item := range node.Values {
				walk(item, fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	walk(file.Docs[0].Body, "")
	delete(lines, "")
	return lines
}

// lineOf is the line of a field, or of the nearest that holds it; 0 when there is none.
func lineOf(lines map[string]int, field string) int {
	for field != "" && lines[field] == 0 {
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return lines[field]
}

// shownChanges is how many changes are told one by one.
const shownChanges = 20

// printApplied tells what a definition changes.
func printApplied(in *invocation, a *earshot.TrackerApplied) error {
	t := &a.Tracker
	fmt.Fprintf(in.out, "tracker %s %s\n", t.Name, verdict(a))
	rows := [][]string{}
	for i, change := range a.Changes {
		if i == shownChanges {
			rows = append(rows, []string{"  …", fmt.Sprintf("%s more; --json tells all", many(len(a.Changes)-i, "change"))})
			break
		}
		sign := map[string]string{"added": "+", "removed": "-"}[change.Kind]
		if sign == "" {
			sign = "~"
		}
		rows = append(rows, []string{"  " + sign + " " + change.Part, shortened(oneLine(change.What), changeColumns)})
	}
	rows = append(rows, costOf(t)...)
	for _, warning := range a.Warnings {
		rows = append(rows, []string{"warning", oneLine(warning)})
	}
	for _, b := range a.Breaks {
		series := b.Series
		if series == "*" {
			series = "all series"
		}
		rows = append(rows, []string{"break", oneLine(series + " cannot be compared with before: " + b.Reason)})
	}
	rows = append(rows, []string{"precision", precisionOf(a.Precision)})
	if p := a.Precision; p.Threshold != nil && p.FallsFound != nil {
		rows = append(rows, []string{"alerts", fmt.Sprintf("%.0f %% of falls by 0.8 logits, as from 40 to 27 %%, will be found within 14 sweeps (%d series, threshold %.1f)", 100**p.FallsFound, p.Series, *p.Threshold)})
	}
	rows = append(rows, []string{"next sweep", nextOf(t)})
	return printTable(in.out, rows)
}

// changeColumns is how much of a change is shown.
const changeColumns = 100

func verdict(a *earshot.TrackerApplied) string {
	switch {
	case !a.Changed:
		return fmt.Sprintf("is as the file says (version %d); nothing changes", a.Tracker.Version)
	case a.DryRun && a.Created:
		return "would be made"
	case a.Created:
		return "is made"
	case a.DryRun:
		return fmt.Sprintf("would change to version %d", a.Tracker.Version)
	default:
		return fmt.Sprintf("is changed to version %d", a.Tracker.Version)
	}
}

// precisionOf tells how small a change will be seen.
func precisionOf(p earshot.Precision) string {
	basis := fmt.Sprintf("%s, each asked %s a target and sweep, %s in 28 days", many(p.Prompts, "prompt"), many(p.Samples, "time"), many(p.Sweeps, "sweep"))
	switch {
	case p.SmallestChange != nil:
		return fmt.Sprintf("changes of %.1f points or more will be seen between two spans of 28 days (%s)", 100**p.SmallestChange, basis)
	case p.Sweeps == 0:
		return "by how often you run it (" + many(p.Prompts, "prompt") + ")"
	default:
		return "not known before the first sweeps (" + basis + ")"
	}
}
