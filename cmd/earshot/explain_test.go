package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/explain"
)

// sourceLine returns the line of code that a rule names first, such as "readVideo websearch/videos.go:53 < …".
func sourceLine(t *testing.T, rule string) string {
	t.Helper()
	first, _, _ := strings.Cut(rule, " < ")
	_, where, _ := strings.Cut(first, " ")
	file, number, _ := strings.Cut(where, ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("the rule %q has no line: %v", rule, err)
	}
	code, err := os.ReadFile(filepath.Join("..", "..", "internal", "provider", file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(code), "\n")[line-1]
}

func TestParseExplainsTheLayout(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"desktop.html", "blocks.html", "marks.html"} {
		var result earshot.WebSearch
		if err := json.Unmarshal([]byte(mustRun(t, "parse", "websearch", fixture("websearch", page))), &result); err != nil {
			t.Fatal(err)
		}
		var found []explain.Finding
		if err := json.Unmarshal([]byte(mustRun(t, "parse", "websearch", fixture("websearch", page), "--explain", "--json")), &found); err != nil {
			t.Fatal(err)
		}
		i := 0
		for _, block := range result.Layout {
			for range block.Count {
				if i == len(found) {
					t.Fatalf("%s: %d findings are fewer than in the layout", page, i)
				}
				f := found[i]
				if f.Kind != string(block.Type) || f.Element == "" || strings.HasPrefix(f.Rule, "note") || !strings.Contains(sourceLine(t, f.Rule), "note") {
					t.Errorf("%s: finding %d is %+v, the layout has %+v", page, i, f, block)
				}
				i++
			}
		}
		if i != len(found) {
			t.Errorf("%s: %d findings, %d in the layout", page, len(found), i)
		}
	}
}

func TestParseExplainsOtherDocuments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		provider, name string
		want           []string
	}{
		{"websearch", "blocks.html", []string{"KIND ", "unknown ", "unread websearch/layout.go:"}},
		{"chatassistant", "conversation.json", []string{"document  conversation", "readConversation chatassistant/conversation.go:", ".url"}},
		{"chatassistant", "products.html", []string{"document  page", "ReadPrepared chatpage/page.go:", "product "}},
		{"answerengine", "parts.sse", []string{"event stream", "event 1 blocks[0].markdown_block.answer"}},
		{"socialassistant", "tokens.ndjson", []string{"JSON lines"}},
		{"websearch/news", "../../news/testdata/desktop.html", []string{"article "}},
		{"claude", "whole.json", []string{"response of the API"}},
	} {
		text, err := earshotCommand(t, "parse", test.provider, "--explain", fixture(strings.TrimSuffix(test.provider, "/news"), test.name))
		for _, want := range test.want {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s %s: %v, want %q in\n%s", test.provider, test.name, err, want, text)
			}
		}
	}
}

func TestParseRecognisesTheProvider(t *testing.T) {
	t.Parallel()
	if text := mustRun(t, "parse", "--explain", fixture("websearch", "desktop.html")); !strings.Contains(text, "organic ") {
		t.Errorf("got %s", text)
	}
	for name, want := range map[string]string{
		fixture("searchaimode", "answer.html"):       "from websearch or searchaimode",
		fixture("providertest", "garbage.txt"):       "no parser understands",
		filepath.Join("..", "..", "no", "file.html"): "no provider",
	} {
		if _, err := earshotCommand(t, "parse", name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	page := fixture("websearch", "desktop.html")
	if _, err := earshotCommand(t, "parse", page, page); err == nil || !strings.Contains(err.Error(), "not a provider") {
		t.Errorf("a file instead of the provider: %v", err)
	}
}
