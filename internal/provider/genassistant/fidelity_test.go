package genassistant_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
)

// TestFidelity is the scorecard of real documents: what was found in each of
// them. make fidelity prints it.
func TestFidelity(t *testing.T) {
	t.Parallel()
	t.Logf("%-66s %s", "document", scoreHead)
	for _, pattern := range []string{"web_genassistant/*", "web_pages/*gemini*"} {
		for _, path := range providertest.Captures(t, pattern) {
			for i, body := range providertest.Recorded(providertest.Stored(t, path)) {
				name := fmt.Sprintf("%s %d", filepath.Base(path), i)
				result, err := parse(body)
				if err != nil {
					t.Logf("%-66s no answer: %s", name, providertest.Reason(t, err))
					continue
				}
				providertest.Check(t, result)
				t.Logf("%-66s %s", name, score(providertest.Answer(t, result)))
			}
		}
	}
}

const scoreHead = "sources  pills  queries  related  images  words  model"

func score(a *earshot.Answer) string {
	model := "-"
	if a.Model != nil {
		model = *a.Model
	}
	return fmt.Sprintf("%7d %6d %8d %8d %7d %6d  %s", len(a.Sources), len(a.CitationPills), len(a.SearchQueries), len(a.RelatedQueries),
		len(a.Images), len(strings.Fields(a.Text)), model)
}
