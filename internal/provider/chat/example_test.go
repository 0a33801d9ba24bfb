package chat_test

import (
	"fmt"
	"log"
	"net/url"

	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/chatpage"
	"earshot/internal/upstream"
)

// A complete provider, as in docs/adding-a-provider.md.
func ExampleAssistant() {
	page := chatpage.New(chatpage.Layout{
		User:    "[data-author=user]",
		Turn:    "[data-author=assistant]",
		Message: ".markdown",
		Chip:    "cite",
		Sources: "[role=doc-endnotes]",
		Related: "suggestion-chips",
	})
	chat := &chat.Assistant{
		About: &provider.Definition{
			Name:         "examplechat",
			TaskType:     "EXAMPLECHAT",
			Summary:      "Ask the example assistant: answer text, sources",
			FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
			HealthFields: []string{"text", "sources", "sources.label"},
			Prices:       []provider.Price{{Item: provider.ItemBase, Credits: 4}},
			Countries:    []provider.Countries{{Model: "examplechat", Except: "CN"}},
		},
		Question: func(prompt string, locale geo.Locale) (*upstream.Request, error) {
			return &upstream.Request{Site: "examplechat", Path: "/ask", Query: url.Values{"q": {prompt}}, Locale: locale}, nil
		},
		Read: page.Read,
	}
	document := `<!DOCTYPE html><html><body><p data-author="user">Hello?</p><div data-author="assistant">
		<div class="markdown"><p>Good day.<cite><a href="https://a.example/">A</a></cite></p></div></div></body></html>`
	found, err := chat.Read([]byte(document), answer.Options{Country: "US"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Text, found.Sources[0].URL, chat.Definition().Serves("CN"))
	// Output: Good day. https://a.example/ false
}
