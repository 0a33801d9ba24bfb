// Package news searches the news and reads the engine's result pages.
package news

import (
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/strictjson"
)

// itemPage is in a bill for each page after the first.
const itemPage = "page"

var definition = provider.Definition{
	Name:      "websearch/news",
	TaskType:  "WEBSEARCH_NEWS",
	Summary:   "Search the news: titles, links, snippets, sources, dates, thumbnails",
	Whole:     `{"query": "-"}`,
	Watched:   []string{"newsResults", "newsResults.snippet", "newsResults.source", "newsResults.date", "newsResults.thumbnail"},
	Prices:    map[string]int64{provider.ItemBase: 3, itemPage: 2},
	Countries: []provider.Countries{{}}, // all, and no model of its own
	APIs:      []provider.API{brave.API},
}

// Provider is the news search of an engine.
type Provider struct{ Engine serp.Engine }

var _ provider.Provider = Provider{}

// Definition says what news search is and costs.
func (Provider) Definition() provider.Definition { return definition }

// Decode takes the request out of in.
func (p Provider) Decode(in *strictjson.Object) provider.Request {
	in.Require("query")
	r := &request{engine: p.Engine, query: serp.Query{
		Text:  in.Text("query", provider.MaxPrompt),
		Pages: serp.DecodePages(in),
		Extra: map[string]string{"tbm": "nws"},
	}}
	r.query.Locale.Country = serp.DecodeCountry(in, definition, serp.CountryDefault)
	r.query.Locale.Language = serp.DecodeLanguage(in)
	r.query.Device = serp.DecodeDevice(in, serp.Desktop, serp.Mobile, serp.IOS, serp.Android)
	r.html = in.Object("include").Flag("html")
	return r
}

// request is one news search.
type request struct {
	engine serp.Engine
	query  serp.Query
	html   bool // keep the pages
}

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill is the base price and the pages after the first.
func (r *request) Bill() provider.Bill {
	return provider.Bill{provider.ItemBase: 1, itemPage: r.query.Pages - 1}
}
