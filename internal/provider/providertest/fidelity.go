package providertest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Fidelity is the scorecard of an assistant's real documents: what was found in
// each of them, or why nothing was. What must hold for them is for other tests to
// say. make fidelity prints it.
func Fidelity(t *testing.T, parse func(document []byte) (any, error), patterns ...string) {
	t.Helper()
	const row = "%-88s %6v %7v %5v %7v %7v %6v  %v"
	t.Logf(row, "document", "words", "sources", "posts", "pills", "queries", "other", "model")
	for _, pattern := range patterns {
		for _, path := range Captures(t, pattern) {
			for i, e := range Exchanges(t, path) {
				name := fmt.Sprintf("%s %d", filepath.Base(path), i)
				result, err := parse(e.Body)
				if err != nil {
					t.Logf("%-88s no answer: %s", name, Reason(t, err))
					continue
				}
				Check(t, result)
				a := Answer(t, result)
				posts, model := 0, "-"
				for _, source := range a.Sources {
					if source.Post != nil {
						posts++
					}
				}
				if a.Model != nil {
					model = *a.Model
				}
				other := len(a.RelatedQueries) + len(a.Places) + len(a.Videos) + len(a.Images) + len(a.ShoppingCards)
				t.Logf(row, name, len(strings.Fields(a.Text)), len(a.Sources), posts, len(a.CitationPills), len(a.SearchQueries), other, model)
			}
		}
	}
}
