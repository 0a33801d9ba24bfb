package world

import (
	"reflect"
	"testing"
)

// Every language has every phrase. A missing phrase would leave a gap on a page.
func TestNoPhraseIsMissing(t *testing.T) {
	t.Parallel()
	for language, book := range languages() {
		checkFilled(t, language, 1, reflect.ValueOf(*book))
		checkFilled(t, language, 3, reflect.ValueOf(book.Search))
	}
}

// checkFilled fails the test if a text is empty or a list has fewer than minimum texts.
func checkFilled(t *testing.T, path string, minimum int, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			checkFilled(t, path+"."+v.Type().Field(i).Name, minimum, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Len() < minimum {
			t.Errorf("%s has %d phrases", path, v.Len())
		}
		for i := range v.Len() {
			checkFilled(t, path, minimum, v.Index(i))
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
		articles := Headlines(q)
		for i, r := range found.Results {
			for _, link := range []string{r.URL, articles[i].URL} {
				if seen[link] {
					t.Errorf("%s is listed twice", link)
				}
				seen[link] = true
			}
		}
	}
}
