package websearch

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/schema"
)

// request is one web search.
type request struct {
	engine    serp.Engine
	query     serp.Query
	html      bool // store the pages
	overview  bool // read the AI overview
	markdown  bool // return the overview as Markdown too
	questions bool // fetch the overviews that answer questions
}

var _ provider.Request = (*request)(nil)

func decode(in *schema.Object, engine serp.Engine) *request {
	var body earshot.WebSearchRequest
	in.Decode(&body)
	r := &request{engine: engine, html: body.Include.HTML, questions: body.Include.PAASearchOverview}
	if overview := body.Include.SearchOverview; overview != nil {
		r.overview, r.markdown = true, overview.Markdown
	}
	if in.Has("url") {
		r.query = engine.ReadURL(in, definition, body)
	} else {
		r.query = serp.Query{Text: body.Query, Pages: body.Pages, Target: serp.Target{
			Locale: geo.Locale{
				Country:  serp.CheckCountry(in, definition, body.Country, body.GL, serp.CountryRequired),
				Language: strings.ToLower(body.HL),
			},
			Place:  serp.Place(body.Location, body.UULE),
			Device: body.Device,
		}}
	}
	if !overviewCountries.Include(r.query.Locale.Country) {
		r.overview, r.markdown, r.questions = false, false, false
	}
	return r
}

// Locale returns the locale of the search.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill returns the bill for all requested pages.
func (r *request) Bill() provider.Bill { return r.bill(r.query.Pages) }

// lastPage returns the number of the last page with results, or 0.
func lastPage(result *earshot.WebSearch) int {
	last := 0
	for _, found := range result.OrganicResults {
		last = max(last, found.Page)
	}
	return last
}

// bill returns the base price, the pages after the first, and once the overviews.
func (r *request) bill(pages int) provider.Bill {
	bill := provider.Bill{provider.ItemBase: 1, itemPage: max(0, pages-1)}
	if r.overview || r.questions {
		bill[itemOverview] = 1
	}
	return bill
}
