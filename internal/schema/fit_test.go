package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/schema"
)

func TestFit(t *testing.T) {
	t.Parallel()
	fitted, unknown := schema.Fit(map[string]any{
		"QUERY": "shoes", "pages": "many", "__proto__": 1, "colour": "red",
		"include": map[string]any{"HTML": true, "smell": true, "searchoverview": map[string]any{"Markdown": true, "x": 1}},
	}, earshot.WebSearchRequest{})
	want := map[string]any{
		"query": "shoes", "pages": "many",
		"include": map[string]any{"html": true, "searchoverview": map[string]any{"markdown": true}},
	}
	if diff := cmp.Diff(want, fitted); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"__proto__", "colour", "include.searchoverview.x", "include.smell"}, unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
}
