package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/files/batchfile"
)

type batchCmd struct {
	File        string        `arg:"" help:"The prompts: a table with a header (.csv, .tsv) or one JSON object per line (.jsonl, .ndjson); - reads standard input." placeholder:"FILE"`
	Providers   []providerArg `help:"The providers for rows that name none: ${providers}." placeholder:"PROVIDER" completion-predictor:"provider"`
	Countries   []code        `help:"The countries for rows that name none." placeholder:"CODE" completion-predictor:"country"`
	Out         string        `help:"The file for the results, one JSON object per line; standard output by default." placeholder:"FILE"`
	Priority    int           `help:"The priority, from 1 to 10; higher priorities run first." default:"1"`
	MaxCredits  *int64        `help:"Submit nothing if the batch could cost more than this." placeholder:"N"`
	Name        string        `name:"run" help:"A name for this run. With a different name, the same prompts are asked and charged again." placeholder:"NAME"`
	RetryFailed bool          `help:"Retry the tasks of an earlier run that failed. Completed tasks are not asked or charged again."`
	Wait        bool          `help:"Wait for the results." default:"true" negatable:""`
	Every       time.Duration `help:"How often to try again to submit to a full queue." default:"1s" hidden:""`
	remote
}

// Help returns the command's long help.
func (c *batchCmd) Help() string {
	return `Asks many prompts through a running server: each row of the file, with each provider, from each country. It prints the maximum
cost, submits the tasks, waits until all have ended, and writes each result as soon as it is there. Progress, speed and the
remaining time are printed to standard error.

A table needs a column prompt (or query). The columns provider and country override the flags; webhook and idempotencyKey
are set on the task; every other column is a field of the request, such as pages or include.markdown (a dot separates an
object and its field). Empty cells are left out. The objects of a .jsonl file have the same names, or the API's taskType and
payload. Providers may be called by their products, such as chatgpt, and countries be in lower case. Standard input that begins with { is read as JSON, otherwise as a table.

After an interruption, run the same command again. Prompts with a result in --out are skipped, and tasks that the server
already has are not charged twice, because each task has an idempotency key derived from its content. The server stores them for
24 hours; to ask the same prompts again within that time, name the run: --run "$(date +%F)". Ctrl-C leaves the tasks running.
--retry-failed retries failed tasks and nothing else.

Refused rows are listed with their line numbers on standard error. Each result has the fields line, row, provider, country,
key, taskId, status, creditsCharged, and result or error.

Exit status: 0 all completed (with --no-wait: were accepted), 2 some failed or were refused, 130 it was interrupted, 1 anything else.

Examples:
  printf 'prompt,country\nbest running shoes,US\nbeste Laufschuhe,DE\n' > questions.csv
  earshot batch questions.csv --providers chatassistant,websearch --out results.jsonl
  earshot batch questions.csv --providers genassistant --countries US,DE --max-credits 100 | jq -r .result.text
  echo '{"taskType": "WEBSEARCH", "payload": {"query": "running shoes", "country": "US", "pages": 2}}' > more.jsonl
  earshot batch more.jsonl --priority 10 --no-wait
  printf 'prompt,country\nbest trail shoes,US\n' | earshot batch - --providers answerengine | jq -r .result.text`
}

const (
	// statusIncomplete is the exit status if not all tasks completed.
	statusIncomplete = 2
	// batchRetries takes about a minute, so that a server can restart.
	batchRetries = 8
)

// Run submits the prompts and writes the results.
func (c *batchCmd) Run(in *invocation) error {
	if c.Priority < 1 || c.Priority > 10 {
		return fmt.Errorf("--priority must be between 1 and 10, but is %d", c.Priority)
	}
	if ending := strings.ToLower(filepath.Ext(c.Out)); ending == ".csv" || ending == ".tsv" {
		return fmt.Errorf("--out is written as one JSON object per line, so it cannot be %s: use the ending .jsonl. 'earshot api /v1/batches/ID/results?format=csv' prints a table", c.Out)
	}
	rows, refused, err := c.read(in)
	if err != nil {
		return err
	}
	service, err := c.connect(client.WithRetries(batchRetries))
	if err != nil {
		return err
	}
	if err := service.Ready(in); err != nil {
		return c.explain(err)
	}
	results, err := openResults(c.Out, in.out)
	if err != nil {
		return err
	}
	b := &batch{
		invocation: in, server: &c.remote, service: service, results: results, every: c.Every, wait: c.Wait, retry: c.RetryFailed,
		progress: newProgress(in.errOut, isTerminal(in.errOut)), pending: map[string]*question{},
	}
	for _, r := range refused {
		b.refuse(r)
	}
	b.plan(rows, c)
	err = b.run(c)
	b.progress.clear()
	err = errors.Join(err, results.close())
	return c.conclude(b, err)
}

// maxInput limits standard input, which is read into memory.
const maxInput = 256 << 20

// read reads the rows of the file or of standard input.
func (c *batchCmd) read(in *invocation) ([]batchfile.Row, []refused, error) {
	if c.File != "-" {
		return readRows(c.File)
	}
	text, err := in.readInput("the prompts", maxInput)
	if err != nil {
		return nil, nil, err
	}
	ending := ".csv"
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		ending = ".jsonl"
	}
	return readQuestions(bytes.NewReader(text), "standard input", ending)
}

// plan adds the questions of the rows.
func (b *batch) plan(rows []batchfile.Row, c *batchCmd) {
	keys := batchfile.Keys{Run: c.Name}
	for _, r := range rows {
		questions, err := questionsOf(r, c.Providers, c.Countries)
		if err != nil {
			b.refuse(refused{line: r.Line, reason: err.Error()})
			continue
		}
		for _, q := range questions {
			if q.key == "" {
				q.key = keys.Next(q.provider.Name, q.payload)
			}
			if q.priority == 0 {
				q.priority = c.Priority
			}
			b.add(q)
		}
	}
}

// add marks a question for submission, unless --out has its result.
func (b *batch) add(q *question) {
	b.total++
	switch b.results.previous[q.key] {
	case earshot.StatusCompleted:
		b.completed++
		b.before++
	case earshot.StatusFailed:
		if b.retry {
			b.waiting = append(b.waiting, q)
			return
		}
		b.failed++
		b.before++
	default:
		b.waiting = append(b.waiting, q)
	}
}

// run submits the questions without a result and waits for their results.
func (b *batch) run(c *batchCmd) error {
	if b.before > 0 {
		b.say("%s already in %s", many(b.before, "result"), c.Out)
	}
	if len(b.waiting) == 0 {
		return nil
	}
	if err := b.quote(c.MaxCredits); err != nil {
		return err
	}
	b.progress.begin(len(b.waiting), time.Now())
	return b.follow()
}

// conclude prints a summary and returns the error of the command.
func (c *batchCmd) conclude(b *batch, err error) error {
	left := len(b.waiting) + len(b.pending)
	again := "run the same command again within 24 hours; nothing is charged twice"
	var limit limitError
	switch {
	case errors.As(err, &limit):
		return err
	case err != nil && b.Err() != nil:
		return exitError{fmt.Errorf("interrupted with %s missing; submitted tasks continue on the server. To continue, %s", many(left, "result"), again), statusInterrupted}
	case err != nil && b.submitted:
		return fmt.Errorf("%w; to continue, %s", c.explain(err), again)
	case err != nil:
		return c.explain(err)
	case !c.Wait:
		b.say("%s queued or ended; for the results, run the same command without --no-wait, or 'earshot listen'", many(len(b.pending), "task"))
	default:
		where := ""
		if c.Out != "" {
			where = "; results are in " + c.Out
		}
		b.say("%s: %d completed, %d failed, %d refused, for %s%s", many(b.total, "task"), b.completed, b.failed, b.refusals, b.cost(), where)
	}
	return b.shortfall()
}

// cost returns the credits charged in this run and, separately, the credits that an
// earlier run was charged for its tasks.
func (b *batch) cost() string {
	text := many(b.credits, "credit")
	if b.earlierCredits > 0 {
		text += fmt.Sprintf(" (an earlier run was charged %s)", thousands(b.earlierCredits))
	}
	return text
}

// shortfall returns an error if not all tasks completed.
func (b *batch) shortfall() error {
	var parts []string
	if b.refusals > 0 {
		parts = append(parts, many(b.refusals, "row")+" refused: correct the lines above and run the command again")
	}
	if b.failed > 0 {
		parts = append(parts, many(b.failed, "task")+" failed: run the command again with --retry-failed")
	}
	if len(parts) == 0 {
		return nil
	}
	return exitError{errors.New(strings.Join(parts, "; ")), statusIncomplete}
}

// say prints a line to standard error.
func (b *batch) say(format string, args ...any) {
	b.progress.clear()
	fmt.Fprintln(b.errOut, oneLine(fmt.Sprintf(format, args...)))
}

// refuse counts and prints a refused row.
func (b *batch) refuse(r refused) {
	b.refusals++
	where := strings.TrimSpace(r.provider + " " + r.country)
	if where != "" {
		where = " (" + where + ")"
	}
	b.say("line %d%s: %s", r.line, where, r.reason)
}
