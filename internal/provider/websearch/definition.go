// Package websearch searches the web and reads the engine's result pages.
//
//	definition.go   name, prices and countries
//	request.go      the request
//	ask.go          fetches pages, and overviews that answer questions
//	merge.go        merges several pages into one result
//	page.go         walks over a page and decides which block is read where
//	layout.go       the blocks from top to bottom, and the blocks not understood
//
// Each kind of block has a file that recognises and reads it: organic.go, ads.go, questions.go,
// related.go (related searches, discussions), overview.go, overview_plain.go (layout without
// scripts), places.go, videos.go, knowledge.go, shopping.go, cards.go (news, posts, recipes),
// things.go (carousels), images.go, boxes.go (snippet, answers, jobs, events, hotels). They rely on
// properties that survive a redesign: the engine's numbers for kinds of clicks (serp.Click), ids,
// roles, data attributes, and headings within links. They use class names only if nothing else
// decides.
package websearch

import (
	_ "embed"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/serp/labsite"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/schema"
)

//go:embed openapi.yaml
var prose []byte

// Items of a bill.
const (
	itemPage     = "page"     // each page after the first
	itemOverview = "overview" // AI overviews of the page and of its questions
)

// overviewCountries are the countries with AI overviews. Elsewhere none is returned or charged.
var overviewCountries = provider.Countries{Model: "searchoverview", Except: "BL BV CN CU ET GF GP IR IS LK MF MQ NC PF PM RE TF WF YT"}

const onPage = provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads | provider.Layout

var definition = provider.Definition{
	Name:        "websearch",
	TaskType:    "WEBSEARCH",
	Product:     "Google Search",
	Summary:     "Search the web: organic results, People Also Ask, related searches, ads, AI overview",
	Request:     earshot.WebSearchRequest{},
	Result:      earshot.WebSearch{},
	Prose:       prose,
	FullRequest: `{"query": "-", "include": {"searchoverview": {"markdown": true}}}`,
	HealthFields: []string{
		"organicResults", "organicResults.snippet", "organicResults.displayedLink", "organicResults.date",
		"peopleAlsoAsk", "relatedSearches", "ads", "videos", "places", "knowledgeGraph", "topStories", "images", "carousels",
	},
	Fields: map[earshot.Surface]provider.Fields{
		earshot.SurfaceWeb: onPage,
		earshot.SurfaceLab: onPage,
		earshot.SurfaceAPI: 0,
	},
	// Only the AI overview cites pages.
	Flags: map[provider.Fields]string{provider.Retrieved | provider.Cited: "include.searchoverview"},
	Prices: []provider.Price{
		{Item: provider.ItemBase, Credits: 3, For: "the first page"},
		{Item: itemPage, Credits: 2, For: "each further page with results"},
		{Item: itemOverview, Credits: 2, For: "once, for `include.searchoverview` or `include.paaSearchoverview`, where `GET /v1/countries?model=searchoverview` has the country"},
	},
	Countries: []provider.Countries{
		{Model: "websearch"},
		overviewCountries,
	},
	APIs: []provider.API{brave.API},
	Site: serp.WebSite,
	Lab:  labsite.Site,
}

// Provider is the web search of an engine.
type Provider struct{ Engine serp.Engine }

var _ provider.Provider = Provider{}

// Definition returns the definition of web search.
func (Provider) Definition() provider.Definition { return definition }

// Decode reads the request from in.
func (p Provider) Decode(in *schema.Object) provider.Request { return decode(in, p.Engine) }
