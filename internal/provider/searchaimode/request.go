package searchaimode

import (
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/search"
	"earshot/internal/strictjson"
)

// request is one question to AI mode.
type request struct {
	engine  search.Engine
	query   search.Query
	include answer.Include
	expand  bool // fetch the offers for product clusters
}

var _ provider.Request = (*request)(nil)

func decode(in *strictjson.Object, engine search.Engine) *request {
	r := &request{engine: engine, query: search.Query{
		Text: provider.DecodePrompt(in),
		Target: search.Target{
			Locale: geo.Locale{
				Country:  search.DecodeCountry(in, definition, search.CountryDefault),
				Language: search.DecodeLanguage(in),
			},
			Place:  search.DecodePlace(in),
			Device: search.DecodeDevice(in, search.Desktop, search.Mobile),
		},
		Extra: map[string]string{"udm": "50"}, // the engine's number for AI mode
	}}
	flags := in.Object("include")
	r.include = answer.Include{HTML: flags.Flag("html"), Markdown: flags.Flag("markdown")}
	r.expand = flags.Flag("expandProducts")
	flags.Ignore("searchGoto")
	return r
}

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill is the base price and as many clusters as can be returned.
func (r *request) Bill() provider.Bill {
	if r.expand {
		return bill(maxClusters)
	}
	return bill(0)
}

func bill(clusters int) provider.Bill {
	b := provider.Bill{provider.ItemBase: 1}
	if clusters > 0 {
		b[itemCluster] = clusters
	}
	return b
}
