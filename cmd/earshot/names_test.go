package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNamesTest(t *testing.T) {
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
	if out := mustRun(t, "names", "test", file); out != "2 of 2 cases gave the expected mentions\n" {
		t.Errorf("printed %q", out)
	}
	want := `{"id":"good","mentions":[{"brand":"Ollaro","kind":"name","start":3,"end":9,"position":1,"listRank":1}]}
{"id":"absent","mentions":[{"brand":"Ollaro","kind":"absent","start":14,"end":20,"position":null,"listRank":null}]}
`
	if out := mustRun(t, "names", "test", file, "--format", "ndjson"); out != want {
		t.Errorf("printed %s, not %s", out, want)
	}

	write(good, bad)
	out, err := earshotCommand(t, "names", "test", file)
	if !errors.Is(err, errDiffers) || !strings.Contains(out, "found:   Ollaro (name), bytes 0 to 6, position 1") || !strings.Contains(out, "1 of 2") {
		t.Errorf("a case that differs gave %v and %q", err, out)
	}

	write(good, `{"id":"x","text":"","brands":[{"name":"On","match":{"near":["two words"]}}]}`)
	if _, err := earshotCommand(t, "names", "test", file); err == nil || !strings.Contains(err.Error(), "line 2, case \"x\": brands[0].match.near[0]") {
		t.Errorf("a bad panel gave %v", err)
	}
	write("{")
	if _, err := earshotCommand(t, "names", "test", file); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a line that is no JSON gave %v", err)
	}
}
