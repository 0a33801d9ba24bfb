// Package genassistant asks the generative assistant and reads its answer from the page that shows
// it, from the stream behind that page, or from the official API.
//
//	definition.go   the provider's definition, and which document to fetch
//	ask.go          asking in a browser or through the official API
//	read.go         recognising documents; the layout of the page
//	stream*.go      the stream behind the page
//	api.go          the official API's answers, streamed or whole
//	api_chunk.go    one answer or chunk of generateContent
//	api_reply.go    assembling the answer
//	api_links.go    resolving the API's redirect links
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

// name is the name of the provider and of its site.
const name = "genassistant"

// New returns the generative assistant.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:         name,
			TaskType:     "GENASSISTANT",
			Product:      "Gemini",
			Summary:      "Ask the generative assistant: answer text, sources, citations",
			Request:      earshot.GenAssistantRequest{},
			Result:       earshot.Answer{},
			Prose:        prose,
			FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
			HealthFields: []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
			Fields: map[earshot.Surface]provider.Fields{
				earshot.SurfaceWeb: provider.Retrieved | provider.Cited | provider.Pills,
				earshot.SurfaceLab: provider.Retrieved | provider.Cited | provider.Pills,
				earshot.SurfaceAPI: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills,
			},
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

// streamPath is where the site streams its answers, relative to its base URL.
const streamPath = "/_/BardChatUi/data/assistant.lamda.BardFrontendService/StreamGenerate"

// question returns the request for the stream that answers the prompt. Only the lab serves it; the
// real site is asked in a browser.
func question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return upstream.PostJSON(name, streamPath, "application/json", map[string]any{"prompt": prompt}, locale)
}
