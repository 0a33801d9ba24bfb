// Package officeassistant asks the office assistant and reads its answer from the events of the
// site, from the page that shows it, or from an official API.
//
//	definition.go   the provider's definition, and which document to fetch
//	ask.go          asking in a browser or through an official API
//	read.go         recognising documents; the layout of the page
//	stream.go       the events of the site
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

// name is the name of the provider and of its site.
const name = "officeassistant"

// New returns the office assistant.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:         name,
			TaskType:     "OFFICEASSISTANT",
			Product:      "Copilot",
			Summary:      "Ask the office assistant: answer text, sources, citations",
			Request:      earshot.OfficeAssistantRequest{},
			Result:       earshot.Answer{},
			Prose:        prose,
			FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
			HealthFields: []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
			Fields: map[earshot.Surface]provider.Fields{
				earshot.SurfaceWeb: provider.Cited,
				earshot.SurfaceLab: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills,
				earshot.SurfaceAPI: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills,
			},
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

// question returns the request for the stream of events that answers the prompt. Only the lab
// serves it. The real site sends these events over a WebSocket and is asked in a browser.
func question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return upstream.PostJSON(name, "/c/api/chat", "application/x-ndjson", map[string]any{"text": prompt}, locale)
}
