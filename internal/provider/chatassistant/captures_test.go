package chatassistant_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
)

// TestCaptures reads documents that the real interface served. They are no
// fixtures of ours, so it only wants what must hold for all of them.
func TestCaptures(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, pattern := range []string{"web_pages/*chatgpt*.html", "web_chatassistant_stream/*.json", "web_chatassistant_json/*.json"} {
		paths = append(paths, providertest.Captures(t, pattern)...)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			result, err := parse(providertest.Recorded(document)[0])
			if err != nil {
				// A turn that only draws a picture says nothing.
				if bytes.Contains(document, []byte("image-gen")) && providertest.Reason(t, err) == string(earshot.ReasonEmpty) {
					return
				}
				t.Fatal(err)
			}
			providertest.Check(t, result)
			a := providertest.Answer(t, result)
			if a.Model == nil || len(a.Text) < 20 || a.Markdown == "" {
				t.Errorf("model %v, text %q", a.Model, a.Text)
			}
			if strings.Contains(string(document), "citation-pill") && len(a.CitationPills) == 0 && bytes.Contains(lastTurn(document), []byte("citation-pill")) {
				t.Error("no pills")
			}
		})
	}
}

func lastTurn(page []byte) []byte {
	return page[max(0, bytes.LastIndex(page, []byte(`data-turn="assistant"`))):]
}
