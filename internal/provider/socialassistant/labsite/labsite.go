// Package labsite is the lab's social assistant. It writes an answer of the lab's world as the JSON
// lines of the real site, with posts of the lab's social network among its sources.
//
//	labsite.go   the site
//	stream.go    the lines; the last one is the complete answer
//	cards.go     the cards of the marks in the text
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

// page writes the page that the app shows in the end: the text with the web pages that it cites.
// The other parts of the stream are not on the page.
var page = lab.Template(host, source)

// Site returns the assistant's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /{$}":                              lab.App(app, lab.Page(host, page)),
		"POST /rest/app-chat/conversations/new": lab.Stream(host, lab.TypeLines, "message", stream),
	}}
}
