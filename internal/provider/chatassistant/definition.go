// Package chatassistant asks the chat assistant and reads its answer. The
// provider serves one of two shapes, whichever was asked for: a page of its
// mobile site, or the event stream of its legacy interface; both are told apart
// by what they contain and read into the same answer.
//
//	definition.go       what others need to know of it
//	request.go          what can be asked, and what it costs
//	ask.go              which documents to fetch, and what of them is shown
//	parse.go            telling shapes apart
//	page.go             where things stand on the mobile page
//	stream.go           the event stream
//	delta.go            the stream's encoding
//	conversation.go     a conversation as one JSON document
//	message.go          an answer from a conversation's messages
//	text.go             a message's text, with what is marked in it
//	mark.go             marks that no reference explains
//	search.go           what was searched for, and found
//	reference.go        what the references in a message's text stand for
//	reference_things.go products, places, videos and ads that messages carry
package chatassistant

import (
	_ "embed"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant/labsite"
	"earshot/internal/schema"
)

//go:embed openapi.yaml
var prose []byte

// name is the provider's name, and that of its site.
const name = "chatassistant"

// itemExtras is in a bill once when any of the paid flags is set.
const itemExtras = "extras"

// Provider is the chat assistant.
type Provider struct{}

var _ provider.Provider = Provider{}

// Definition says what the chat assistant is and costs.
func (Provider) Definition() provider.Definition { return definition }

var definition = provider.Definition{
	Name:     name,
	TaskType: "CHATASSISTANT",
	Summary:  "Ask the chat assistant: answer text, sources, shopping cards, brand entities, ads",
	Request:  earshot.ChatAssistantRequest{},
	Result:   earshot.Answer{},
	Prose:    prose,
	Whole:    `{"prompt": "-", "include": {"markdown": true, "searchQueries": true, "ads": true, "shopping": true}}`,
	Watched:  []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries", "entities"},
	Prices: []provider.Price{
		{Item: provider.ItemBase, Credits: 5},
		{Item: itemExtras, Credits: 2, For: "once, for any of `include.shopping`, `include.rawResponse`, `include.searchQueries`, `include.ads`"},
	},
	Countries: []provider.Countries{{Model: name, Except: "CN HK IR MO RU VE"}},
	APIs:      []provider.API{api},
	Site:      provider.Site{Name: name, URL: "https://chatgpt.com"},
	Lab:       labsite.Site,
}

// Decode takes the request out of in.
func (Provider) Decode(in *schema.Object) provider.Request { return decode(in) }
