// Package searchaimode asks the search engine in its AI mode and reads the answer
// from the page that shows it.
//
//	definition.go   what others need to know of it
//	request.go      what can be asked, and what it costs
//	ask.go          which documents to fetch: the page, and offers for its products
//	page.go         the page: an answer, and the product clusters on it
package searchaimode

import (
	_ "embed"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/serp/labsite"
	"earshot/internal/schema"
)

//go:embed openapi.yaml
var prose []byte

// name is the provider's name.
const name = "searchaimode"

// itemCluster is in a bill for each product cluster that is returned.
const itemCluster = "cluster"

var definition = provider.Definition{
	Name:     name,
	TaskType: "SEARCHAIMODE",
	Summary:  "Ask the search engine's AI mode: answer text, sources, products with their offers",
	Request:  earshot.SearchAIModeRequest{},
	Result:   earshot.Answer{},
	Prose:    prose,
	Whole:    `{"prompt": "-", "include": {"markdown": true}}`,
	Watched:  []string{"text", "sources", "sources.label", "citationPills"},
	Prices: []provider.Price{
		{Item: provider.ItemBase, Credits: 4},
		{Item: itemCluster, Credits: 1, For: "each product that `include.expandProducts` returns, at most 6"},
	},
	Countries: []provider.Countries{{Model: name, Except: "CN CU IR KP"}},
	Site:      serp.WebSite,
	Lab:       labsite.Site,
}

// Provider is the AI mode of an engine.
type Provider struct{ Engine serp.Engine }

var _ provider.Provider = Provider{}

// Definition says what AI mode is and costs.
func (Provider) Definition() provider.Definition { return definition }

// Decode takes the request out of in.
func (p Provider) Decode(in *schema.Object) provider.Request { return decode(in, p.Engine) }
