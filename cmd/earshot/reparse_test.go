package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
)

func TestReparse(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	base, key := served(t, "--data", data)
	api := client.New(base, key)
	var ids []string
	for taskType, payload := range map[string]string{
		"WEBSEARCH":     `{"query": "shoes", "country": "US", "pages": 2, "include": {"html": true}}`,
		"GENASSISTANT":  `{"prompt": "shoes", "country": "US", "include": {"html": true}}`,
		"CHATASSISTANT": `{"prompt": "shoes", "country": "US", "legacy": true, "include": {"html": true, "markdown": true}}`,
		"ANSWERENGINE":  `{"prompt": "shoes", "country": "US", "include": {"html": true}}`,
	} {
		task, err := api.Submit(t.Context(), earshot.TaskRequest{TaskType: taskType, Payload: json.RawMessage(payload)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, task.Task.ID)
	}
	ends := listening(t, "--url", base, "--api-key", key, "--cursor", "")
	for range ids {
		if !ends.Scan() {
			t.Fatal(ends.Err())
		}
	}
	text := mustRun(t, "--data", data, "reparse")
	if !strings.HasSuffix(text, "4 unchanged\n") {
		t.Errorf("reparse printed:\n%s", text)
	}
	saved := filepath.Join(data, "before.jsonl")
	mustRun(t, "--data", data, "reparse", "--save", saved)
	edit(t, saved, `"position":1,`, `"position":7,`)
	text, err := earshotCommand(t, "--data", data, "reparse", "--against", saved)
	if status, _ := errors.AsType[exitError](err); status.status != statusChanged || !strings.Contains(text, "position: 7 -> 1\n") {
		t.Errorf("%v, reparse printed:\n%s", err, text)
	}
	var one app.Reparsed
	line, _, _ := strings.Cut(mustRun(t, "--data", data, "reparse", "--json"), "\n")
	if err := json.Unmarshal([]byte(line), &one); err != nil || one.Capture == "" || one.Before != earshot.StatusCompleted {
		t.Errorf("reparse --json printed %s", line)
	}
}

func TestReparseWithoutCaptures(t *testing.T) {
	t.Parallel()
	if text := mustRun(t, "--data", newData(t), "reparse"); text != "there are no captures\n" {
		t.Errorf("reparse printed %s", text)
	}
}

// edit replaces text in a file, which must contain it.
func edit(t *testing.T, path, before, after string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), before) {
		t.Fatalf("%s has no %s: %v", path, before, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), before, after)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Changed pages stand for a changed parser.
func TestReparseOfAFolderPrintsValuesAndPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pages, saved := filepath.Join(dir, "pages"), filepath.Join(dir, "before.jsonl")
	if err := os.Mkdir(pages, 0o700); err != nil {
		t.Fatal(err)
	}
	result := func(n string) string {
		return `<div><a href="https://` + n + `.example/"><h3>Title ` + n + `</h3></a><div><span>Snippet of ` + n + `</span></div></div>`
	}
	page := func(name, content string) {
		t.Helper()
		text := "<!doctype html><html><body><div id=rso>" + content + "</div></body></html>"
		if err := os.WriteFile(filepath.Join(pages, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page("a.html", result("one")+result("two")+result("three"))
	page("b.html", result("one"))
	page("c.html", result("one"))
	run := func(args ...string) (string, error) {
		return earshotCommand(t, append([]string{"reparse", pages, "--provider", "websearch"}, args...)...)
	}
	if text, err := run("--save", saved); err != nil || !strings.HasSuffix(text, "3 not compared\n") {
		t.Errorf("%v, saving printed:\n%s", err, text)
	}
	if text, err := run("--against", saved); err != nil || !strings.HasSuffix(text, "3 unchanged\n") {
		t.Errorf("%v, the same pages printed:\n%s", err, text)
	}
	page("a.html", result("new")+strings.Replace(result("one"), "Snippet of", "About", 1)+result("two"))
	page("c.html", "")
	text, err := run("--against", saved)
	if status, _ := errors.AsType[exitError](err); status.status != statusChanged {
		t.Errorf("ends with %v", err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "reparse.golden"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	lines, _ := run("--against", saved, "--json")
	var one app.Reparsed
	if err := json.NewDecoder(strings.NewReader(lines)).Decode(&one); err != nil || one.Capture != "a.html" || len(one.Changes) == 0 {
		t.Errorf("--json printed %v %s", err, lines)
	}
	for _, args := range [][]string{{}, {"--against", filepath.Join(dir, "missing")}} {
		if _, err := run(args...); err == nil {
			t.Errorf("%v ends without an error", args)
		}
	}
}
