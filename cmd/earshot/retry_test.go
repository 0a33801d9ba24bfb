package main

import (
	"os"
	"path/filepath"
	"testing"

	"earshot"
	"earshot/test/harness"
)

func TestRetryFailedRetriesOnlyFailedTasks(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "hobby", 1000)
	u := user{t, n.BaseURL, a.Key.Text}
	file := writeFile(t, "q.csv", "prompt,country\none,US\ntwo [[block]],US\n")
	out := filepath.Join(t.TempDir(), "results.jsonl")
	args := []string{"batch", file, "--providers", "chatassistant", "--out", out, "--every", "10ms"}
	failures := map[string]bool{}
	for run := range 3 {
		if run == 2 {
			args = append(args, "--retry-failed")
		}
		_, stderr, status := u.does(args...)
		if status != statusIncomplete {
			t.Fatalf("run %d ended with %d: %s", run, status, stderr)
		}
		wants(t, stderr, "1 task failed: run the command again with --retry-failed")
	}
	for record, err := range n.Client(a).Requests(t.Context(), earshot.RequestQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		failures[record.ID] = record.Status == earshot.StatusFailed
	}
	if len(failures) != 3 || u.remaining() != 995 {
		t.Errorf("there are %d tasks, and %d credits are left", len(failures), u.remaining())
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for id, failed := range failures {
		if failed {
			wants(t, string(text), `"taskId":"`+id+`","status":"FAILED"`)
		}
	}
}
