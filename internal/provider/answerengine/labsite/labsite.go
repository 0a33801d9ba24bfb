// Package labsite is the lab's answer engine. It writes an answer of the lab's world as the event
// stream of the real site, in which an entry grows block by block.
//
//	labsite.go   the site
//	stream.go    the events
//	blocks.go    the content of the blocks
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

// page writes the page that the app shows in the end: the text with numbers for the pages that it
// cites. The other parts of the stream are not on the page.
var page = lab.Template(host, source)

// Site returns the engine's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /{$}":                      lab.App(app, lab.Page(host, page)),
		"POST /rest/sse/perplexity_ask": lab.Stream(host, lab.TypeEvents, "query_str", stream),
	}}
}
