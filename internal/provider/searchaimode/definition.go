// Package searchaimode asks the search engine's AI mode and reads the answer from the page.
//
//	definition.go   name, prices and countries
//	request.go      the request and its price
//	ask.go          fetches the page, and the offers for its products
//	page.go         reads the answer and its product clusters
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

const name = "searchaimode"

// itemCluster is the item of a bill for each expanded product cluster.
const itemCluster = "cluster"

var definition = provider.Definition{
	Name:         name,
	TaskType:     "SEARCHAIMODE",
	Product:      "Google AI Mode",
	Summary:      "Ask the search engine's AI mode: answer text, sources, products with their offers",
	Request:      earshot.SearchAIModeRequest{},
	Result:       earshot.Answer{},
	Prose:        prose,
	FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
	HealthFields: []string{"text", "sources", "sources.label", "citationPills"},
	Fields: map[earshot.Surface]provider.Fields{
		earshot.SurfaceWeb: provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
		earshot.SurfaceLab: provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
	},
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

// Definition returns the definition of AI mode.
func (Provider) Definition() provider.Definition { return definition }

// Decode reads the request from in.
func (p Provider) Decode(in *schema.Object) provider.Request { return decode(in, p.Engine) }
