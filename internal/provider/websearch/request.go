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
	html      bool // keep the pages
	overview  bool // read the AI overview
	markdown  bool // of the overview
	questions bool // fetch what answers questions by an overview
}

var _ provider.Request = (*request)(nil)

func decode(in *schema.Object, engine serp.Engine) *request {
	var body earshot.WebSearchRequest
	in.Decode(&body)
	r := &request{engine: engine, html: body.Include.HTML, questions: body.Include.PAASearchOverview}
	if overview := body.Include.SearchOverview; overview != nil {
		r.overview, r.markdown = true, overview.Markdown
	}
	if !in.Has("url") {
		r.query = serp.Query{Text: body.Query, Pages: body.Pages, Target: serp.Target{
			Locale: geo.Locale{
				Country:  serp.CheckCountry(in, definition, body.Country, body.GL, serp.CountryRequired),
				Language: strings.ToLower(body.HL),
			},
			Place:  serp.Place(body.Location, body.UULE),
			Device: body.Device,
		}}
		return r.whereOffered()
	}
	r.query = engine.ReadURL(in, definition, body)
	return r.whereOffered()
}

// whereOffered is the request without overviews in a country that has none.
func (r *request) whereOffered() *request {
	if !overviewCountries.Include(r.query.Locale.Country) {
		r.overview, r.markdown, r.questions = false, false, false
	}
	return r
}

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill is for all pages that are asked for.
func (r *request) Bill() provider.Bill { return r.bill(r.query.Pages) }

// lastPage is the last page with results; 0 where no page has any.
func lastPage(result *earshot.WebSearch) int {
	last := 0
	for _, found := range result.OrganicResults {
		last = max(last, found.Page)
	}
	return last
}

// bill is the base price, the pages after the first up to the last with results, and
// the overview, of the page or of its questions, once.
func (r *request) bill(pages int) provider.Bill {
	bill := provider.Bill{provider.ItemBase: 1, itemPage: max(0, pages-1)}
	if r.overview || r.questions {
		bill[itemOverview] = 1
	}
	return bill
}
