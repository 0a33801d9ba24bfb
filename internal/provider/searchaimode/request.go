package searchaimode

import (
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/serp"
	"earshot/internal/strictjson"
)

// request is one question to AI mode.
type request struct {
	engine  serp.Engine
	query   serp.Query
	include chat.Include
	expand  bool // fetch the offers for product clusters
}

var _ provider.Request = (*request)(nil)

func decode(in *strictjson.Object, engine serp.Engine) *request {
	r := &request{engine: engine, query: serp.Query{
		Text: provider.DecodePrompt(in),
		Target: serp.Target{
			Locale: geo.Locale{
				Country:  serp.DecodeCountry(in, definition, serp.CountryDefault),
				Language: serp.DecodeLanguage(in),
			},
			Place:  serp.DecodePlace(in),
			Device: serp.DecodeDevice(in, serp.Desktop, serp.Mobile),
		},
		Extra: map[string]string{"udm": "50"}, // the engine's number for AI mode
	}}
	flags := in.Object("include")
	r.include = chat.Include{HTML: flags.Flag("html"), Markdown: flags.Flag("markdown")}
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
