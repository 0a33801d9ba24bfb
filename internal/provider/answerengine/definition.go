// Package answerengine asks the answer engine and reads its answer: an event
// stream in which an entry with its blocks grows, or an entry as one JSON
// document.
//
//	definition.go   what others need to know of it, and what to fetch
//	ask.go          asking on the site in a browser, or the official API
//	parse.go        telling documents apart
//	stored.go       entries in documents that were stored
//	assembly.go     an entry from the events of a stream
//	patch.go        how an event changes a block
//	entry.go        the answer from an entry, or from the steps that led to it
//	citations.go    the numbers in the text and the pages they stand for
//	page.go         where things stand on a page
//	things.go       what else is in the blocks: products, places, videos, queries
//	api.go          the official API's answers, streamed or whole
//	api_answer.go   the answer from what the API said
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

// name is the provider's name, and that of its site.
const name = "answerengine"

// streamPath is where the interface answers, below the site's base.
const streamPath = "/rest/sse/perplexity_ask"

// New gives the answer engine.
func New() *chat.Assistant {
	return &chat.Assistant{
		About: &provider.Definition{
			Name:      name,
			TaskType:  "ANSWERENGINE",
			Summary:   "Ask the answer engine: answer text, numbered sources, related questions",
			Request:   earshot.AnswerEngineRequest{},
			Result:    earshot.Answer{},
			Prose:     prose,
			Whole:     `{"prompt": "-", "include": {"markdown": true}}`,
			Watched:   []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries"},
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

// question is the stream for a prompt. Nothing of it is kept in a history.
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

// blockUses are the kinds of blocks that we can read; the engine sends no others.
var blockUses = []string{
	"answer_modes", "media_items", "inline_entity_cards", "place_widgets", "shopping_widgets",
	"diff_blocks", "entity_group_v2", "answer_tabs", "workflow_steps",
}
