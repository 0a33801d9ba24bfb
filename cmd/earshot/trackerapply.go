package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"earshot"
	"earshot/client"
)

type trackerApplyCmd struct {
	File    string `arg:"" help:"The tracker's definition, in YAML or JSON; - reads standard input." placeholder:"FILE"`
	Name    string `help:"The tracker's name, if the file does not contain it." placeholder:"NAME"`
	DryRun  bool   `help:"Print the changes without applying them."`
	IfMatch string `help:"Apply only if the tracker still has this etag." placeholder:"ETAG"`
	output  `set:"formats=table,json"`
	remote
}

// Help returns the command's long help.
func (c *trackerApplyCmd) Help() string {
	return `Creates or changes a tracker from a file. This is the only way to change a tracker. It prints the changes, the maximum cost of a
sweep and of a month, and the series that break; -o json has the expected precision of the metrics too. Providers may be called by
their products, such as chatgpt, and countries be in lower case. Applying the same file again changes nothing. If the file has errors,
they are listed with their lines, and nothing is changed.

Exit status: 0 it was applied, or with --dry-run is valid, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: boots\nprompts:\n  - best boots\ntargets:\n  - {provider: chatgpt, country: us}\nschedule: {every: day, at: "06:00"}\n' > boots.yaml
  earshot tracker apply boots.yaml --dry-run
  earshot tracker apply boots.yaml
  earshot tracker apply boots.yaml --jq .changed`
}

// Run applies the file.
func (c *trackerApplyCmd) Run(in *invocation) error {
	text, err := in.content(c.File, "the definition")
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
	applied, err := service.ApplyTracker(client.WithIfMatch(in, c.IfMatch), name, canonicalTargets(text), c.DryRun)
	if changed, ok := client.Details[earshot.VersionDetails](err); ok && changed.Current != nil {
		return c.changed(in, changed.Current)
	}
	if problems, ok := client.Details[[]earshot.FieldProblem](err); ok {
		return c.mistakes(in, text, problems)
	}
	if err != nil {
		about := trackerArg{Name: name, remote: c.remote}
		return about.explain(err)
	}
	if printed, err := c.object(in, applied); printed {
		return err
	}
	return printApplied(in, applied)
}

// changed returns an error that says how the tracker is now.
func (c *trackerApplyCmd) changed(in *invocation, current json.RawMessage) error {
	var t earshot.Tracker
	if err := json.Unmarshal(current, &t); err != nil {
		return fmt.Errorf("decode the current tracker: %w", err)
	}
	if err := in.json(t.Definition); err != nil {
		return err
	}
	return fmt.Errorf("somebody else has changed the tracker: it is %s, with version %d of %s, whose definition is above; to overwrite it, pass --if-match '%s'",
		t.State, t.Version, t.UpdatedAt.Format(time.DateTime), t.ETag)
}

// canonicalTargets replaces products and countries in lower case in the targets of a definition
// in JSON. In YAML, the service does.
func canonicalTargets(text []byte) []byte {
	var definition map[string]json.RawMessage
	var targets []map[string]any
	if json.Unmarshal(text, &definition) != nil || json.Unmarshal(definition["targets"], &targets) != nil {
		return text
	}
	changed := false
	set := func(target map[string]any, field string, canonical func(string) string) {
		if text, isText := target[field].(string); isText && canonical(text) != text {
			target[field], changed = canonical(text), true
		}
	}
	for _, target := range targets {
		set(target, "provider", canonicalTarget)
		set(target, "country", strings.ToUpper)
		set(target, "state", strings.ToUpper)
	}
	if !changed {
		return text // which may have mistakes, such as a field twice
	}
	definition["targets"], _ = json.Marshal(targets)
	text, _ = json.Marshal(definition) // neither can fail: they came from JSON
	return text
}

// source returns the name of the file for messages.
func (c *trackerApplyCmd) source() string {
	if c.File == "-" {
		return "standard input"
	}
	return c.File
}

// nameIn returns the name of the tracker from the flag or from the definition.
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
		return "", fmt.Errorf("%s: the tracker has no name: add a line such as 'name: %s', or pass --name", c.source(), c.suggestion())
	}
	return definition.Name, nil
}

// nameLine matches the name in YAML. The service parses and checks the rest of the file.
var nameLine = regexp.MustCompile(`(?m)^\{?["']?name["']?[ \t]*:[ \t]+["']?([^"'\s,}#]+)`)

// suggestion returns a tracker name derived from the file name.
func (c *trackerApplyCmd) suggestion() string {
	base := filepath.Base(c.File)
	if base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base))); c.File == "-" || base == "" {
		return "shoes"
	}
	return base
}

// mistakes prints the problems of the file, one per line.
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
	return fmt.Errorf("%s in %s; nothing was changed", many(len(problems), "error"), c.source())
}

// linesOf returns the lines of the fields of a definition in JSON, which is valid YAML. For
// YAML, the service returns the lines.
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

// lineOf returns the line of a field or of the nearest field that contains it, or 0.
func lineOf(lines map[string]int, field string) int {
	for field != "" && lines[field] == 0 {
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return lines[field]
}

const (
	shownChanges  = 20  // the maximum number of changes to print
	changeColumns = 100 // the maximum width of a change
)

// printApplied prints the effect of a definition.
func printApplied(in *invocation, a *earshot.TrackerApplied) error {
	t := &a.Tracker
	fmt.Fprintf(in.out, "tracker %s %s\n", t.Name, verdict(a))
	rows := [][]string{}
	for i, change := range a.Changes {
		if i == shownChanges {
			rows = append(rows, []string{"  …", fmt.Sprintf("%s more; -o json prints all", many(len(a.Changes)-i, "change"))})
			break
		}
		sign := map[string]string{"added": "+", "removed": "-"}[change.Kind]
		if sign == "" {
			sign = "~"
		}
		rows = append(rows, []string{"  " + sign + " " + change.Part, shortened(oneLine(change.What), changeColumns)})
	}
	if a.Changed {
		rows = append(rows, costOf(t)...)
	}
	for _, warning := range a.Warnings {
		rows = append(rows, []string{"warning", oneLine(warning)})
	}
	for _, b := range a.Breaks {
		series := b.Series
		if series == "*" {
			series = "all series"
		}
		rows = append(rows, []string{"break", oneLine(series + " cannot be compared with earlier values: " + b.Reason)})
	}
	if a.Created {
		rows = append(rows, []string{"next sweep", nextOf(t)})
	}
	return printTable(in.out, rows)
}

func verdict(a *earshot.TrackerApplied) string {
	switch {
	case !a.Changed:
		return fmt.Sprintf("is unchanged (version %d)", a.Tracker.Version)
	case a.DryRun && a.Created:
		return "would be created"
	case a.Created:
		return "was created"
	case a.DryRun:
		return fmt.Sprintf("would change to version %d", a.Tracker.Version)
	default:
		return fmt.Sprintf("was changed to version %d", a.Tracker.Version)
	}
}
