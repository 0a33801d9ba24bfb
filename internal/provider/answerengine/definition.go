// Package answerengine asks the answer engine and reads its answer from an event stream in which an
// entry grows block by block, from an entry as one JSON document, from a page, or from the official
// API.
//
//	definition.go   the provider's definition, and which document to fetch
//	ask.go          asking in a browser or through the official API
//	parse.go        recognising documents
//	stored.go       entries in stored documents
//	assembly.go     assembling an entry from the events of a stream
//	entry.go        reading the answer from an entry or from its steps
//	citations.go    the numbers in the text and the pages that they refer to
//	page.go         the layout of the page
//	things.go       other content of blocks: products, places, videos, queries
//	agent.go        answers of the official API, which is called Agent API
package answerengine

import (
	_ "embed"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answerengine/labsite"
	"earshot/internal/provider/chat"
	"earshot/internal/upstream"
)

//go:embed openapi.yaml
var prose []byte

// name is the name of the provider and of its site.
const name = "answerengine"

// streamPath is where the site streams its answers, relative to its base URL.
const streamPath = "/rest/sse/perplexity_ask"

// New returns the answer engine.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:         name,
			TaskType:     "ANSWERENGINE",
			Product:      "Perplexity",
			Summary:      "Ask the answer engine: answer text, numbered sources, related questions",
			Request:      earshot.AnswerEngineRequest{},
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
			Countries: []provider.Countries{{Model: name, Except: "CN"}},
			APIs:      []provider.API{api},
			Site:      provider.Site{Name: name, URL: "https://www.perplexity.ai"},
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
	return upstream.PostJSON(name, streamPath, "text/event-stream", map[string]any{
		"query_str": prompt,
		"params": map[string]any{
			"mode":                      "concise",
			"search_focus":              "internet",
			"sources":                   []string{"web"},
			"is_incognito":              true,
			"use_schematized_api":       true,
			"supported_block_use_cases": blockUses,
		},
	}, locale)
}

// blockUses are the kinds of blocks that we can read. The engine sends no others.
var blockUses = []string{
	"answer_modes", "media_items", "inline_entity_cards", "place_widgets", "shopping_widgets",
	"diff_blocks", "entity_group_v2", "answer_tabs", "workflow_steps",
}
