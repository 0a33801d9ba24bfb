// Package officeassistant asks the office assistant and reads its answer from
// the events of its interface, the page that shows it, or an official API.
//
//	definition.go   what others need to know of it, and which document to fetch
//	ask.go          asking on the site in a browser, or an official API
//	read.go         telling documents apart; where things stand on the page
//	stream.go       the events of the interface
package officeassistant

import (
	_ "embed"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/officeassistant/labsite"
	"earshot/internal/upstream"
)

//go:embed openapi.yaml
var prose []byte

// name is the provider's name, and that of its site.
const name = "officeassistant"

// New gives the office assistant.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:      name,
			TaskType:  "OFFICEASSISTANT",
			Summary:   "Ask the office assistant: answer text, sources, citations",
			Request:   earshot.OfficeAssistantRequest{},
			Result:    earshot.Answer{},
			Prose:     prose,
			Whole:     `{"prompt": "-", "include": {"markdown": true}}`,
			Watched:   []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
			Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 5}},
			Countries: []provider.Countries{{Model: name, Except: "BY CN RU SY VE"}},
			APIs:      []provider.API{api},
			Site:      provider.Site{Name: name, URL: "https://copilot.microsoft.com"},
			Lab:       labsite.Site,
		},
		Question: question,
		Start:    startPath,
		Script:   script,
		API:      &chat.API{Question: apiQuestion, Located: true},
		Read:     Read,
	}
}

// question is the stream of the events of the answer, as the lab serves it. The site
// itself, where they come over a WebSocket, is asked in a browser.
func question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return upstream.PostJSON(name, "/c/api/chat", "application/x-ndjson", map[string]any{"text": prompt}, locale)
}
