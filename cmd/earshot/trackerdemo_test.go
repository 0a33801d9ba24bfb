package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"earshot"
)

func TestTrackerDemo(t *testing.T) {
	greeting := serving(t, "--data", newData(t))
	access := regexp.MustCompile(`export EARSHOT_URL=(\S+) EARSHOT_API_KEY=(\S+)`).FindStringSubmatch(greeting)
	t.Setenv("EARSHOT_URL", access[1])
	t.Setenv("EARSHOT_API_KEY", access[2])
	if out := mustRun(t, "tracker", "demo", "--days", "2", "--prompts", "1"); !strings.Contains(out, "demo: 2 sweeps") || !strings.Contains(out, "Ollaro") {
		t.Errorf("it prints %s", out)
	}
	var made earshot.DemoMade
	if err := json.Unmarshal([]byte(mustRun(t, "tracker", "demo", "--name", "other", "--days", "1", "--prompts", "1", "--json")), &made); err != nil || made.Tracker.Name != "other" {
		t.Errorf("it prints %+v: %v", made, err)
	}
	for _, args := range [][]string{{"--days", "366"}, {"--prompts", "0"}, {"--name", "No Name"}} {
		if _, err := earshotCommand(t, append([]string{"tracker", "demo"}, args...)...); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestInvalidLabWorld(t *testing.T) {
	t.Parallel()
	_, err := earshotCommand(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--lab-world", "main.go")
	if err == nil || !strings.Contains(err.Error(), "main.go") {
		t.Errorf("served with %v", err)
	}
}
