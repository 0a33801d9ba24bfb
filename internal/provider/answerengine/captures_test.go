package answerengine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// leftOver matches the remains of a citation in a text.
var leftOver = regexp.MustCompile(`\[[0-9]+\]|\[[a-z_]+:[0-9]+\]`)

// TestCaptures reads documents of the real site and compares them with a simple look at their JSON.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "web_answerengine/*.json") {
		for i, e := range providertest.Exchanges(t, path) {
			if !bytes.Contains(e.Body, []byte(`"blocks"`)) {
				continue // the output of a tool, not of the site
			}
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				body := e.Body
				a := providertest.Yields(t, parse, body)
				providertest.CheckNoMarkup(t, a.Text)
				if len(a.Text) < 20 || a.Markdown == "" || leftOver.MatchString(a.Text) {
					t.Errorf("text %q", a.Text)
				}
				if strings.Contains(string(body), "display_model") && a.Model == nil {
					t.Error("no model")
				}
				checkHeld(t, a, heldIn(body))
			})
		}
	}
}

// checkHeld checks that the answer has exactly what the capture holds, in the same order.
func checkHeld(t *testing.T, a *earshot.Answer, want held) {
	t.Helper()
	var sources, pills []string
	for _, source := range a.Sources {
		sources = append(sources, source.URL)
	}
	for _, pill := range a.CitationPills {
		pills = append(pills, pill.URL)
	}
	for name, lists := range map[string][2][]string{
		"sources": {want.sources, sources},
		"pills":   {want.pills, pills},
		"queries": {want.queries, a.SearchQueries},
		"related": {want.related, a.RelatedQueries},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: want %q, got %q", name, lists[0], lists[1])
		}
	}
}

// held is what a capture holds: URLs of sources and pills, and queries.
type held struct{ sources, pills, queries, related []string }

// heldIn returns what the last entry of a capture holds.
func heldIn(body []byte) held {
	entry := lastEntry(body)
	var found held
	var results []any
	text := ""
	blocks, _ := entry["blocks"].([]any)
	for _, item := range blocks {
		block, _ := item.(map[string]any)
		if web, ok := block["web_result_block"].(map[string]any); ok {
			results, _ = web["web_results"].([]any)
		}
		if markdown, ok := block["markdown_block"].(map[string]any); ok && block["intended_usage"] == "ask_text" {
			text, _ = markdown["answer"].(string)
		}
	}
	for _, item := range results {
		result, _ := item.(map[string]any)
		link, _ := result["url"].(string)
		found.sources = append(found.sources, link)
	}
	found.pills = pillsIn(text, found.sources)
	addQueries(&found.queries, entry["blocks"])
	related, _ := entry["related_queries"].([]any)
	for _, query := range related {
		found.related = append(found.related, fmt.Sprint(query))
	}
	return found
}

var (
	runs    = regexp.MustCompile(`(?:\[[0-9]+\])+`)
	numbers = regexp.MustCompile(`[0-9]+`)
)

// pillsIn returns the URLs that the numbers in a text refer to, without duplicates in consecutive
// numbers.
func pillsIn(text string, sources []string) []string {
	var pills []string
	for _, run := range runs.FindAllString(text, -1) {
		begin := len(pills)
		for _, number := range numbers.FindAllString(run, -1) {
			n, _ := strconv.Atoi(number)
			if n >= 1 && n <= len(sources) && !slices.Contains(pills[begin:], sources[n-1]) {
				pills = append(pills, sources[n-1])
			}
		}
	}
	return pills
}

// lastEntry returns the last entry of a stream, the newest entry of a document, or the document
// itself.
func lastEntry(body []byte) map[string]any {
	var last, document map[string]any
	for line := range strings.Lines(string(body)) {
		var event map[string]any
		if data, ok := strings.CutPrefix(line, "data:"); ok && json.Unmarshal([]byte(data), &event) == nil && event["final_sse_message"] == true {
			last = event
		}
	}
	if last != nil || json.Unmarshal(body, &document) != nil {
		return last
	}
	youngest := document
	for _, value := range append([]any{document}, valuesOf(document)...) {
		entry, _ := value.(map[string]any)
		if entry["blocks"] != nil && fmt.Sprint(entry["updated_datetime"]) > fmt.Sprint(youngest["updated_datetime"]) || youngest["blocks"] == nil && entry["blocks"] != nil {
			youngest = entry
		}
	}
	return youngest
}

func valuesOf(object map[string]any) []any {
	var values []any
	for _, value := range object {
		values = append(values, value)
	}
	return values
}

// addQueries adds the queries of all query lists in the value.
func addQueries(queries *[]string, value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			addQueries(queries, item)
		}
	case map[string]any:
		for _, field := range []string{"queries", "reformulated_queries"} {
			list, _ := v[field].([]any)
			for _, item := range list {
				text, _ := item.(string)
				if query, ok := item.(map[string]any); ok {
					text, _ = query["query"].(string)
				}
				if text != "" && !slices.Contains(*queries, text) {
					*queries = append(*queries, text)
				}
			}
		}
		for _, inner := range v {
			addQueries(queries, inner)
		}
	}
}

func TestCapturedPages(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "web_pages/*perplexity*.html") {
		a := providertest.Yields(t, parse, providertest.Stored(t, path))
		providertest.CheckNoMarkup(t, a.Text)
		if len(a.Text) < 20 || a.Markdown == "" || len(a.CitationPills) == 0 {
			t.Errorf("%s: %d pills, text %q", path, len(a.CitationPills), a.Text)
		}
	}
}

func TestFidelity(t *testing.T) {
	t.Parallel()
	providertest.Fidelity(t, parse, map[string]string{
		"search_with_sources_func_20251012_223140.json 0": "the output of another program",
		"handles_context_length_exceeded_errors.yml 0":    "a refusal: the messages are too long",
		"sonar_can_understand_remote_text.yml 0":          "a license that the question is about, from another site",
	}, "web_answerengine/*", "web_pages/*perplexity*")
}
