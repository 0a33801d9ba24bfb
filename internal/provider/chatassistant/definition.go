// Package chatassistant asks the chat assistant and reads its answer. The site answers in two
// forms: a page of its mobile site, or the event stream of its legacy interface. The reader
// recognises the form by its content and reads both into the same answer.
//
//	definition.go       the provider's definition
//	request.go          the request and its price
//	ask.go              which document to fetch, and which parts of the answer to return
//	parse.go            recognising documents
//	page.go             the layout of the mobile page
//	pagedata.go         a conversation in the scripts of a page
//	stream.go           the event stream
//	delta.go            the delta encoding of the stream
//	conversation.go     a conversation as one JSON document
//	message.go          reading the answer from a conversation's messages
//	text.go             the text of a message and the marks in it
//	mark.go             marks without a reference
//	search.go           search queries and search results
//	reference.go        the references in a message's text
//	reference_things.go products, places, videos and ads of a message
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

// name is the name of the provider and of its site.
const name = "chatassistant"

// itemExtras is in a bill once if any paid flag is set.
const itemExtras = "extras"

// Provider is the chat assistant.
type Provider struct{}

var _ provider.Provider = Provider{}

// Definition returns the provider's definition.
func (Provider) Definition() provider.Definition { return definition }

const onPage = provider.Searches | provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads

var definition = provider.Definition{
	Name:         name,
	TaskType:     "CHATASSISTANT",
	Product:      "ChatGPT",
	Summary:      "Ask the chat assistant: answer text, sources, shopping cards, brand entities, ads",
	Request:      earshot.ChatAssistantRequest{},
	Result:       earshot.Answer{},
	Prose:        prose,
	FullRequest:  `{"prompt": "-", "include": {"markdown": true, "searchQueries": true, "ads": true, "shopping": true}}`,
	HealthFields: []string{"text", "sources", "sources.label", "sources.description", "citationPills", "relatedQueries", "entities"},
	Fields: map[earshot.Surface]provider.Fields{
		earshot.SurfaceWeb: onPage,
		earshot.SurfaceLab: onPage,
		earshot.SurfaceAPI: provider.Searches | provider.Retrieved | provider.Cited | provider.Pills,
	},
	Flags: map[provider.Fields]string{
		provider.Searches: "include.searchQueries", provider.Products: "include.shopping", provider.Ads: "include.ads",
	},
	Prices: []provider.Price{
		{Item: provider.ItemBase, Credits: 5},
		{Item: itemExtras, Credits: 2, For: "once, for any of `include.shopping`, `include.rawResponse`, `include.searchQueries`, `include.ads`"},
	},
	Countries: []provider.Countries{{Model: name, Except: "CN HK IR MO RU VE"}},
	APIs:      []provider.API{api},
	Site:      provider.Site{Name: name, URL: "https://chatgpt.com"},
	Lab:       labsite.Site,
}

// Decode reads the request from in.
func (Provider) Decode(in *schema.Object) provider.Request { return decode(in) }
