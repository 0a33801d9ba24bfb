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
		got, err := payloadOf(c.asked.Definition(), earshot.TrackedPrompt{Text: "p"}, target)
		if err != nil || string(got) != c.want {
			t.Errorf("%s with options %s: request %s, %v; want %s", c.asked.Definition().Name, c.options, got, err, c.want)
		}
	}
}
