package socialassistant_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/provider/providertest"
)

// TestCaptures reads documents that the real interface served. They are no
// fixtures of ours, so it only wants what must hold for all of them.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "web_socialassistant/*.json") {
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
				if a.Model == nil || len(a.Text) < 20 || a.Markdown == "" || len(a.RelatedQueries) == 0 {
					t.Errorf("model %v, related %v, text %q", a.Model, a.RelatedQueries, a.Text)
				}
			})
		}
	}
}

func TestCapturedPages(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "web_pages/*grok*.html") {
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
		if len(a.Text) < 20 || a.Markdown == "" {
			t.Errorf("%s: text %q", path, a.Text)
		}
	}
}
