// Package socialassistant asks the assistant of a social network and reads its answer from JSON
// lines, in which the text arrives in tokens and the last line has the complete response, from a
// page, or from the official API.
//
//	definition.go   the provider's definition, and which document to fetch
//	ask.go          asking in a browser or through the official API
//	parse.go        recognising documents
//	lines.go        assembling a response from the lines of a stream
//	response.go     reading the answer from a response
//	cards.go        the marks in the text and their cards
//	pages.go        web pages and posts of the network as sources
//	searches.go     the assistant's search queries
//	page.go         the layout of the page
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

// name is the name of the provider and of its site.
const name = "socialassistant"

// linesPath is where the site streams its answers, relative to its base URL.
const linesPath = "/rest/app-chat/conversations/new"

// New returns the social assistant.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:         name,
			TaskType:     "SOCIALASSISTANT",
			Product:      "Grok",
			Summary:      "Ask the social assistant: answer text, sources, posts of its network",
			Request:      earshot.SocialAssistantRequest{},
			Result:       earshot.Answer{},
			Prose:        prose,
			FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
			HealthFields: []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
			Fields: map[earshot.Surface]provider.Fields{
				earshot.SurfaceWeb: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills | provider.Products,
				earshot.SurfaceLab: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills | provider.Products,
				earshot.SurfaceAPI: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills,
			},
			Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 4}},
			Countries: []provider.Countries{{Model: name, Except: "BY CN HK RU VE"}},
			APIs:      []provider.API{api},
			Site:      provider.Site{Name: name, URL: "https://grok.com"},
			Lab:       labsite.Site,
		},
		Question: question,
		Start:    startPath,
		Script:   script,
		API:      &chat.API{Question: apiQuestion, Located: true},
		Read:     Read,
	}
}

// question returns the request for the stream that answers a prompt. The site keeps no history of
// it.
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
