package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixture returns the path of a test document of a provider.
func fixture(provider, name string) string {
	return filepath.Join("..", "..", "internal", "provider", provider, "testdata", name)
}

func TestParseExitStatus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		provider, name string
		status         int
	}{
		{"websearch", "desktop.html", 0},
		{"websearch", "no_results.html", 0},
		{"websearch", "soft_block.html", 3},
		{"websearch", "../../providertest/testdata/garbage.txt", 4},
		{"websearch", "empty.html", 5},
		{"chatassistant", "error_mid_answer.sse", 6},
		{"searchaimode", "answer.html", 0},
		{"chatassistant", "mobile.html", 0},
		{"chatassistant", "legacy.sse", 0},
		{"chatassistant", "conversation.json", 0},
		{"chatassistant", "../../providertest/testdata/sign_in.html", 3},
		{"genassistant", "thread.html", 0},
		{"officeassistant", "thread.html", 0},
		{"socialassistant", "tokens.ndjson", 0},
		{"answerengine", "parts.sse", 0},
	} {
		out, err := earshotCommand(t, "parse", test.provider, fixture(test.provider, test.name))
		special, _ := errors.AsType[exitError](err)
		if special.status != test.status || (err == nil) != (test.status == 0) {
			t.Errorf("%s %s ends with %v (%d), want %d", test.provider, test.name, err, special.status, test.status)
		}
		if err == nil && !json.Valid([]byte(out)) {
			t.Errorf("%s %s printed %.100s", test.provider, test.name, out)
		}
	}
}

func TestParseReadsAPIResponsesAndRecordings(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile(fixture("vendorapi/responses", "plain.json"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(string(document))
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	saved := recorded("saved.har", `{"log": {"entries": [{"response": {"status": 200, "content": {"text": `+string(body)+`}}}]}}`)
	exchange := recorded("exchange.json", `{"upstream": "api:openai", "response": {"status": 200, "body": `+string(body)+`}}`)
	wrapped := recorded("wrapped.json", `{"request": {"q": "x"}, "response": {"data": `+string(document)+`}}`)
	quoted := recorded("quoted.json", `{"response": {"data": `+string(body)+`}}`)
	for _, test := range [][2]string{
		{"chatassistant", fixture("vendorapi/responses", "stream.sse")},
		{"chatassistant", wrapped},
		{"chatassistant", quoted},
		{"officeassistant", fixture("vendorapi/responses", "plain.json")},
		{"socialassistant", fixture("vendorapi/responses", "posts.json")},
		{"chatassistant", saved},
		{"chatassistant", exchange},
		{"websearch", fixture("vendorapi/brave", "web.json")},
		{"websearch/news", fixture("vendorapi/brave", "news.json")},
	} {
		out, err := earshotCommand(t, "parse", test[0], test[1])
		if err != nil || !strings.Contains(out, `"surface": "api"`) {
			t.Errorf("%v: %v\n%s", test, err, out)
		}
	}
}

func TestParseReadsTheRequestFromFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--country", "DE", "--device", "mobile"},
		{"--url", "https://www.google.de/search?q=x&gl=de"},
	} {
		if _, err := earshotCommand(t, append([]string{"parse", "websearch", fixture("websearch", "desktop.html")}, args...)...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	for want, args := range map[string][]string{
		"no provider": {"parse", "nobody", fixture("websearch", "desktop.html")},
		"country":     {"parse", "websearch", fixture("websearch", "desktop.html"), "--country", "Germany"},
		"nowhere":     {"parse", "websearch", "nowhere.html"},
	} {
		if _, err := earshotCommand(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want it to name %q", args, err, want)
		}
	}
}
