package searchaimode_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/provider/providertest"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/serp"
	"earshot/test/captures"
)

// debris matches text that must not be in an answer.
var debris = regexp.MustCompile(`\x{200b}|\x{feff}|\x{fffd}|&(?:amp|nbsp|lt|gt|quot|#39);|\\x3[ce]|</?(?:div|span|svg|style|script)\b`)

// TestFidelity prints what was found on each captured page, and checks properties that every page
// must have. `make fidelity` prints its output.
func TestFidelity(t *testing.T) {
	t.Parallel()
	served := searchaimode.Provider{Engine: serp.Engine{Host: "google.com"}}
	for _, path := range captures.Find(t, "web_searchaimode/*.html") {
		page := filepath.Base(path)
		document := providertest.Stored(t, path)
		a, err := served.Parse(document, "US")
		if err != nil {
			t.Errorf("%s: %v", page, err)
			continue
		}
		products := len(a.InlineProducts)
		for _, card := range a.ShoppingCards {
			products += len(card.Products)
		}
		t.Logf("%s: text %d, markdown %d, sources %d, pills %d, products %d, places %d, videos %d, related %d", page,
			len(a.Text), len(a.Markdown), len(a.Sources), len(a.CitationPills), products, len(a.Places), len(a.Videos), len(a.RelatedQueries))
		providertest.Check(t, a)
		providertest.CheckRedirects(t, served.Engine.NewLinks(nil).Read, a, document)
		if found := debris.FindString(a.Text); found != "" {
			t.Errorf("%s: text has %q in it:\n%s", page, found, a.Text)
		}
		for _, source := range a.Sources {
			if source.Label == "" || source.Domain == "" || strings.Contains(source.URL, "google.com/url?") {
				t.Errorf("%s: source is %+v", page, source)
			}
		}
	}
}
