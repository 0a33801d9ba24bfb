// Package labsite is the lab's generative assistant. It writes an answer of the lab's world in two
// forms: as the stream of the real site, and as the page that the site shows. The page has custom
// elements, and its citations are footnotes followed by a chip.
//
//	labsite.go   the site
//	stream.go    the chunks of the stream
package labsite

import (
	_ "embed"
	"net/http"

	"earshot/internal/upstream/lab"
)

const host = "gen.lab.test"

//go:embed app.html
var app string

//go:embed page.gohtml
var source string

// Page writes the page that answers a prompt.
var Page = lab.Template(host, source)

// Site returns the assistant's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /app": lab.App(app, lab.Page(host, Page)),
		"POST /_/BardChatUi/data/assistant.lamda.BardFrontendService/StreamGenerate": lab.Stream(host, lab.TypeJSON, "prompt", stream),
	}}
}
