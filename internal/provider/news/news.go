// Package news searches the news and reads the engine's result pages.
package news

import (
	_ "embed"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/serp/labsite"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/schema"
)

//go:embed openapi.yaml
var prose []byte

// itemPage is the item of a bill for each page after the first.
const itemPage = "page"

var definition = provider.Definition{
	Name:         "websearch/news",
	TaskType:     "WEBSEARCH_NEWS",
	Product:      "Google News",
	Summary:      "Search the news: titles, links, snippets, sources, dates, thumbnails",
	Request:      earshot.NewsRequest{},
	Result:       earshot.NewsSearch{},
	Prose:        prose,
	FullRequest:  `{"query": "-"}`,
	HealthFields: []string{"newsResults", "newsResults.snippet", "newsResults.source", "newsResults.date", "newsResults.thumbnail"},
	Fields:       map[earshot.Surface]provider.Fields{earshot.SurfaceWeb: 0, earshot.SurfaceLab: 0, earshot.SurfaceAPI: 0}, // articles only
	Prices: []provider.Price{
		{Item: provider.ItemBase, Credits: 3, For: "the first page"},
		{Item: itemPage, Credits: 2, For: "each further page with results"},
	},
	Countries: []provider.Countries{{}}, // all countries, without a model name
	APIs:      []provider.API{brave.API},
	Site:      serp.WebSite,
	Lab:       labsite.Site,
}

// Provider is the news search of an engine.
type Provider struct{ Engine serp.Engine }

var _ provider.Provider = Provider{}

// Definition returns the definition of news search.
func (Provider) Definition() provider.Definition { return definition }

// Decode reads the request from in.
func (p Provider) Decode(in *schema.Object) provider.Request {
	var body earshot.NewsRequest
	in.Decode(&body)
	return &request{engine: p.Engine, html: body.Include.HTML, query: serp.Query{
		Text:  body.Query,
		Pages: body.Pages,
		Target: serp.Target{
			Locale: geo.Locale{
				Country:  serp.CheckCountry(in, definition, body.Country, body.GL, serp.CountryDefault),
				Language: strings.ToLower(body.HL),
			},
			Device: body.Device,
		},
		Extra: map[string]string{"tbm": "nws"},
	}}
}

// request is one news search.
type request struct {
	engine serp.Engine
	query  serp.Query
	html   bool // store the pages
}

// Locale returns the locale of the search.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill returns the bill for all requested pages.
func (r *request) Bill() provider.Bill { return bill(r.query.Pages) }

// lastPage returns the number of the last page with results, or 0.
func lastPage(result *earshot.NewsSearch) int {
	last := 0
	for _, found := range result.NewsResults {
		last = max(last, found.Page)
	}
	return last
}

// bill returns the base price and the pages after the first.
func bill(pages int) provider.Bill {
	return provider.Bill{provider.ItemBase: 1, itemPage: max(0, pages-1)}
}
