// Package labsite is the lab's office assistant. It writes an answer of the lab's world in two
// forms: as the events of the real site, and as the page that the site shows. On the page,
// citations are superscript numbers that link to a reference list below the text.
//
//	labsite.go   the site
//	stream.go    the events
package labsite

import (
	_ "embed"
	"net/http"

	"earshot/internal/upstream/lab"
)

const host = "office.lab.test"

//go:embed app.html
var app string

//go:embed page.gohtml
var source string

// Page writes the page that answers a prompt.
var Page = lab.Template(host, source)

// Site returns the assistant's site in the lab.
func Site() lab.Site {
	page := lab.Page(host, Page)
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /chat": page,
		"GET /{$}":  lab.App(app, page),
		// The real site sends the same events over a WebSocket.
		"POST /c/api/chat": lab.Stream(host, lab.TypeLines, "text", stream),
	}}
}
