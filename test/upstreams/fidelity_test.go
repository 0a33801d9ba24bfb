package upstreams_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

var write = flag.Bool("write", false, "write docs/extraction.md")

const (
	page  = "../../docs/extraction.md"
	begin = "<!-- made by make fidelity -->\n"
)

// folders are the captures: whose they are, and from which surface.
var folders = []struct {
	pattern, provider string
	surface           earshot.Surface
}{
	{"websearch/*.html", "websearch", earshot.SurfaceWeb},
	{"web_chatassistant_*/*", "chatassistant", earshot.SurfaceWeb},
	{"web_pages/*chatgpt*.html", "chatassistant", earshot.SurfaceWeb},
	{"api_chatassistant/*", "chatassistant", earshot.SurfaceAPI},
	{"web_genassistant/*", "genassistant", earshot.SurfaceWeb},
	{"web_pages/*gemini*.html", "genassistant", earshot.SurfaceWeb},
	{"api_genassistant/*", "genassistant", earshot.SurfaceAPI},
	{"web_socialassistant/*", "socialassistant", earshot.SurfaceWeb},
	{"web_pages/*grok*.html", "socialassistant", earshot.SurfaceWeb},
	{"api_socialassistant/*", "socialassistant", earshot.SurfaceAPI},
	{"web_answerengine/*", "answerengine", earshot.SurfaceWeb},
	{"web_pages/*perplexity*.html", "answerengine", earshot.SurfaceWeb},
	{"web_searchaimode/*.html", "searchaimode", earshot.SurfaceWeb},
}

// column counts the results of one surface of a provider.
type column struct {
	documents int
	seen      map[string]int // field -> documents that have it
}

// TestFidelity counts in how many real captures each field of a result was found, and compares the
// counts with the page.
func TestFidelity(t *testing.T) {
	t.Parallel()
	columns := map[string]*column{}
	for _, f := range folders {
		name := f.provider + " " + string(f.surface)
		if columns[name] == nil {
			columns[name] = &column{seen: map[string]int{}}
		}
		for _, path := range captures.Find(t, f.pattern) {
			for _, exchange := range providertest.Exchanges(t, path) {
				result, err := app.Parse(t.Context(), app.Stored{
					Provider: f.provider, Document: exchange.Body, Surface: f.surface, Request: map[string]any{"country": "US"},
				})
				if err != nil {
					continue // recordings of errors, and of what is no answer
				}
				columns[name].documents++
				for field := range fieldsOf(t, result) {
					columns[name].seen[field]++
				}
			}
		}
	}
	var text strings.Builder
	text.WriteString(begin)
	search := map[string]*column{"websearch web": columns["websearch web"]}
	delete(columns, "websearch web")
	list(&text, "Web search", search, fixtures(t, "websearch"))
	answers := fixtures(t, "chatassistant", "genassistant", "socialassistant", "answerengine", "searchaimode", "officeassistant")
	list(&text, "Assistants", columns, answers)
	text.WriteString("\n`websearch/news` and `officeassistant`: there are no captures. Their fields were tested against the lab only.\n")
	stored, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, _ := bytes.Cut(stored, []byte(begin))
	whole := append(slices.Clone(prose), text.String()...)
	if *write {
		if err := os.WriteFile(page, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(stored, whole) {
		t.Errorf("%s is stale: run make fidelity", page)
	}
}

// list writes one line for each surface of a provider: how many captures have each field.
// The last line names the fields that only the project's own fixtures have.
func list(text *strings.Builder, title string, columns map[string]*column, own map[string]bool) {
	fmt.Fprintf(text, "\n## %s\n\n", title)
	unseen := maps.Clone(own)
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		var counts []string
		for _, field := range slices.Sorted(maps.Keys(columns[name].seen)) {
			counts = append(counts, fmt.Sprintf("%#q %d", field, columns[name].seen[field]))
			delete(unseen, field)
		}
		fmt.Fprintf(text, "- %s, %d captures: %s\n", name, columns[name].documents, strings.Join(counts, ", "))
	}
	fmt.Fprintf(text, "- only in own fixtures: `%s`\n", strings.Join(slices.Sorted(maps.Keys(unseen)), "`, `"))
}

// fixtures are the fields that documents of our own show, as their golden files say.
func fixtures(t *testing.T, providers ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, provider := range providers {
		paths, err := filepath.Glob("../../internal/provider/" + provider + "/testdata/*.golden")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			var value map[string]any
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if json.Unmarshal(data, &value) == nil && value["surface"] != nil {
				collect(value, found)
			}
		}
	}
	return found
}

// fieldsOf are the fields of a result that are filled.
func fieldsOf(t *testing.T, result any) map[string]bool {
	t.Helper()
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	collect(value, found)
	return found
}

// common are the fields that are not counted: almost every answer has them.
var common = []string{"rawResponse", "surface", "location", "text"}

// collect adds the names of the filled fields to found: the top-level fields of the result.
func collect(value map[string]any, found map[string]bool) {
	for name, inner := range value {
		if !slices.Contains(common, name) && filled(inner) {
			found[name] = true
		}
	}
}

// filled reports whether a value has content.
func filled(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	default:
		return true
	}
}
