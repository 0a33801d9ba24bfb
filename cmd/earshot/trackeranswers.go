package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

// answerFlags filter the answers of a tracker.
type answerFlags struct {
	Sweep    string    `help:"Only answers of this sweep." placeholder:"ID"`
	PromptID int       `help:"Only answers to the prompt with this number." placeholder:"N"`
	Target   targetArg `help:"Only answers on this target, such as chatassistant/US." placeholder:"TARGET"`
	Tag      string    `help:"Only answers to prompts with this tag." placeholder:"TAG"`
	Outcome  string    `help:"Only answers with this outcome: pending, answered, refused or missing." enum:"pending,answered,refused,missing," default:"" placeholder:"OUTCOME"`
	Reason   string    `help:"Only answers that are missing for this reason, such as blocked." placeholder:"REASON"`
	From     moment    `help:"Only answers asked at or after this time or day, such as 2026-09-08T06:00:00Z." placeholder:"TIME"`
	To       moment    `help:"Only answers asked before this time, or up to the end of this day." placeholder:"TIME"`
	Text     string    `help:"Only answers to prompts that contain this text." placeholder:"TEXT"`
}

func (f *answerFlags) filter() earshot.AnswerFilter {
	return earshot.AnswerFilter{
		Sweep: f.Sweep, PromptID: f.PromptID, Target: string(f.Target), Tag: f.Tag, Outcome: earshot.Outcome(f.Outcome), Reason: f.Reason,
		From: string(f.From), To: string(f.To), Text: f.Text,
	}
}

type trackerAnswersCmd struct {
	trackerArg
	ID    string `arg:"" optional:"" help:"Print only the answer with this id, with its result."`
	Limit int    `help:"The maximum number of answers; 0 for all." default:"50" placeholder:"N"`
	answerFlags
	output
}

// Help returns the command's long help.
func (c *trackerAnswersCmd) Help() string {
	return `Lists the answers of a tracker, newest first: when each was asked, the outcome, the target, the cost in credits, the id, the prompt
with its number, and why the answer is missing. Missing answers do not count in any metric. With an id, it prints this answer
and its result in the format of 'earshot ask'.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: caps\nprompts: [{text: best caps, tags: [sun]}]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply - && earshot tracker run caps --wait
  earshot tracker answers caps --tag sun
  earshot tracker answers caps "$(earshot tracker answers caps --outcome answered --limit 1 --jq '.[].id')"
  earshot tracker answers caps --from -7d --target gemini/us --outcome missing --jq '.[].reason'`
}

// Run lists the answers, or prints one.
func (c *trackerAnswersCmd) Run(in *invocation, service *client.Client) error {
	if c.ID != "" {
		return c.show(in, service)
	}
	q := earshot.AnswerQuery{AnswerFilter: c.filter()}
	q.Limit = page(c.Limit)
	answers, err := firstOf(service.Answers(in, c.Name, q), c.Limit)
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("ASKED|OUTCOME|TARGET|CREDITS|ID|PROMPT=PROMPT ID/PROMPT|REASON", answers, func(a *earshot.TrackedAnswer) []any {
		prompt := cell{fmt.Sprintf("%d %s", a.PromptID, shortened(oneLine(a.Prompt), promptColumns)), []any{a.PromptID, a.Prompt}}
		return []any{a.AskedAt, outcomeOf(a), a.Target, a.Charged, a.ID, prompt, a.Reason}
	})
	t.none = "there are no such answers; 'earshot tracker sweeps " + c.Name + "' lists the sweeps"
	return c.print(in, t)
}

// outcomeOf returns the outcome of an answer, and whether it is made up.
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
	if !c.isTable() {
		return c.json(in, a)
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

// providerOf returns the provider of a target, which begins with the provider's name.
func providerOf(target string) (providerArg, error) {
	var found providerArg
	longest := ""
	for _, name := range providerNames() {
		if strings.HasPrefix(target, name+"/") && len(name) > len(longest) {
			longest = name
		}
	}
	if longest == "" {
		return found, fmt.Errorf("the provider of %s is unknown to this version; use -o json to print the answer unchanged", oneLine(target))
	}
	err := found.UnmarshalText([]byte(longest))
	return found, err
}

type trackerExportCmd struct {
	trackerArg
	Out    string `short:"o" help:"The file to write; standard output by default." placeholder:"FILE"`
	Format string `help:"ndjson (one JSON object per line), csv or parquet; by default, according to the file's ending." enum:"ndjson,csv,parquet," default:"" placeholder:"FORMAT"`
	Table  string `help:"answers; their mentions or citations; metrics of each sweep; or sweeps." enum:"answers,mentions,citations,metrics,sweeps" default:"answers"`
	answerFlags
}

// Help returns the command's long help.
func (c *trackerExportCmd) Help() string {
	return `Writes the answers of a tracker with their results, or another table, newest first. The filters are the same as for 'earshot
tracker answers'; for sweeps and metrics, only --sweep, --from and --to apply. The file gets its name only when it is complete. In CSV,
cells that a spreadsheet would read as a formula are prefixed with an apostrophe.

Exit status: 0 everything was written, 130 it was interrupted, 1 anything else, such as a broken connection.

Examples:
  printf 'name: ties\nprompts: [best ties]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply - && earshot tracker run ties --wait
  earshot tracker export ties -o ties.csv
  earshot tracker export ties --outcome answered | jq -r .result.text
  earshot tracker export ties --table sweeps --format csv
  earshot tracker export ties --table mentions -o mentions.parquet`
}

// Run writes the table.
func (c *trackerExportCmd) Run(in *invocation, service *client.Client) error {
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

// deliver copies a stream to standard output, or to a file that gets its name only when it
// is complete. what is the word for the stream in messages.
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
		return fmt.Errorf("rename the file: %w", err)
	}
	fmt.Fprintf(in.errOut, "%s: %s\n", name, many(size, "byte"))
	return nil
}

// complete returns the error of an incomplete stream, or nil.
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
