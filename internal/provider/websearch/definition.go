// Package websearch searches the web and reads the engine's result pages.
//
//	definition.go   what it is and costs
//	request.go      the request
//	ask.go          asking: pages, and overviews that answer questions
//	merge.go        several pages become one result
//	page.go         the walk over a page: which block is read where
//	layout.go       the blocks from top to bottom, and what nobody understood
//
// Each kind of block has a room of its own, which knows how to recognise and to
// read it: organic.go, discussions.go, ads.go, questions.go, related.go,
// overview.go, overview_plain.go (without scripts), places.go, videos.go,
// knowledge.go, shopping.go, cards.go (news, posts, recipes), things.go
// (carousels), images.go, boxes.go (snippet, answers, jobs, events, hotels). They
// build on what outlasts a redesign: the kinds of
// clicks that the engine counts (serp.Click), ids, roles, data attributes,
// headings within links. No class name decides anything that could be decided
// without.
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
	itemPage     = "page"     // each after the first
	itemOverview = "overview" // the AI overview, of the page or of its questions
)

// overviewCountries are those whose result pages have AI overviews. In others none
// is returned, and none is charged.
var overviewCountries = provider.Countries{Model: "searchoverview", Except: "BL BV CN CU ET GF GP IR IS LK MF MQ NC PF PM RE TF WF YT"}

var definition = provider.Definition{
	Name:     "websearch",
	TaskType: "WEBSEARCH",
	Summary:  "Search the web: organic results, People Also Ask, related searches, ads, AI overview",
	Request:  earshot.WebSearchRequest{},
	Result:   earshot.WebSearch{},
	Prose:    prose,
	Whole:    `{"query": "-", "include": {"searchoverview": {"markdown": true}}}`,
	Watched: []string{
		"organicResults", "organicResults.snippet", "organicResults.displayedLink", "organicResults.date",
		"peopleAlsoAsk", "relatedSearches", "ads", "videos", "places", "knowledgeGraph", "topStories", "images", "carousels",
	},
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

// Definition says what web search is and costs.
func (Provider) Definition() provider.Definition { return definition }

// Decode takes the request out of in.
func (p Provider) Decode(in *schema.Object) provider.Request { return decode(in, p.Engine) }
