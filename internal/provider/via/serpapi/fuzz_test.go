package serpapi

import (
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/providertest"
)

// FuzzRead reads any document as a result page and as an answer.
func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no documents: %v", err)
	}
	for _, path := range paths {
		document, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(document))
	}
	f.Fuzz(func(t *testing.T, document string) {
		value, _ := loosejson.Decode(document)
		found := loosejson.AsObject(value)
		for _, name := range []string{"websearch", "websearch/news"} {
			q := &provider.Question{Provider: name, Locale: geo.Locale{Country: "DE"}, QuestionOverviews: true}
			r := newReader(q)
			r.page(found, 1)
			providertest.Check(t, r.reply)
			providertest.Check(t, readAnswer(found, q))
		}
	})
}
