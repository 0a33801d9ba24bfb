// Package extraction counts in how many real captures each field of a result was
// found, and writes the tables of docs/extraction.md.
package extraction

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
	{"api_answerengine/*", "answerengine", earshot.SurfaceAPI},
	{"web_searchaimode/*.html", "searchaimode", earshot.SurfaceWeb},
}

// column counts the results of one surface of a provider.
type column struct {
	documents int
	seen      map[string]int // field -> documents that have it
}

// TestFidelity counts, and wants the tables to say the same. It reads all captures,
// which takes long under the race detector: make fidelity runs it without.
func TestFidelity(t *testing.T) {
	t.Parallel()
	if providertest.Mass > 1 {
		t.Skip("make fidelity counts without the race detector")
	}
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
	table(&text, "Web search", "websearch", columns, fixtures(t, "websearch"))
	answers := fixtures(t, "chatassistant", "genassistant", "socialassistant", "answerengine", "searchaimode", "officeassistant")
	table(&text, "Assistants", "", columns, answers)
	text.WriteString("\n`websearch/news` and `officeassistant`: no capture; their fields are read from the lab only.\n")
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

// table writes one line a field, and a cell a surface: in how many captures it was
// found, "lab" where only pages of our own show it, and nothing where none does.
func table(text *strings.Builder, title, provider string, columns map[string]*column, own map[string]bool) {
	var names []string
	rows := maps.Clone(own)
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if isSearch := strings.HasPrefix(name, "websearch"); isSearch == (provider == "websearch") {
			names = append(names, name)
			for field := range columns[name].seen {
				rows[field] = true
			}
		}
	}
	fmt.Fprintf(text, "\n## %s\n\n| Field |", title)
	for _, name := range names {
		fmt.Fprintf(text, " %s (%d) |", name, columns[name].documents)
	}
	text.WriteString(" own pages |\n|---|" + strings.Repeat("---|", len(names)+1) + "\n")
	for _, field := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(text, "| `%s` |", field)
		for _, name := range names {
			if n := columns[name].seen[field]; n > 0 {
				fmt.Fprintf(text, " %d |", n)
			} else {
				text.WriteString(" |")
			}
		}
		if own[field] {
			text.WriteString(" yes |\n")
		} else {
			text.WriteString(" |\n")
		}
	}
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
				collect("", value, found)
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
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	collect("", value, found)
	return found
}

// collect notes the fields below a path that are filled, those of overviews and of
// prices as one: they are the same everywhere.
func collect(path string, value any, found map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			below := strings.TrimPrefix(path+"."+name, ".")
			if below == "rawResponse" || name == "position" || strings.HasSuffix(below, "rice.raw") || strings.HasSuffix(below, "rice.value") || strings.HasSuffix(below, "rice.currency") {
				continue
			}
			collect(below, inner, found)
		}
		if path != "" && len(v) > 0 {
			found[path] = true
		}
	case []any:
		for _, inner := range v {
			collect(path, inner, found)
		}
		if len(v) > 0 {
			found[path] = true
		}
	case nil:
	default:
		if v != "" {
			found[path] = true
		}
	}
}
