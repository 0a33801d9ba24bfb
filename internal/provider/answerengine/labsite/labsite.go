// Package labsite is the lab's answer engine: it writes an answer of the lab's
// world as the event stream of the provider's interface, in which an entry grows
// block by block.
//
//	labsite.go   the site
//	stream.go    the events
//	blocks.go    what the blocks hold
package labsite

import (
	_ "embed"
	"net/http"

	"earshot/internal/upstream/lab"
)

const host = "engine.lab.test"

//go:embed app.html
var app string

//go:embed page.gohtml
var source string

// page writes the page with the answer to a prompt as the app shows it in the
// end: the text with numbers for the pages that it cites, and nothing of what
// else the stream tells.
var page = lab.Template(host, source)

// Site is the engine's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /{$}":                      lab.App(app, lab.Page(host, page)),
		"POST /rest/sse/perplexity_ask": lab.Stream(host, lab.TypeEvents, "query_str", stream),
	}}
}
