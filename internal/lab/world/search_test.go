package world

import (
	"reflect"
	"testing"
)

// TestEveryLanguageHasSearchPhrases holds that no language lacks a phrase, which
// would show as an empty place on a page.
func TestEveryLanguageHasSearchPhrases(t *testing.T) {
	t.Parallel()
	for language := range languages {
		book := searchPhrasesIn(language)
		if book == nil {
			t.Errorf("%s has none", language)
			continue
		}
		checkFilled(t, language, reflect.ValueOf(*book))
	}
}

func checkFilled(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			checkFilled(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Len() < 3 {
			t.Errorf("%s has %d phrases", path, v.Len())
		}
		for i := range v.Len() {
			checkFilled(t, path, v.Index(i))
		}
	default:
		if v.IsZero() {
			t.Errorf("%s is empty", path)
		}
	}
}

func TestResultsAreDifferentPages(t *testing.T) {
	t.Parallel()
	total := 150
	seen := map[string]bool{}
	for start := 0; start < total; start += PageSize {
		q := Search{Question: Question{Prompt: "tea", Country: "US", Language: "en"}, Start: start, Total: &total}
		found := Find(q)
		if len(found.Results) != PageSize || len(found.Related) != PageSize-2 || (found.Panel != nil) != (start == 0) {
			t.Fatalf("page at %d is %+v", start, found)
		}
		articles, _ := Headlines(q)
		for i, r := range found.Results {
			for _, link := range []string{r.URL, articles[i].URL} {
				if seen[link] {
					t.Errorf("%s is there twice", link)
				}
				seen[link] = true
			}
		}
	}
}
