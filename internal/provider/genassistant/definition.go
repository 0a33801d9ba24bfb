// Package genassistant asks the generative assistant and reads its answer from
// the page that shows it, from the stream behind that, or from its official API.
//
//	definition.go   what others need to know of it, and which document to fetch
//	ask.go          asking on the site in a browser, or the official API
//	read.go         telling documents apart; where things stand on the page
//	stream*.go      the stream behind the page
//	api.go          the official API's answers, streamed or whole
//	api_chunk.go    what generateContent says, piece by piece
//	api_reply.go    the answer from what was said
//	api_links.go    where the API's redirect links lead
package genassistant

import (
	_ "embed"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/genassistant/labsite"
	"earshot/internal/upstream"
)

//go:embed openapi.yaml
var prose []byte

// name is the provider's name, and that of its site.
const name = "genassistant"

// New gives the generative assistant.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:      name,
			TaskType:  "GENASSISTANT",
			Summary:   "Ask the generative assistant: answer text, sources, citations",
			Request:   earshot.GenAssistantRequest{},
			Result:    earshot.Answer{},
			Prose:     prose,
			Whole:     `{"prompt": "-", "include": {"markdown": true}}`,
			Watched:   []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
			Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 4}},
			Countries: []provider.Countries{{Model: name, Except: "BY CN RU"}},
			APIs:      []provider.API{api},
			Site:      provider.Site{Name: name, URL: "https://gemini.google.com"},
			Lab:       labsite.Site,
		},
		Question: question,
		Start:    startPath,
		Script:   script,
		API:      &chat.API{Question: apiQuestion, Finish: finishAPI},
		Read:     Read,
	}
}

// streamPath is where the interface streams its answers, below the site's base.
const streamPath = "/_/BardChatUi/data/assistant.lamda.BardFrontendService/StreamGenerate"

// question is the stream with the answer to the prompt, as the lab serves it. The site
// itself is asked in a browser.
func question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return upstream.PostJSON(name, streamPath, "application/json", map[string]any{"prompt": prompt}, locale)
}
