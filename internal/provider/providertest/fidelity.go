package providertest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"earshot/test/captures"
)

// Fidelity logs what is found in each real document of an assistant; make fidelity prints this
// table. Every document must yield an answer, except those in unanswered. Its keys are suffixes of
// "file number", or of "file" for a capture without documents. Its values say what the capture
// holds instead of an answer.
func Fidelity(t *testing.T, parse func(document []byte) (any, error), unanswered map[string]string, patterns ...string) {
	t.Helper()
	why := func(name string) string {
		for end, reason := range unanswered {
			if strings.HasSuffix(name, end) {
				return reason
			}
		}
		return ""
	}
	const row = "%-88s %6v %7v %5v %7v %7v %6v  %v"
	t.Logf(row, "document", "words", "sources", "posts", "pills", "queries", "other", "model")
	for _, pattern := range patterns {
		for _, path := range captures.Find(t, pattern) {
			exchanges := Exchanges(t, path)
			if len(exchanges) == 0 && why(path) == "" {
				t.Errorf("%s has no documents", filepath.Base(path))
			}
			for i, e := range exchanges {
				name := fmt.Sprintf("%s %d", filepath.Base(path), i)
				result, err := parse(e.Body)
				if (err != nil) != (why(name) != "") {
					t.Errorf("%s yields %v, %v; the expected reason for no answer is %q", name, result, err, why(name))
				}
				if err != nil {
					t.Logf("%-88s no answer (%s): %s", name, Reason(t, err), why(name))
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
