package websearch

import (
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/strictjson"
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

func decode(in *strictjson.Object, engine serp.Engine) *request {
	r := &request{engine: engine}
	if in.Has("url") {
		r.query = engine.DecodeAddress(in, definition)
		for _, field := range []string{"query", "location", "uule", "pages"} {
			if in.Ignore(field); in.Has(field) {
				in.Reject(field, "cannot be combined with url")
			}
		}
	} else {
		r.query = serp.Query{
			Text:   decodeQuery(in),
			Target: serp.DecodeTarget(in, definition),
			Pages:  serp.DecodePages(in),
		}
	}
	include := in.Object("include")
	r.html = include.Flag("html")
	r.overview = include.Has("searchoverview")
	r.markdown = include.Object("searchoverview").Flag("markdown")
	r.questions = include.Flag("paaSearchoverview")
	include.Ignore("searchGoto")
	return r
}

// decodeQuery takes query; without it there must be a url, which the caller has
// looked for.
func decodeQuery(in *strictjson.Object) string {
	in.Ignore("url")
	in.Require("query")
	return in.Text("query", provider.MaxPrompt)
}

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill is the base price, the pages after the first, and the overview, of the
// page or of its questions, once.
func (r *request) Bill() provider.Bill {
	bill := provider.Bill{provider.ItemBase: 1, itemPage: r.query.Pages - 1}
	if r.overview || r.questions {
		bill[itemOverview] = 1
	}
	return bill
}
