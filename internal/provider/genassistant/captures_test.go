package genassistant_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
)

// TestCaptures reads pages that the real interface served. They are no fixtures
// of ours, so it only wants what must hold for all of them.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "web_pages/*gemini*.html") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			result, err := parse(document)
			if err != nil {
				// A piece that was cut out of an answer is none.
				if !bytes.Contains(document, []byte("<model-response")) && providertest.Reason(t, err) == string(earshot.ReasonUnreadable) {
					return
				}
				t.Fatal(err)
			}
			providertest.Check(t, result)
			a := providertest.Answer(t, result)
			providertest.CheckNoMarkup(t, a.Text)
			if a.Model == nil || len(a.Text) < 20 || a.Markdown == "" {
				t.Errorf("model %v, text %q", a.Model, a.Text)
			}
		})
	}
}
