package definition

import (
	"encoding/json"
	"testing"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/news"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/websearch"
)

// Sweeps request Markdown wherever a provider has it, whatever the options say. Options that
// the provider will reject stay unchanged.
func TestMarkdownIsAlwaysRequested(t *testing.T) {
	t.Parallel()
	chat, mode, search, papers := chatassistant.Provider{}, searchaimode.Provider{}, websearch.Provider{}, news.Provider{}
	for _, c := range []struct {
		asked         provider.Provider
		options, want string
	}{
		{chat, ``, `{"country":"US","include":{"markdown":true},"prompt":"p"}`},
		{chat, `{"include":{"markdown":false,"searchQueries":true}}`, `{"country":"US","include":{"markdown":true,"searchQueries":true},"prompt":"p"}`},
		{chat, `{"include":false,"legacy":true}`, `{"country":"US","include":{"markdown":true},"legacy":true,"prompt":"p"}`},
		{chat, `{"include":true}`, `{"country":"US","include":{"markdown":true},"prompt":"p"}`},
		{chat, `{"include":{"markdown":"yes"}}`, `{"country":"US","include":{"markdown":"yes"},"prompt":"p"}`},
		{chat, `{"include":7}`, `{"country":"US","include":7,"prompt":"p"}`},
		{mode, ``, `{"country":"US","include":{"markdown":true},"prompt":"p"}`},
		{search, ``, `{"country":"US","query":"p"}`},
		{search, `{"include":{"html":true,"searchoverview":false}}`, `{"country":"US","include":{"html":true},"query":"p"}`},
		{search, `{"include":{"searchoverview":true}}`, `{"country":"US","include":{"searchoverview":{"markdown":true}},"query":"p"}`},
		{search, `{"include":{"searchoverview":{"markdown":false}}}`, `{"country":"US","include":{"searchoverview":{"markdown":true}},"query":"p"}`},
		{papers, ``, `{"country":"US","query":"p"}`},
		{papers, `{"include":true}`, `{"country":"US","include":{},"query":"p"}`},
	} {
		target := earshot.Target{Country: "US"}
		if c.options != "" {
			target.Options = json.RawMessage(c.options)
		}
		got, err := payloadOf(c.asked.Definition(), earshot.TrackedPrompt{Text: "p"}, target, "")
		if err != nil || string(got) != c.want {
			t.Errorf("%s with options %s: request %s, %v; want %s", c.asked.Definition().Name, c.options, got, err, c.want)
		}
	}
}

// A definition that says fallback: never refuses a fallback in the request of every provider.
// Its options cannot say something else.
func TestFallbackNever(t *testing.T) {
	t.Parallel()
	for _, asked := range []provider.Provider{chatassistant.Provider{}, news.Provider{}, searchaimode.Provider{}, websearch.Provider{}} {
		payload, err := payloadOf(asked.Definition(), earshot.TrackedPrompt{Text: "p"}, earshot.Target{Country: "US"}, "never")
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Fallback *bool `json:"fallback"`
		}
		if err := json.Unmarshal(payload, &sent); err != nil || sent.Fallback == nil || *sent.Fallback {
			t.Errorf("%s: the request is %s", asked.Definition().Name, payload)
		}
		if _, problems := DecodeRequest(asked, payload); problems != nil {
			t.Errorf("%s refuses its request: %v", asked.Definition().Name, problems)
		}
	}
	target := earshot.Target{Country: "US", Options: json.RawMessage(`{"fallback":true}`)}
	if _, err := payloadOf(chatassistant.Provider{}.Definition(), earshot.TrackedPrompt{Text: "p"}, target, "never"); err == nil {
		t.Error("options contradict the definition")
	}
	if _, err := payloadOf(chatassistant.Provider{}.Definition(), earshot.TrackedPrompt{Text: "p"}, target, "allowed"); err != nil {
		t.Errorf("options are refused: %v", err)
	}
}

// A change of fallback is listed. The default and "allowed" are the same.
func TestFallbackChange(t *testing.T) {
	t.Parallel()
	never, allowed := &earshot.TrackerDefinition{Fallback: "never"}, &earshot.TrackerDefinition{Fallback: "allowed"}
	if changes, _ := Changes(&earshot.TrackerDefinition{}, allowed); len(changes) != 0 {
		t.Errorf("the default was changed: %v", changes)
	}
	changes, _ := Changes(allowed, never)
	if len(changes) != 1 || changes[0].Part != "fallback" || changes[0].What != `"allowed" → "never"` {
		t.Errorf("the changes are %v", changes)
	}
}
