package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/track/metric"
)

// worked is a test folder of package metric.
func worked(name string) string {
	return filepath.Join("..", "..", "internal", "track", "metric", "testdata", name)
}

func TestMetricsOfAFolder(t *testing.T) {
	t.Parallel()
	var report struct {
		Metrics, Compare, Series, Stability []map[string]any
	}
	if err := json.Unmarshal([]byte(mustRun(t, "metrics", "test", worked("corners"))), &report); err != nil {
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
		if _, err := earshotCommand(t, "metrics", "test", dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want it to name %q", err, want)
		}
	}
}
