package responses_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/test/captures"
)

// TestCaptures reads answers of the real APIs. A second, simpler look at each answer's JSON says
// what must be found, and nothing else may be found.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"api_chatassistant/*", "api_socialassistant/*"} {
		for _, path := range captures.Find(t, pattern) {
			for i, e := range providertest.Exchanges(t, path) {
				t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
					t.Parallel()
					checkCapture(t, e.Body)
				})
			}
		}
	}
}

func checkCapture(t *testing.T, body []byte) {
	t.Helper()
	if !responses.Recognises(body) {
		t.Fatal("the document is not recognised")
	}
	a, err := responses.Read(body, answer.Options{Country: "US", Markdown: true})
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, a)
	providertest.CheckNoMarkup(t, a.Text)
	if strings.Contains(a.Text, "](http") || strings.Contains(a.Text, "utm_source") {
		t.Errorf("a citation is left in the text:\n%s", a.Text)
	}
	want := expected(t, body)
	if a.Model == nil || *a.Model != want.Model || a.Text == "" || a.Markdown == "" {
		t.Errorf("model %v, text %q", a.Model, a.Text)
	}
	same(t, "queries", a.SearchQueries, want.queries)
	var sources, pills []string
	for _, source := range a.Sources {
		sources = append(sources, source.URL)
		checkLabel(t, source)
	}
	for _, pill := range a.CitationPills {
		pills = append(pills, pill.URL)
	}
	same(t, "sources", sources, want.sources)
	same(t, "pills", pills, want.pills)
}

func checkLabel(t *testing.T, source earshot.Source) {
	t.Helper()
	if regexp.MustCompile(`^[0-9]*$`).MatchString(source.Label) {
		t.Errorf("source %s is labelled %q", source.URL, source.Label)
	}
	if strings.Contains(source.URL, "/status/") != (source.Post != nil) {
		t.Errorf("source %s has the post %v", source.URL, source.Post)
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s are\n%q, want\n%q", what, got, want)
	}
}

// expectation is what must be read from an answer.
type expectation struct {
	Model  string
	Output []struct {
		Type, Arguments string
		Action          struct {
			Type, Query string
			Queries     []string
			Sources     []struct{ URL string }
		}
		Content []struct {
			Annotations []struct {
				URL   string
				Start *int `json:"start_index"`
			}
		}
	}
	queries, sources, pills []string
}

// expected returns what the answer's JSON says.
func expected(t *testing.T, body []byte) expectation {
	t.Helper()
	var last struct{ Response json.RawMessage }
	for line := range bytes.Lines(body) {
		line = bytes.TrimPrefix(line, []byte("data: "))
		if bytes.Contains(line, []byte(`"type":"response.completed"`)) && json.Unmarshal(line, &last) == nil {
			body = last.Response
		}
	}
	var want expectation
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	var cited, found []string
	for _, item := range want.Output {
		var called struct{ Query string }
		_ = json.Unmarshal([]byte(item.Arguments), &called)
		switch {
		case item.Action.Type == "search" && len(item.Action.Queries) > 0:
			want.queries = appendNew(want.queries, item.Action.Queries...)
		case item.Action.Type == "search":
			want.queries = appendNew(want.queries, item.Action.Query)
		case strings.HasSuffix(item.Type, "search_call"):
			want.queries = appendNew(want.queries, called.Query)
		}
		for _, source := range item.Action.Sources {
			found = append(found, untracked(source.URL))
		}
		for _, part := range item.Content {
			for _, citation := range part.Annotations {
				cited = append(cited, untracked(citation.URL))
				if citation.Start != nil {
					want.pills = append(want.pills, untracked(citation.URL))
				}
			}
		}
	}
	want.sources = appendNew(want.sources, append(cited, found...)...)
	return want
}

func appendNew(list []string, texts ...string) []string {
	for _, text := range texts {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func untracked(link string) string {
	link = strings.Replace(link, "?utm_source=openai&", "?", 1)
	return regexp.MustCompile(`[?&]utm_source=openai`).ReplaceAllString(link, "")
}
