// Package claude asks Claude through Anthropic's Messages API with its web search tool. Claude has
// no website that is read.
//
//	definition.go     the provider's definition
//	ask.go            the first request, and the request that continues an answer
//	conversation.go   the messages of the API, streamed or whole
//	read.go           the answer in the messages
package claude

import (
	_ "embed"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/claude/labsite"
)

//go:embed openapi.yaml
var prose []byte

// name is the name of the provider and of its site in the lab.
const name = "claude"

// apiSite is the site name of the official API.
const apiSite = "anthropic"

// api describes the official API.
var api = provider.API{
	Name:      apiSite,
	URL:       "https://api.anthropic.com/v1",
	Model:     provider.DefaultModel(apiSite),
	KeyHeader: "x-api-key",
	Place:     "country, state",
}

// New returns Claude.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:         name,
			TaskType:     "CLAUDE",
			Product:      "Claude",
			Summary:      "Ask Claude: answer text, sources, citations",
			Request:      earshot.ClaudeRequest{},
			Result:       earshot.Answer{},
			Prose:        prose,
			FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
			HealthFields: []string{"text", "sources", "sources.label", "sources.description", "citationPills", "searchQueries"},
			Fields: map[earshot.Surface]provider.Fields{
				earshot.SurfaceLab: provider.Searches | provider.Cited | provider.Pills,
				earshot.SurfaceAPI: provider.Searches | provider.Cited | provider.Pills,
			},
			Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 4}},
			Countries: []provider.Countries{{Model: name}},
			APIs:      []provider.API{api},
			Site:      provider.Site{Name: name},
			Lab:       labsite.Site,
		},
		Question: labQuestion,
		API:      &chat.API{Question: apiQuestion, Continue: continued, Located: true},
		Read:     Read,
		Trim:     trim,
	}
}
