package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"earshot"
	"earshot/client"
)

// user has a key of a running server.
type user struct {
	t         *testing.T
	base, key string
}

func newUser(t *testing.T, args ...string) user {
	t.Helper()
	base, key := served(t, append([]string{"--data", newData(t)}, args...)...)
	return user{t, base, key}
}

// does runs a command against the server and returns its output and its exit status.
func (u user) does(args ...string) (out, errOut string, status int) {
	u.t.Helper()
	var printed, stderr bytes.Buffer
	err := run(u.t.Context(), append(args, "--url", u.base, "--api-key", u.key), &printed, &stderr)
	if err != nil {
		stderr.WriteString("earshot: " + err.Error() + "\n")
	}
	return printed.String(), stderr.String(), statusFor(err)
}

// statusFor returns the exit status of main for an error.
func statusFor(err error) int {
	if err == nil {
		return 0
	}
	if special, ok := errors.AsType[exitError](err); ok {
		return special.status
	}
	return 1
}

func (u user) remaining() int64 {
	u.t.Helper()
	credits, err := client.New(u.base, u.key).Credits(u.t.Context())
	if err != nil {
		u.t.Fatal(err)
	}
	return credits.Remaining
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

func TestAskPrintsText(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	out, stderr, status := u.does("ask", "chatassistant", "shoes", "--country", "US", "--state", "CA", "--include", "searchQueries,shopping")
	if status != 0 {
		t.Fatal(stderr)
	}
	wants(t, out, "California", "\nSources\n  1. ", "\n     https://", "\nSearch queries\n  - ", "\nProducts\n")
	wants(t, stderr, "asked from US-CA\n7 credits (249,993 left)", "surface lab", "warning: this answer is made up")
	if strings.Contains(out+stderr, "\x1b") {
		t.Error("what is no terminal got colours")
	}
	out, stderr, _ = u.does("ask", "websearch", "shoes", "--set", "pages=2", "--include", "searchoverview.markdown,searchoverview")
	wants(t, out, "Overview\n", "\nResults\n  1. ", "\n 11. ")
	wants(t, stderr, "asked from US (the default; use --country to change it)\n7 credits")
	out, stderr, _ = u.does("ask", "websearch/news", "shoes", "--set", "country=DE")
	wants(t, stderr, "asked from DE\n")
	wants(t, out, "News\n  1. ")
}

func TestAskPrintsJSON(t *testing.T) {
	t.Parallel()
	out, stderr, status := newUser(t).does("ask", "genassistant", "shoes", "--json")
	var answer earshot.Answer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || answer.Text == "" || answer.Markdown != "" || stderr != "asked from US (the default; use --country to change it)\n" {
		t.Errorf("it printed %s and %s (%v)", out, stderr, err)
	}
}

func TestErrorsContainAdvice(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	nobody, stranger, nowhere := u, u, u
	nobody.key, stranger.key, nowhere.base = "", "ear_live_wrong", "http://127.0.0.1:1"
	elsewhere := u
	elsewhere.base = "localhost:8080"
	for _, test := range []struct {
		who  user
		args []string
		want string
	}{
		{nobody, []string{"ask", "chatassistant", "x"}, "earshot key create"},
		{stranger, []string{"status"}, "EARSHOT_API_KEY"},
		{nowhere, []string{"tasks"}, "'earshot serve'"},
		{elsewhere, []string{"tasks"}, "http://127.0.0.1:8080"},
		{u, []string{"ask", "nobody", "x"}, "the providers are chatassistant"},
		{u, []string{"ask", "chatassistant", "x", "--country", "Germany"}, "country: "},
		{u, []string{"ask", "chatassistant", "x", "--set", "inclued=true"}, `did you mean "include"`},
		{u, []string{"ask", "chatassistant", "x", "--set", "pages"}, "FIELD=VALUE"},
		{u, []string{"ask", "chatassistant", " "}, "the prompt is empty"},
		{u, []string{"ask", "chatassistant"}, "'earshot ask --help'"},
		{u, []string{"tasks", "show", "01a0805a-0000-7000-8000-000000000000"}, "'earshot tasks' lists"},
		{u, []string{"tasks", "--status", "done"}, "QUEUED, PROCESSING"},
		{u, []string{"batch", "nowhere.csv"}, "nowhere.csv"},
		{u, []string{"batch", writeFile(t, "q.csv", "prompt\nx\n"), "--out", "results.CSV"}, ".jsonl"},
		{u, []string{"batch", writeFile(t, "q.txt", "x")}, ".jsonl"},
		{u, []string{"batch", writeFile(t, "q.csv", "prompt\n")}, "no prompts"},
	} {
		if _, stderr, status := test.who.does(test.args...); status != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("earshot %s ends with %d and %q, want %q", strings.Join(test.args, " "), status, stderr, test.want)
		}
	}
}

func TestErrorsOfLimitsContainAdvice(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	base, _ := served(t, "--data", data)
	poor := decoded(t, mustRun(t, "--data", data, "org", "create", "poor", "--credits", "4", "--json"))
	reader := decoded(t, mustRun(t, "--data", data, "key", "create", "--org", "poor", "--scopes", "read", "--json"))
	_, stderr, status := user{t, base, poor.Key}.does("ask", "chatassistant", "x")
	wants(t, stderr, "earshot credits grant --org poor 1000")
	_, refused, _ := user{t, base, reader.Key}.does("ask", "chatassistant", "x")
	wants(t, refused, "earshot key create --org poor")
	_, many, _ := user{t, base, poor.Key}.does("batch", writeFile(t, "q.csv", "prompt,country\nx,US\n"), "--providers", "chatassistant")
	wants(t, many, "1 task not submitted", "earshot credits grant --org poor 1")
	if status != 1 {
		t.Errorf("it ends with %d", status)
	}
}

func TestInterruptedAskExitsWith130(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	err := run(ctx, []string{"ask", "chatassistant", "x", "--url", u.base, "--api-key", u.key}, &out, &out)
	if statusFor(err) != statusInterrupted {
		t.Errorf("it ends with %v", err)
	}
}

func TestTasksAreListedShownAndRemoved(t *testing.T) {
	t.Parallel()
	u := newUser(t, "--role", "api") // nobody works the queue off
	file := writeFile(t, "q.csv", "prompt,country\none,US\ntwo,US\nthree,US\n")
	if _, stderr, status := u.does("batch", file, "--providers", "chatassistant,websearch", "--no-wait"); status != 0 {
		t.Fatal(stderr)
	}
	out, _, _ := u.does("tasks", "--status", "queued", "--type", "websearch")
	if strings.Count(out, "\n") != 1+3 || !strings.HasPrefix(out, "SUBMITTED ") || strings.Contains(out, "CHATASSISTANT") {
		t.Errorf("it listed\n%s", out)
	}
	wants(t, out, "three")
	out, _, _ = u.does("tasks", "--limit", "1", "--json")
	var newest earshot.TaskRecord
	if err := json.Unmarshal([]byte(out), &newest); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	out, _, _ = u.does("tasks", "show", newest.Task.ID, "--json")
	wants(t, out, newest.Task.ID, `"QUEUED"`)
	out, _, _ = u.does("tasks", "show", newest.Task.ID)
	wants(t, out, "task       "+newest.Task.ID+"\n", "status     QUEUED\n", "request    country US\n", "cost       at most ")
	if _, stderr, status := u.does("api", "DELETE", "/v1/async/task/"+newest.Task.ID); status != 0 {
		t.Error(stderr)
	}
	out, _, _ = u.does("api", "delete", "v1/async/queue", "--jq", ".cleared")
	wants(t, out, "5\n")
	out, stderr, status := u.does("tasks")
	if out != "" || status != 0 || !strings.Contains(stderr, "no such tasks") {
		t.Errorf("an empty list: %d %q %q", status, out, stderr)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	out, _, _ := u.does("status")
	wants(t, out, "ready", "hobby", "250,000 left", "0 of 20 in use", "room for 25,000 more")
	if strings.Contains(out, "known") || strings.Contains(out, "extraction") || strings.Contains(out, "upstream") {
		t.Errorf("it prints unknown values:\n%s", out)
	}
	if _, stderr, status := u.does("batch", writeFile(t, "q.csv", "prompt,country\none,US\n"), "--providers", "chatassistant"); status != 0 {
		t.Fatal(stderr)
	}
	out, _, _ = u.does("tasks")
	id := regexp.MustCompile(`CHATASSISTANT +5 +(\S+) +one\n`).FindStringSubmatch(out)
	if id == nil {
		t.Fatalf("it listed\n%s", out)
	}
	out, _, _ = u.does("tasks", "show", id[1])
	wants(t, out, "status     COMPLETED\n", "cost       5 credits\n", "\nSources\n  1. ")
	out, _, _ = u.does("status")
	wants(t, out, "249,995 left", "lab: its answers are made up")
	out, _, _ = u.does("status", "--json")
	var now serverStatus
	if err := json.Unmarshal([]byte(out), &now); err != nil || !now.Ready || now.Credits.Remaining != 249995 || now.Queue.Concurrency.Max != 20 || now.Surface != earshot.SurfaceLab {
		t.Errorf("it printed %s (%v)", out, err)
	}
}
