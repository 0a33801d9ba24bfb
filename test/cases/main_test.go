package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/track/metric"
)

// output runs the program and returns what it prints.
func output(args ...string) (string, error) {
	var out strings.Builder
	err := run(args, strings.NewReader(""), &out)
	return out.String(), err
}

// printed is output without an error.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	out, err := output(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNames(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cases.jsonl")
	write := func(lines ...string) {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = `{"id":"good","text":"1. Ollaro","brands":[{"name":"Ollaro"}],"expect":[{"brand":"Ollaro","kind":"name","position":1,"listRank":1,"range":[3,9]}]}`
	const absent = `{"id":"absent","text":"No mention of Ollaro.","brands":[{"name":"Ollaro"}]}`
	const bad = `{"id":"bad","why":"none","text":"Ollaro","brands":[{"name":"Ollaro"}],"expect":[]}`

	write(good, "", absent)
	if out := printed(t, "names", file); out != "2 of 2 cases gave the expected mentions\n" {
		t.Errorf("printed %q", out)
	}
	want := `{"id":"good","mentions":[{"brand":"Ollaro","kind":"name","start":3,"end":9,"position":1,"listRank":1}]}
{"id":"absent","mentions":[{"brand":"Ollaro","kind":"absent","start":14,"end":20,"position":null,"listRank":null}]}
`
	if out := printed(t, "names", file, "--format", "ndjson"); out != want {
		t.Errorf("printed %s, not %s", out, want)
	}

	write(good, bad)
	out, err := output("names", file)
	if !errors.Is(err, errDiffers) || !strings.Contains(out, "found:   Ollaro (name), bytes 0 to 6, position 1") || !strings.Contains(out, "1 of 2") {
		t.Errorf("a case that differs gave %v and %q", err, out)
	}

	write(good, `{"id":"x","text":"","brands":[{"name":"On","match":{"near":["two words"]}}]}`)
	if _, err := output("names", file); err == nil || !strings.Contains(err.Error(), "line 2, case \"x\": brands[0].match.near[0]") {
		t.Errorf("a bad panel gave %v", err)
	}
	write("{")
	if _, err := output("names", file); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a line that is no JSON gave %v", err)
	}
}

// worked is a test folder of package metric.
func worked(name string) string {
	return filepath.Join("..", "..", "internal", "track", "metric", "testdata", name)
}

func TestMetricsOfAFolder(t *testing.T) {
	t.Parallel()
	var report struct {
		Metrics, Compare, Series, Stability []map[string]any
	}
	if err := json.Unmarshal([]byte(printed(t, "metrics", worked("corners"))), &report); err != nil {
		t.Fatal(err)
	}
	first := report.Metrics[0]
	if first["metric"] != "visibility@m1" || first["brand"] != "Ollaro" || first["numerator"] != 3.0 || first["denominator"] != 4.0 {
		t.Errorf("the first row is %v", first)
	}
	if len(report.Series) == 0 || len(report.Stability) == 0 {
		t.Errorf("there are %d series and %d rows of stability", len(report.Series), len(report.Stability))
	}
}

func TestMetricsOfInvalidFiles(t *testing.T) {
	t.Parallel()
	write := func(definition, answers string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"definition.json": definition, "answers.ndjson": answers} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	sound, err := json.Marshal(metric.Definition{
		Prompts: []metric.Prompt{{Weight: 1}}, Targets: []metric.Target{{Key: "a/US"}}, Samples: 1, Sweeps: []metric.AskedSweep{{ID: "s1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for want, dir := range map[string]string{
		"definition.json":     t.TempDir(),
		"samples":             write(`{"samples": 0}`, ``),
		"prompts[0].weight":   write(`{"samples": 1, "prompts": [{"text": "x", "weight": 0}]}`, ``),
		"no sweep \"s9\"":     write(`{"samples": 1, "prompts": [{"text": "x", "from": "s9"}]}`, ``),
		"object 1: answer":    write(string(sound), `{"id": "a1", "prompt": 3}`),
		"no target \"b/US\"":  write(string(sound), `{"id": "a1", "target": "b/US", "sweep": "s1", "sample": 1}`),
		"has the sweep":       write(string(sound), strings.Repeat(`{"id": "a1", "target": "a/US", "sweep": "s1", "sample": 1}`, 2)),
		"object 1: invalid":   write(string(sound), `{]`),
		"sample: is 2":        write(string(sound), `{"id": "a1", "target": "a/US", "sweep": "s1", "sample": 2}`),
		"there is no prompt ": write(string(sound), `{"id": "a1", "prompt": -1, "target": "a/US", "sweep": "s1", "sample": 1}`),
	} {
		if _, err := output("metrics", dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want it to name %q", err, want)
		}
	}
}
