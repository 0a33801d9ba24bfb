// Package labsite is the lab's office assistant: it writes an answer of the
// lab's world as the events of that provider's interface, and as the page that it
// shows, on which citations are superscript numbers that lead to a reference list below
// the text.
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

// Page writes the page with the answer to a prompt.
var Page = lab.Template(host, source)

// Site is the assistant's site in the lab.
func Site() lab.Site {
	page := lab.Page(host, Page)
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /chat": page,
		"GET /{$}":  lab.App(app, page),
		// On the real site the same events come over a WebSocket.
		"POST /c/api/chat": lab.Stream(host, lab.TypeLines, "text", stream),
	}}
}
