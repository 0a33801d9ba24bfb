// Package labsite is the lab's social assistant: it writes an answer of the lab's
// world as the JSON lines of the provider's interface, with posts of the world's
// social network among its sources.
//
//	labsite.go   the site
//	stream.go    the lines, of which the last is the answer as a whole
//	cards.go     what the marks in the text stand for
package labsite

import (
	_ "embed"
	"net/http"

	"earshot/internal/upstream/lab"
)

const host = "social.lab.test"

//go:embed app.html
var app string

//go:embed page.gohtml
var source string

// page writes the page with the answer to a prompt as the app shows it in the
// end: the text with the web pages that it cites, and nothing of what else the
// lines tell.
var page = lab.Template(host, source)

// Site is the assistant's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /{$}":                              lab.App(app, lab.Page(host, page)),
		"POST /rest/app-chat/conversations/new": lab.Stream(host, lab.TypeLines, "message", stream),
	}}
}
