package mention_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"earshot/internal/track/mention"
	"earshot/test/captures"
)

// TestSamples runs the cases that are stored next to the repository.
func TestSamples(t *testing.T) {
	t.Parallel()
	runCases(t, captures.Sample(t, "mentions.jsonl"))
}

// TestOwnCases runs the cases of this package, rule by rule.
func TestOwnCases(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	runCases(t, file)
}

func runCases(t *testing.T, file []byte) {
	t.Helper()
	count := 0
	for line := range bytes.Lines(file) {
		var c mention.Case
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if c.Expect == nil {
			t.Errorf("%s has no expectations", c.ID)
		}
		outcome, err := c.Run()
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		for _, difference := range c.Differences(outcome) {
			t.Errorf("%s, %s: %s\n%q", c.ID, c.Why, difference, c.Text)
		}
		count++
	}
	if count < 100 {
		t.Errorf("only %d cases", count)
	}
}
