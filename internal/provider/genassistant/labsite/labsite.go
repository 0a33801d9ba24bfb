// Package labsite is the lab's generative assistant: it writes an answer of the
// lab's world as the stream of that provider's interface, and as the page that it
// shows, in which elements have names of their own, and citations are footnotes with a
// chip behind them.
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

// Page writes the page with the answer to a prompt.
var Page = lab.Template(host, source)

// Site is the assistant's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /app": lab.App(app, lab.Page(host, Page)),
		"POST /_/BardChatUi/data/assistant.lamda.BardFrontendService/StreamGenerate": lab.Stream(host, lab.TypeJSON, "prompt", stream),
	}}
}
