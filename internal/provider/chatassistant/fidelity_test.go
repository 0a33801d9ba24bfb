package chatassistant_test

import (
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/provider/providertest"
)

// TestFidelity is the scorecard of real captures: what was found in each of them.
// What must hold for them is TestCaptures. make fidelity prints it.
func TestFidelity(t *testing.T) {
	t.Parallel()
	const row = "%-88s %7v %7v %7v %7v %7v  %v"
	t.Logf(row, "capture", "words", "sources", "chips", "pills", "queries", "model")
	for _, path := range captures(t) {
		name := filepath.Base(path)
		result, err := parse(providertest.Recorded(providertest.Stored(t, path))[0])
		if err != nil {
			t.Logf("%-88s %v", name, err)
			continue
		}
		a := providertest.Answer(t, result)
		chips := map[string]bool{}
		for _, pill := range a.CitationPills {
			chips[pill.CitationPillID] = true
		}
		model := "-"
		if a.Model != nil {
			model = *a.Model
		}
		t.Logf(row, name, len(strings.Fields(a.Text)), len(a.Sources), len(chips), len(a.CitationPills), len(a.SearchQueries), model)
	}
}
