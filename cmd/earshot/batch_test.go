package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/files/batchfile"
)

// outcomes reads results, which must have no duplicates.
func outcomes(t *testing.T, text string) map[string]outcome {
	t.Helper()
	all := map[string]outcome{}
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var one outcome
		if err := decoder.Decode(&one); err != nil {
			t.Fatal(err)
		}
		if _, twice := all[one.Key]; twice {
			t.Errorf("line %d is there twice", one.Line)
		}
		all[one.Key] = one
	}
	return all
}

// stopper interrupts the command after some lines.
type stopper struct {
	bytes.Buffer
	lines int
	stop  func()
}

func (s *stopper) Write(text []byte) (int, error) {
	if s.lines -= bytes.Count(text, []byte("\n")); s.lines <= 0 {
		s.stop()
	}
	return s.Buffer.Write(text)
}

func TestInterruptedBatchIsChargedOnce(t *testing.T) {
	t.Parallel()
	// The queue holds a fifth of the batch, so that some of it is not submitted yet.
	settings := writeFile(t, "earshot.yaml", "plans:\n  - {name: hobby, slots: 6, requestsPerSecond: 1000, creditsPerCycle: 300, queueCapacity: 12}\n")
	u := newUser(t, "--config", settings)
	var questions strings.Builder
	questions.WriteString("prompt,country\n")
	for i := range 60 {
		fmt.Fprintf(&questions, "question %d,US\n", i/2) // each twice: both are wanted
	}
	file := writeFile(t, "questions.csv", questions.String())
	args := []string{"batch", file, "--providers", "chatassistant", "--every", "10ms", "--url", u.base, "--api-key", u.key}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := &stopper{lines: 30, stop: stop}
	var stderr bytes.Buffer
	err := run(ctx, args, first, &stderr)
	if statusFor(err) != statusInterrupted || !strings.Contains(err.Error(), "nothing is charged twice") {
		t.Fatalf("it ended with %v\n%s", err, stderr.String())
	}
	if n := len(outcomes(t, first.String())); n < 30 || n == 60 {
		t.Fatalf("%d results were written before the interruption", n)
	}
	// The line that the interruption cut off is written again.
	out := writeFile(t, "results.jsonl", first.String()+`{"line": 2, "ro`)
	stderr.Reset()
	if err := run(t.Context(), append(args, "--out", out), io.Discard, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	all, lines := outcomes(t, string(text)), map[int]bool{}
	for _, one := range all {
		lines[one.Line] = true
		if one.Status != earshot.StatusCompleted || !bytes.Contains(one.Result, []byte(one.Row["prompt"].(string))) { //nolint:errcheck // a panic is an answer too
			t.Errorf("line %d: %s", one.Line, one.Status)
		}
	}
	if len(all) != 60 || len(lines) != 60 {
		t.Errorf("there are %d results of %d lines", len(all), len(lines))
	}
	// All of the credits: a 61st task could not have been paid.
	if left := u.remaining(); left != 300-60*5 {
		t.Errorf("%d credits are left", left)
	}
	// Nothing is left to do, without --out too.
	var again bytes.Buffer
	stderr.Reset()
	if err := run(t.Context(), args, &again, &stderr); err != nil || len(outcomes(t, again.String())) != 60 {
		t.Errorf("a third run ended with %v and %d results", err, len(outcomes(t, again.String())))
	}
	wants(t, stderr.String(), "60 completed, 0 failed, 0 refused, for 0 credits (an earlier run was charged 300)")
}

func TestBatchCombinesRowsProvidersAndCountries(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	file := writeFile(t, "q.csv", "\ufeffPrompt;country;provider;include;pages\nshoes;;;;\nboots;FR;;;\nhats;GB;websearch;html,searchoverview;2\n")
	out, stderr, status := u.does("batch", file, "--providers", "chatassistant,websearch/news", "--countries", "US,DE")
	if status != 0 {
		t.Fatal(stderr)
	}
	got := map[string]int64{}
	for _, one := range outcomes(t, out) {
		got[fmt.Sprintf("%d %s %s", one.Line, one.Provider, one.Country)] = *one.CreditsCharged
	}
	want := map[string]int64{
		"2 chatassistant US": 5, "2 chatassistant DE": 5, "2 websearch/news US": 3, "2 websearch/news DE": 3,
		"3 chatassistant FR": 5, "3 websearch/news FR": 3, "4 websearch GB": 7,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wants(t, stderr, "7 tasks, at most 31 credits; 250,000 left", "7 tasks: 7 completed")
}

func TestBatchReadsTaskObjects(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	file := writeFile(t, "q.jsonl", `{"taskType": "WEBSEARCH_NEWS", "priority": 3, "payload": {"query": "shoes", "country": "US", "pages": 2}}

{"provider": "genassistant", "prompt": "shoes", "country": "US", "include": {"markdown": true}}
`)
	out, stderr, status := u.does("batch", file)
	if status != 0 {
		t.Fatal(stderr)
	}
	wants(t, out, `"newsResults"`, `"markdown":"`)
	list, _, _ := u.does("tasks", "--json", "--type", "websearch/news")
	wants(t, list, `"priority":3`)
}

func TestRefusedRowsAreListed(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	table := writeFile(t, "q.csv", "prompt,country,provider\nshoes,US,nobody\nboots,XX,\n\"two\nlines\",US,,extra\nhats,US,chatasistant\n")
	_, stderr, status := u.does("batch", table, "--providers", "websearch")
	if status != statusIncomplete {
		t.Errorf("it ends with %d", status)
	}
	wants(t, stderr, `line 2: there is no provider "nobody"; the providers are chatassistant, `, "line 3 (websearch XX): country: ",
		"line 4: the row has 4 cells, but the header has 3", `line 6: there is no provider "chatasistant"; did you mean chatassistant?`, "4 rows refused")
	objects := writeFile(t, "q.jsonl", "{\"prompt\": \"shoes\"}\n[1]\n{\"provider\": 7}\n{\"payload\": {}, \"pages\": 2}\n{\"priority\": 11}\n")
	_, stderr, status = u.does("batch", objects)
	wants(t, stderr, "line 1: it names no provider", "line 2: the line is not a JSON object", "line 3: provider must be", "line 4: pages is outside of payload", "line 5: priority must be", "5 rows refused")
	if status != statusIncomplete || u.remaining() != 250000 {
		t.Errorf("it ends with %d, and %d credits are left", status, u.remaining())
	}
}

func TestBatchAboveItsLimitIsNotSubmitted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	file := writeFile(t, "q.csv", "prompt,country\none,US\ntwo,US\n")
	args := []string{"batch", file, "--providers", "chatassistant"}
	_, stderr, status := u.does(append(args, "--max-credits", "9")...)
	wants(t, stderr, "they can cost 10 credits, but --max-credits allows 9")
	if list, _, _ := u.does("tasks"); status != 1 || list != "" {
		t.Errorf("it ends with %d, and there are tasks\n%s", status, list)
	}
	if _, stderr, status = u.does(append(args, "--max-credits", "10")...); status != 0 {
		t.Error(stderr)
	}
	// Tasks of this run that were paid before cost nothing.
	if _, stderr, status = u.does(append(args, "--max-credits", "0")...); status != 0 || u.remaining() != 249990 {
		t.Errorf("%s: %d credits are left", stderr, u.remaining())
	}
	if _, stderr, status = u.does(append(args, "--run", "another", "--max-credits", "0")...); status != 1 {
		t.Error(stderr)
	}
}

func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	before := writeFile(t, "q.csv", "prompt,country\none,US\ntwo,US\n")
	after := writeFile(t, "q.csv", "country,prompt\nUS,zero\nUS,two\nUS,one\n")
	for _, file := range []string{before, after} {
		if _, stderr, status := u.does("batch", file, "--providers", "genassistant"); status != 0 {
			t.Fatal(stderr)
		}
	}
	if left := u.remaining(); left != 250000-3*4 {
		t.Errorf("%d credits are left", left)
	}
}

func TestOutIsNotOverwrittenIfItIsAnotherFile(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	file := writeFile(t, "q.csv", "prompt,country\none,US\n")
	for _, text := range []string{"prompt,country\none,US\n", "no line break", `{"a": 1}` + "\n"} {
		out := writeFile(t, "precious", text)
		_, stderr, status := u.does("batch", file, "--providers", "chatassistant", "--out", out)
		kept, err := os.ReadFile(out)
		if status != 1 || !strings.Contains(stderr, "choose another --out") || err != nil || string(kept) != text {
			t.Errorf("%q became %q: %s", text, kept, stderr)
		}
	}
	out := filepath.Join(t.TempDir(), "new.jsonl")
	if _, stderr, status := u.does("batch", file, "--providers", "chatassistant", "--out", out); status != 0 {
		t.Error(stderr)
	}
	_, stderr, _ := u.does("batch", file, "--providers", "chatassistant", "--out", out)
	wants(t, stderr, "1 result already in "+out)
}

func TestRemovedTaskIsReported(t *testing.T) {
	t.Parallel()
	u := newUser(t, "--role", "api")
	b := &batch{
		invocation: &invocation{Context: t.Context(), out: io.Discard, errOut: io.Discard}, progress: newProgress(io.Discard, false), wait: true,
		results: &results{out: io.Discard}, pending: map[string]*question{"01a0805a-0000-7000-8000-000000000000": {Row: batchfile.Row{Line: 2}}},
	}
	var err error
	if b.service, err = (&remote{URL: u.base, APIKey: u.key}).connect(); err != nil {
		t.Fatal(err)
	}
	if err := b.follow(); err != nil || b.refusals != 1 {
		t.Errorf("it ended with %v and %d refusals", err, b.refusals)
	}
}
