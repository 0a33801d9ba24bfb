package searchaimode

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/serp"
	"earshot/internal/schema"
)

// request is one prompt for AI mode.
type request struct {
	engine  serp.Engine
	query   serp.Query
	include chat.Include
	expand  bool // fetch the offers for product clusters
}

var _ provider.Request = (*request)(nil)

func decode(in *schema.Object, engine serp.Engine) *request {
	var body earshot.SearchAIModeRequest
	in.Decode(&body)
	return &request{
		engine: engine,
		query: serp.Query{
			Text: body.Prompt,
			Target: serp.Target{
				Locale: geo.Locale{
					Country:  serp.CheckCountry(in, definition, body.Country, body.GL, serp.CountryDefault),
					Language: strings.ToLower(body.HL),
				},
				Place:  serp.Place(body.Location, body.UULE),
				Device: body.Device,
			},
			Extra: map[string]string{"udm": "50"}, // the engine's number for AI mode
		},
		include: chat.Include{HTML: body.Include.HTML, Markdown: body.Include.Markdown},
		expand:  body.Include.ExpandProducts,
	}
}

// Locale returns the locale of the search.
func (r *request) Locale() geo.Locale { return r.query.Locale }

// Bill returns the base price and the maximum number of clusters.
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
