package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

// answerFlags pick among the answers of a tracker.
type answerFlags struct {
	Sweep    string `help:"Only those of this sweep." placeholder:"ID"`
	PromptID int    `help:"Only those to this question, by its number." placeholder:"N"`
	Target   string `help:"Only those on this target, such as chatassistant/US." placeholder:"TARGET"`
	Tag      string `help:"Only those to questions with this tag." placeholder:"TAG"`
	Outcome  string `help:"Only those that are pending, answered, refused or missing." enum:"pending,answered,refused,missing," default:"" placeholder:"OUTCOME"`
	Reason   string `help:"Only those that are missing for this reason, such as blocked." placeholder:"REASON"`
	From     string `help:"Only those asked at this time or later: a day, or a time such as 2026-09-08T06:00:00Z." placeholder:"TIME"`
	To       string `help:"Only those asked before this time, or up to the end of this day." placeholder:"TIME"`
	Text     string `help:"Only those whose question contains this text." placeholder:"TEXT"`
}

func (f *answerFlags) filter() earshot.AnswerFilter {
	return earshot.AnswerFilter{
		Sweep: f.Sweep, PromptID: f.PromptID, Target: f.Target, Tag: f.Tag, Outcome: earshot.Outcome(f.Outcome), Reason: f.Reason,
		From: f.From, To: f.To, Text: f.Text,
	}
}

type trackerAnswersCmd struct {
	trackerArg
	ID    string `arg:"" optional:"" help:"Print this answer with its result instead."`
	Limit int    `help:"How many to list at most; 0 for all." default:"50" placeholder:"N"`
	JSON  bool   `name:"json" help:"Print one JSON object an answer; of one answer, with its result."`
	answerFlags
}

// Help says what the columns are.
func (c *trackerAnswersCmd) Help() string {
	return `Lists what became of the questions of a tracker, newest first: when each was asked, the outcome, where, what it cost in credits,
its id, the question with its number, and why it is missing. What is missing is no answer, and counts in no number. With an
id it prints that answer and its result, as 'earshot ask' does.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: caps\nprompts: [{text: best caps, tags: [sun]}]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply - && earshot tracker run caps --wait
  earshot tracker answers caps --tag sun
  earshot tracker answers caps "$(earshot tracker answers caps --outcome answered --limit 1 --json | jq -r .id)"
  earshot tracker answers caps --outcome missing --json | jq -r .reason`
}

// Run lists, or prints one.
func (c *trackerAnswersCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	if c.ID != "" {
		return c.show(in, service)
	}
	q := earshot.AnswerQuery{AnswerFilter: c.filter()}
	list := listing{
		explain: c.explain, limit: c.Limit, json: c.JSON, none: "there are no such answers; 'earshot tracker sweeps " + c.Name + "' tells what was asked",
		header: []string{"ASKED", "OUTCOME", "TARGET", "CREDITS", "ID", "PROMPT", "REASON"},
	}
	if q.Limit, err = list.page(); err != nil {
		return err
	}
	return printList(in, list, service.Answers(in, c.Name, q), func(a *earshot.TrackedAnswer) []string {
		return []string{
			a.AskedAt.Local().Format(time.DateTime), outcomeOf(a), oneLine(a.Target), thousands(a.Charged), a.ID,
			fmt.Sprintf("%d %s", a.PromptID, shortened(oneLine(a.Prompt), promptColumns)), a.Reason,
		}
	})
}

// outcomeOf is the outcome of a question, and whether the answer is made up.
func outcomeOf(a *earshot.TrackedAnswer) string {
	if a.MadeUp {
		return string(a.Outcome) + ", made up"
	}
	return string(a.Outcome)
}

// show prints one answer.
func (c *trackerAnswersCmd) show(in *invocation, service *client.Client) error {
	a, err := service.Answer(in, c.Name, c.ID)
	if err != nil {
		return c.explain(err)
	}
	if c.JSON {
		return in.json(a)
	}
	rows := [][]string{
		{"answer", a.ID},
		{"sweep", a.Sweep},
		{"prompt", fmt.Sprintf("%d %s", a.PromptID, oneLine(a.Prompt))},
		{"target", fmt.Sprintf("%s, sample %d", oneLine(a.Target), a.Sample)},
		{"outcome", strings.TrimSpace(outcomeOf(a) + " " + a.Reason)},
		{"asked", a.AskedAt.Local().Format(time.DateTime)},
		{"cost", fmt.Sprintf("%s, %s", many(a.Charged, "credit"), many(a.Attempts, "attempt"))},
	}
	if a.Model != "" {
		rows = append(rows, []string{"model", oneLine(a.Model)})
	}
	if err := printTable(in.out, rows); err != nil || a.Result == nil {
		return err
	}
	if a.MadeUp {
		fmt.Fprintln(in.errOut, "warning: this answer is made up by the built-in lab")
	}
	fmt.Fprintln(in.out)
	provider, err := providerOf(a.Target)
	if err != nil {
		return err
	}
	return newPrinter(in.out).print(provider.Definition, a.Result)
}

// providerOf is the provider of a target, whose name begins the target's.
func providerOf(target string) (providerArg, error) {
	var found providerArg
	longest := ""
	for _, name := range providerNames() {
		if strings.HasPrefix(target, name+"/") && len(name) > len(longest) {
			longest = name
		}
	}
	if longest == "" {
		return found, fmt.Errorf("the provider of %s is not known here; --json prints the answer as it is", oneLine(target))
	}
	err := found.UnmarshalText([]byte(longest))
	return found, err
}

// listing is how a list is printed.
type listing struct {
	explain func(error) error // of the server
	limit   int
	json    bool
	header  []string
	none    string // what to say of an empty list
}

// page is how many to ask for at once.
func (l *listing) page() (int, error) {
	if l.limit < 0 {
		return 0, fmt.Errorf("--limit must be at least 0, but is %d", l.limit)
	}
	if l.limit == 0 {
		return pageSize, nil
	}
	return min(l.limit, pageSize), nil
}

// printList prints a list as a table, or as one JSON object a line.
func printList[T any](in *invocation, l listing, items iter.Seq2[*T, error], row func(*T) []string) error {
	rows := [][]string{l.header}
	encoder, count := json.NewEncoder(in.out), 0
	for item, err := range items {
		if err != nil {
			return l.explain(err)
		}
		if !l.json {
			rows = append(rows, row(item))
		} else if err := encoder.Encode(item); err != nil {
			return err
		}
		if count++; count == l.limit {
			break
		}
	}
	switch {
	case l.json:
		return nil
	case count == 0:
		fmt.Fprintln(in.errOut, l.none)
		return nil
	default:
		return printTable(in.out, rows)
	}
}

type trackerExportCmd struct {
	trackerArg
	Out    string `short:"o" help:"Where to write. Without it: to standard output." placeholder:"FILE"`
	Format string `help:"ndjson, one JSON object a line; csv, a table for spreadsheets; or parquet, for DuckDB, ClickHouse, Spark and others. Without it: by the file's ending." enum:"ndjson,csv,parquet," default:"" placeholder:"FORMAT"`
	Table  string `help:"answers; mentions or citations in them; metrics of each sweep; sweeps; or numbers with all that they are made of, for 'earshot tracker verify'." enum:"answers,mentions,citations,metrics,sweeps,numbers" default:"answers"`
	answerFlags
}

// Help says what is written.
func (c *trackerExportCmd) Help() string {
	return `Writes all answers of a tracker with their results, or another table, newest first. It takes the filters of 'earshot tracker
answers'; of sweeps and metrics, --sweep, --from and --to. A file is there when it is complete, and not before. In a table, cells that a
spreadsheet would take for a formula begin with an apostrophe.

Exit status: 0 all was written, 130 it was interrupted, 1 anything else, such as a connection that broke.

Examples:
  printf 'name: ties\nprompts: [best ties]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply - && earshot tracker run ties --wait
  earshot tracker export ties -o ties.csv
  earshot tracker export ties --outcome answered | jq -r .result.text
  earshot tracker export ties --table sweeps --format csv
  earshot tracker export ties --table mentions -o mentions.parquet
  earshot tracker export ties --table numbers -o ties.ndjson && earshot tracker verify ties.ndjson`
}

// Run writes the table.
func (c *trackerExportCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	format := c.Format
	if ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(c.Out)), "."); format == "" && (ending == "csv" || ending == "parquet") {
		format = ending
	}
	stream, err := service.Export(in, c.Name, earshot.ExportQuery{Table: c.Table, Format: format, AnswerFilter: c.filter()})
	if err != nil {
		return c.explain(err)
	}
	defer func() { _ = stream.Close() }() // it was only read
	return deliver(in, "export", c.Out, stream)
}

// deliver prints what comes, or writes it to a file that has its name only when it is
// complete. what names it.
func deliver(in *invocation, what, name string, stream io.Reader) error {
	if name == "" {
		_, err := io.Copy(in.out, stream)
		return complete(in, what, err)
	}
	partial := name + ".part"
	file, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	size, err := io.Copy(file, stream)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(complete(in, what, err), os.Remove(partial))
	}
	if err := os.Rename(partial, name); err != nil {
		return fmt.Errorf("name the file: %w", err)
	}
	fmt.Fprintf(in.errOut, "%s: %s\n", name, many(size, "byte"))
	return nil
}

// complete explains why what was to come is not.
func complete(in *invocation, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case in.Err() != nil:
		return exitError{fmt.Errorf("interrupted: the %s is not complete", what), statusInterrupted}
	default:
		return fmt.Errorf("the %s is not complete: %w; run the command again", what, err)
	}
}
