package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"earshot/internal/app"
)

type reparseCmd struct {
	Folder   string      `arg:"" optional:"" help:"A folder of stored pages to parse instead of the captures. It needs --provider, but no database." placeholder:"DIR"`
	Provider providerArg `help:"The provider of the pages in the folder: ${providers}." placeholder:"PROVIDER" completion-predictor:"provider"`
	Save     string      `help:"Write the results to a file, for --against." placeholder:"FILE"`
	Against  string      `help:"Compare with the results in a file of --save instead of the stored results." placeholder:"FILE"`
	Captures string      `help:"The bucket of the captures, as for serve." placeholder:"s3://…" env:"EARSHOT_CAPTURES"`
	JSON     bool        `name:"json" help:"Print one JSON object per page."`
}

// Help returns the command's long help.
func (c *reparseCmd) Help() string {
	return `Parses every stored capture again, with its request, and prints the values of the result that differ, for each page and then
summed up by path. Use it after a change of a parser. The results of synchronous calls are not stored; compare these with
--save before the change and --against after it, as well as pages in a folder. Nothing is changed or charged.

Exit status: 0 no result differs, 2 results differ, 1 anything else.

Examples:
  earshot reparse
  earshot reparse --save before.jsonl && earshot reparse --against before.jsonl
  earshot reparse --json | jq 'select(.reason == "unreadable")'`
}

// statusChanged is the exit status if results differ.
const statusChanged = 2

// Run prints the changes of each page and their summary.
func (c *reparseCmd) Run(in *invocation) (err error) {
	in.cfg.Captures = c.Captures
	if c.Folder != "" && (c.Provider.Name == "" || c.Save+c.Against == "") {
		return errors.New("a folder needs --provider, and --save or --against")
	}
	var baseline app.Baseline
	if c.Against != "" {
		if baseline, err = readBaseline(c.Against); err != nil {
			return err
		}
	}
	save := io.Discard
	if c.Save != "" {
		file, err := os.Create(c.Save)
		if err != nil {
			return err
		}
		save = file
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	s := reparseSummary{outcomes: map[string]int{}, paths: map[string]*pathSummary{}}
	report := func(r app.Reparsed) error {
		if err := json.NewEncoder(save).Encode(app.Parsed{Capture: r.Capture, Reason: r.Reason, Result: r.Result}); err != nil {
			return fmt.Errorf("save the results: %w", err)
		}
		outcome := s.add(r)
		if c.JSON {
			return json.NewEncoder(in.out).Encode(r)
		}
		fmt.Fprintf(in.out, "%s  %-16s  %s\n", r.Capture, r.Provider, outcome)
		for _, change := range r.Changes {
			fmt.Fprintf(in.out, "    %s\n", oneLine(change.String()))
		}
		return nil
	}
	if c.Folder != "" {
		err = app.ReparseFolder(in, c.Folder, c.Provider.Name, baseline, report)
	} else {
		err = app.Reparse(in, in.cfg, baseline, report)
	}
	if err == nil && !c.JSON {
		err = s.print(in.out)
	}
	if changed := s.outcomes[outcomeChanged]; err == nil && changed > 0 {
		err = exitError{fmt.Errorf("%s changed", many(changed, "result")), statusChanged}
	}
	return err
}

func readBaseline(path string) (app.Baseline, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return app.ReadBaseline(file)
}

// reparseSummary counts outcomes of pages, and changes by path.
type reparseSummary struct {
	outcomes map[string]int
	paths    map[string]*pathSummary
}

// pathSummary counts the changes of one path without indices.
type pathSummary struct{ pages, changed, added, removed int }

// index matches an index in the path of a value.
var index = regexp.MustCompile(`\[[0-9]+\]`)

const outcomeChanged = "changed"

// add counts a page and returns its outcome.
func (s *reparseSummary) add(r app.Reparsed) string {
	outcome := "unchanged"
	switch {
	case len(r.Changes) > 0:
		outcome = outcomeChanged
	case r.Reason != "":
		outcome = string(r.Reason)
	case !r.Compared:
		outcome = "not compared"
	}
	s.outcomes[outcome]++
	seen := map[string]bool{}
	for _, change := range r.Changes {
		path := index.ReplaceAllString(change.Path, "[]")
		if s.paths[path] == nil {
			s.paths[path] = &pathSummary{}
		}
		sum := s.paths[path]
		if !seen[path] {
			seen[path] = true
			sum.pages++
		}
		switch {
		case change.Before == nil:
			sum.added++
		case change.After == nil:
			sum.removed++
		default:
			sum.changed++
		}
	}
	return outcome
}

func (s *reparseSummary) print(out io.Writer) error {
	var sums []string
	for _, outcome := range slices.Sorted(maps.Keys(s.outcomes)) {
		sums = append(sums, fmt.Sprintf("%d %s", s.outcomes[outcome], outcome))
	}
	fmt.Fprintln(out, cmp.Or(strings.Join(sums, ", "), "there are no captures"))
	if len(s.paths) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PATH\tPAGES\tCHANGED\tADDED\tREMOVED")
	for _, path := range slices.Sorted(maps.Keys(s.paths)) {
		sum := s.paths[path]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", path, sum.pages, sum.changed, sum.added, sum.removed)
	}
	return table.Flush()
}
