package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/reduce"
	"earshot/test/captures"
)

func TestCaptureReduce(t *testing.T) {
	t.Parallel()
	page := fixture("websearch", "desktop.html")
	out := filepath.Join(t.TempDir(), "reduced.html")
	mustRun(t, "capture", "reduce", page, "--keep", "shoppingCards[0].products[2].merchant", "-o", out)
	text, err := os.ReadFile(out)
	if err != nil || len(text) > 1000 || strings.Contains(string(text), "running shoes") {
		t.Errorf("%v, the page is %s", err, text)
	}
	var before, after earshot.WebSearch
	for file, result := range map[string]*earshot.WebSearch{page: &before, out: &after} {
		if err := json.Unmarshal([]byte(mustRun(t, "parse", "websearch", file)), result); err != nil {
			t.Fatal(err)
		}
	}
	want := reduce.Neutral(before.ShoppingCards[0].Products[2].Merchant)
	if got := after.ShoppingCards[0].Products[0].Merchant; got != want {
		t.Errorf("the merchant is %q, want %q", got, want)
	}
}

// A value that the parser misses stays on the page next to the item that lacks it.
func TestCaptureReduceKeepsAMissedValue(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.html")
	document := `<!doctype html><title>boots - Search</title><div id=rso><div><a href="https://northpeak.example/"><h3>Northpeak boots</h3></a>
		<p>Boots for every season.</p><b aria-label="Judged by 120">4.6 stars</b></div></div></html>`
	if err := os.WriteFile(page, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	text := mustRun(t, "capture", "reduce", page, "--provider", "websearch", "--keep", "organicResults[0].nothing", "--text", "Judged by 120")
	if !strings.Contains(text, `aria-label="Xxxxxx xx 111"`) || !strings.Contains(text, "example.com") || strings.Contains(text, "Northpeak") {
		t.Errorf("got %s", text)
	}
}

// The data in the script of a conversation keeps the names of its fields, but no texts.
func TestCaptureReduceOfAScript(t *testing.T) {
	t.Parallel()
	text := mustRun(t, "capture", "reduce", fixture("chatassistant", "shared.html"), "--provider", "chatassistant", "--keep", "sources[0].url")
	for _, word := range []string{"Boots", "Which", "waterproof", "Northpeak"} {
		if strings.Contains(text, word) || !strings.Contains(text, `\"content_references\"`) {
			t.Errorf("%s is on the page: %s", word, text)
		}
	}
}

// Pages can have bytes that are not UTF-8, also in the query.
func TestCaptureReduceOfAnotherEncoding(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.html")
	document := "<!doctype html><meta charset=utf-8><title>Dal\xed - Search</title><div id=rso><div><a href='https://northpeak.example/'><h3>Dal\xed</h3></a></div></div></html>"
	if err := os.WriteFile(page, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := mustRun(t, "capture", "reduce", page, "--provider", "websearch", "--keep", "organicResults[0].title"); strings.Contains(text, "Dal") {
		t.Errorf("got %s", text)
	}
}

func TestCaptureReduceRefuses(t *testing.T) {
	t.Parallel()
	page := fixture("websearch", "desktop.html")
	for want, args := range map[string][]string{
		"say which values":         {page},
		"organicResults[99].title": {page, "--keep", "organicResults[99].title"},
		"HTML":                     {fixture("answerengine", "parts.sse"), "--keep", "text"},
		"with --provider":          {fixture("searchaimode", "answer.html"), "--keep", "text"},
		"does not hold":            {page, "--keep", "organicResults[0].title", "--text", "not on the page!"},
	} {
		if _, err := earshotCommand(t, append([]string{"capture", "reduce"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// A capture of a real page becomes small.
func TestCaptureReduceOfACapture(t *testing.T) {
	t.Parallel()
	page := captures.Find(t, "websearch/*.html")[0]
	text := mustRun(t, "capture", "reduce", page, "--provider", "websearch", "--keep", "organicResults[0].title")
	if len(text) > 2000 || !strings.Contains(text, "example.com") {
		t.Errorf("the page has %d bytes: %.2000s", len(text), text)
	}
}
