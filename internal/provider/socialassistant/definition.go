// Package socialassistant asks the assistant of a social network and reads its
// answer: JSON lines in which the text arrives in tokens, and at last the
// response as a whole.
//
//	definition.go   what others need to know of it, and what to fetch
//	ask.go          asking on the site in a browser, or the official API
//	parse.go        telling documents apart
//	lines.go        a response from the lines of a stream
//	response.go     the answer from a response
//	cards.go        the marks in the text and the cards they stand for
//	pages.go        web pages and posts of the network as sources
//	searches.go     what the assistant searched for
//	page.go         where things stand on a page
package socialassistant

import (
	_ "embed"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/socialassistant/labsite"
	"earshot/internal/upstream"
)

//go:embed openapi.yaml
var prose []byte

// name is the provider's name, and that of its site.
const name = "socialassistant"

// linesPath is where the interface answers, below the site's base.
const linesPath = "/rest/app-chat/conversations/new"

// New gives the social assistant.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:      name,
			TaskType:  "SOCIALASSISTANT",
			Summary:   "Ask the social assistant: answer text, sources, posts of its network",
			Request:   earshot.SocialAssistantRequest{},
			Result:    earshot.Answer{},
			Prose:     prose,
			Whole:     `{"prompt": "-", "include": {"markdown": true}}`,
			Watched:   []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
			Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 4}},
			Countries: []provider.Countries{{Model: name, Except: "BY CN HK RU VE"}},
			APIs:      []provider.API{api},
			Site:      provider.Site{Name: name, URL: "https://grok.com"},
			Lab:       labsite.Site,
		},
		Question: question,
		Start:    startPath,
		Script:   script,
		API:      &chat.API{Question: apiQuestion},
		Read:     Read,
	}
}

// question is the stream for a prompt. Nothing of it is kept in a history.
func question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return upstream.PostJSON(name, linesPath, "application/x-ndjson", map[string]any{
		"message":               prompt,
		"modeId":                "auto",
		"temporary":             true,
		"disableSearch":         false,
		"disableMemory":         true,
		"enableImageGeneration": false,
		"disableTextFollowUps":  false,
		"sendFinalMetadata":     true,
	}, locale)
}
