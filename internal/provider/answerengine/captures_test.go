package answerengine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/provider/providertest"
)

// leftOver is what a citation would leave in the text of a capture.
var leftOver = regexp.MustCompile(`\[[0-9]+\]`)

// TestCaptures reads documents that the real interface served. They are no
// fixtures of ours, so it only wants what must hold for all of them.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "web_answerengine/*.json") {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, body := range providertest.Recorded(document) {
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				result, err := parse(body)
				if err != nil {
					t.Fatal(err)
				}
				providertest.Check(t, result)
				a := providertest.Answer(t, result)
				providertest.CheckNoMarkup(t, a.Text)
				if len(a.Text) < 20 || a.Markdown == "" || len(a.Sources) == 0 || leftOver.MatchString(a.Text) {
					t.Errorf("%d sources, text %q", len(a.Sources), a.Text)
				}
				if strings.Contains(string(body), "display_model") && (a.Model == nil || len(a.SearchQueries) == 0) {
					t.Errorf("model %v, queries %v", a.Model, a.SearchQueries)
				}
			})
		}
	}
}

func TestCapturedPages(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "web_pages/*perplexity*.html") {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		result, err := parse(document)
		if err != nil {
			t.Fatal(err)
		}
		providertest.Check(t, result)
		a := providertest.Answer(t, result)
		providertest.CheckNoMarkup(t, a.Text)
		if len(a.Text) < 20 || a.Markdown == "" || len(a.CitationPills) == 0 {
			t.Errorf("%s: %d pills, text %q", path, len(a.CitationPills), a.Text)
		}
	}
}
