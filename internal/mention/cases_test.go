package mention_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/mention"
	"earshot/test/captures"
)

// testCase is a line of a file of cases. What is expected is complete: anything else
// that is found is a mistake.
type testCase struct {
	ID      string           `json:"id"`
	Why     string           `json:"why"`
	Text    string           `json:"text"`
	Format  mention.Format   `json:"format"`
	Prompt  string           `json:"prompt"`
	Sources []mention.Source `json:"sources"`
	Brands  []mention.Brand  `json:"brands"`
	Expect  []expectation    `json:"expect"`
}

type expectation struct {
	Brand    string       `json:"brand"`
	Text     string       `json:"text,omitempty"`
	Kind     mention.Kind `json:"kind"`
	Position *int         `json:"position"`
	ListRank *int         `json:"listRank"`
	Range    [2]int       `json:"range"`
}

// TestSamples runs the hard cases that lie beside the repository.
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
	for line := range bytes.Lines(file) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var c testCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			rules, err := mention.Compile(c.Brands)
			if err != nil {
				t.Fatal(err)
			}
			found := rules.Find(mention.Text{Body: c.Text, Format: c.Format, Prompt: c.Prompt, Sources: c.Sources})
			if diff := cmp.Diff(expected(c), got(c, found)); diff != "" {
				t.Errorf("%s\n%q\n-want +got\n%s", c.Why, c.Text, diff)
			}
		})
	}
}

func expected(c testCase) string {
	var lines strings.Builder
	for _, e := range c.Expect {
		position, rank := 0, "-"
		if e.Position != nil {
			position = *e.Position
		}
		if e.ListRank != nil {
			rank = fmt.Sprint(*e.ListRank)
		}
		fmt.Fprintf(&lines, "%s %s %v position %d rank %s\n", e.Brand, e.Kind, e.Range, position, rank)
	}
	return lines.String()
}

func got(c testCase, found mention.Found) string {
	var lines strings.Builder
	for _, m := range found.Mentions {
		rank := "-"
		if m.Ranked {
			rank = fmt.Sprint(m.ListRank)
		}
		fmt.Fprintf(&lines, "%s %s %v position %d rank %s\n", c.Brands[m.Brand].Name, m.Kind, [2]int{m.Start, m.End}, m.Position, rank)
	}
	return lines.String()
}
