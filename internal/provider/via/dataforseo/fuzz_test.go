package dataforseo

import (
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/providertest"
)

// FuzzRead reads any task as the task of every provider.
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
		for name := range endpoints {
			q := &provider.Question{Provider: name, Locale: geo.Locale{Country: "DE"}, QuestionOverviews: true}
			if reply, verdict := read(loosejson.AsObject(value), q); verdict.Failure == nil {
				providertest.Check(t, reply)
			}
		}
	})
}
