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
	File        string        `arg:"" help:"The questions: a table with a header (.csv, .tsv) or one JSON object a line (.jsonl, .ndjson). With - they are read from standard input." placeholder:"FILE"`
	Providers   []providerArg `help:"Whom to ask what names no provider: ${providers}." placeholder:"PROVIDER" completion-predictor:"provider"`
	Countries   []string      `help:"Where to ask from what names no country." placeholder:"CODE" completion-predictor:"country"`
	Out         string        `help:"Where results go, one JSON object a line. Without it: to standard output." placeholder:"FILE"`
	Priority    int           `help:"From 1 to 10; higher comes first." default:"1"`
	MaxCredits  *int64        `help:"Submit nothing if it could cost more than this." placeholder:"N"`
	Name        string        `name:"run" help:"A name for this run. Under another name the same questions are asked, and paid, anew." placeholder:"NAME"`
	RetryFailed bool          `help:"Queue anew what failed in an earlier run. What completed is not asked, and not paid, again."`
	Wait        bool          `help:"Wait for the results." default:"true" negatable:""`
	Every       time.Duration `help:"How often to ask for results." default:"1s" hidden:""`
	remote
}

// Help explains the files, and how to resume.
func (c *batchCmd) Help() string {
	return `Asks many questions through a running server: each row of the file, of each provider, from each country. It first tells what
that can cost at most, then submits, follows the tasks until all have ended, and writes each result as it comes. How fast that
goes and how long it will take is told once it is known.

A table needs a column prompt (or query); columns provider and country go before the flags; every other column is a field of
the request, where dots lead into objects: include.markdown, pages. Empty cells are left out. The objects of a .jsonl file
have the same names, or the API's own taskType and payload. Columns webhook and idempotencyKey are those of the task.
From standard input either is read: what begins with { is JSON.

Run the same command again after an interruption: questions that are in --out are done, and those that the server has already
are fetched and not paid twice, since each carries a key made of its content. The server keeps them for 24 hours; to ask the
same questions anew within that time, name the run: --run "$(date +%F)". Ctrl-C leaves the tasks running. --retry-failed
queues anew what failed, and nothing else.

Rows that the server refuses are listed with their line on standard error. Each result has the fields line, row, provider,
country, key, taskId, status, creditsCharged, and result or error.

Exit status: 0 all completed (with --no-wait: were taken), 2 some failed or were refused, 130 it was interrupted, 1 anything else.

Examples:
  printf 'prompt,country\nbest running shoes,US\nbeste Laufschuhe,DE\n' > questions.csv
  earshot batch questions.csv --providers chatassistant,websearch --out results.jsonl
  earshot batch questions.csv --providers genassistant --countries US,DE --max-credits 100 | jq -r .result.text
  echo '{"taskType": "WEBSEARCH", "payload": {"query": "running shoes", "country": "US", "pages": 2}}' > more.jsonl
  earshot batch more.jsonl --priority 10 --no-wait
  printf 'prompt,country\nbest trail shoes,US\n' | earshot batch - --providers answerengine | jq -r .result.text`
}

const (
	// statusIncomplete is the exit status for a batch of which not all completed.
	statusIncomplete = 2
	// batchRetries last for about a minute: a server may restart meanwhile.
	batchRetries = 8
)

// Run submits, follows and writes.
func (c *batchCmd) Run(in *invocation) error {
	if c.Priority < 1 || c.Priority > 10 {
		return fmt.Errorf("--priority must be from 1 to 10, but is %d", c.Priority)
	}
	if ending := strings.ToLower(filepath.Ext(c.Out)); ending == ".csv" || ending == ".tsv" {
		return fmt.Errorf("--out is written as one JSON object a line, so it cannot be the table %s: name it .jsonl. GET /v1/batches/{id}/results?format=csv gives a table", c.Out)
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

// maxQuestions is as much as standard input may hold: it is read before anything is
// asked.
const maxQuestions = 256 << 20

// read reads the file, or standard input, which holds JSON if it begins like that.
func (c *batchCmd) read(in *invocation) ([]row, []refused, error) {
	if c.File != "-" {
		return readRows(c.File)
	}
	text, err := in.readInput("the questions", maxQuestions)
	if err != nil {
		return nil, nil, err
	}
	ending := ".csv"
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		ending = ".jsonl"
	}
	return readQuestions(bytes.NewReader(text), "standard input", ending)
}

// plan makes the questions of the rows and adds them.
func (b *batch) plan(rows []row, c *batchCmd) {
	keys := batchfile.Keys{Run: c.Name}
	for _, r := range rows {
		questions, err := r.questions(c.Providers, c.Countries)
		if err != nil {
			b.refuse(refused{line: r.line, reason: err.Error()})
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

// add queues a question for submission, unless --out has its result.
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

// run submits what has no result yet and waits for it.
func (b *batch) run(c *batchCmd) error {
	if b.before > 0 {
		b.say("%s in %s already", many(b.before, "result"), c.Out)
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

// conclude prints a summary and makes the error of the command.
func (c *batchCmd) conclude(b *batch, err error) error {
	left := len(b.waiting) + len(b.pending)
	again := "run the same command again within 24 hours: nothing is paid twice"
	var limit limitError
	switch {
	case errors.As(err, &limit):
		return err
	case err != nil && b.Err() != nil:
		return exitError{fmt.Errorf("interrupted with %s to come; what is submitted goes on on the server. To go on, %s", many(left, "result"), again), statusInterrupted}
	case err != nil && b.submitted:
		return fmt.Errorf("%w; to go on, %s", c.explain(err), again)
	case err != nil:
		return c.explain(err)
	case !c.Wait:
		b.say("%s queued or ended; run the same command without --no-wait for the results, or 'earshot listen'", many(len(b.pending), "task"))
	default:
		b.say("%s: %d completed, %d failed, %d refused, for %s%s", many(b.total, "question"), b.completed, b.failed, b.refusals, b.cost(), into(c.Out))
	}
	return b.shortfall()
}

// cost is what the tasks were charged. What tasks of an earlier run cost is told apart,
// since this run did not pay for it.
func (b *batch) cost() string {
	text := many(b.credits, "credit")
	if b.earlierCredits > 0 {
		text += fmt.Sprintf(" beside %s of an earlier run", thousands(b.earlierCredits))
	}
	return text
}

// shortfall is the error of a batch of which not everything completed.
func (b *batch) shortfall() error {
	var parts []string
	if b.refusals > 0 {
		parts = append(parts, many(b.refusals, "question")+" refused: mend the lines above and run the command again")
	}
	if b.failed > 0 {
		parts = append(parts, many(b.failed, "task")+" failed: run the command again with --retry-failed")
	}
	if len(parts) == 0 {
		return nil
	}
	return exitError{errors.New(strings.Join(parts, "; ")), statusIncomplete}
}

func into(path string) string {
	if path == "" {
		return ""
	}
	return "; results are in " + path
}

// say writes a line to standard error.
func (b *batch) say(format string, args ...any) {
	b.progress.clear()
	fmt.Fprintln(b.errOut, oneLine(fmt.Sprintf(format, args...)))
}

// refuse counts and prints a row that will not be answered.
func (b *batch) refuse(r refused) {
	b.refusals++
	where := strings.TrimSpace(r.provider + " " + r.country)
	if where != "" {
		where = " (" + where + ")"
	}
	b.say("line %d%s: %s", r.line, where, r.reason)
}
