// Package labsite is the lab's chat assistant. It writes an answer of the lab's world in both forms
// of the real site: the mobile page and the event stream of the legacy interface. Both have the
// same content, so that the readers of the two can be compared.
//
//	labsite.go     the site, and reading requests
//	page.go        the answer as a page
//	page_things.go products, places, videos and ads on the page
//	markup.go      writing HTML
//	stream.go      the answer as an event stream
//	message.go     the stream's final message: Markdown with references
//	things.go      products, places, videos and ads in the stream
package labsite

import (
	_ "embed"
	"net/http"
	"slices"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

const host = "chat.lab.test"

//go:embed app.html
var app string

// Site returns the assistant's site in the lab.
func Site() lab.Site {
	answer := lab.Answer(read, write)
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET /{$}":                       lab.App(app, answer),
		"POST /backend-api/conversation": answer,
	}}
}

// searchHint asks for a web search, in both forms.
const searchHint = "search"

// read reads the question from a request for either form.
func read(r *lab.Request) error {
	if r.Method != http.MethodPost {
		query := r.URL.Query()
		r.Question.Prompt, r.Question.Search = query.Get("q"), query.Get("hints") == searchHint
		return nil
	}
	var body struct {
		Messages []struct {
			Content struct {
				Parts []string `json:"parts"`
			} `json:"content"`
		} `json:"messages"`
		SystemHints []string `json:"system_hints"`
	}
	if err := r.JSON(&body); err != nil {
		return err
	}
	for _, message := range body.Messages {
		for _, part := range message.Content.Parts {
			r.Question.Prompt = part
		}
	}
	r.Question.Search = slices.Contains(body.SystemHints, searchHint)
	return nil
}

// write writes the answer in the requested form, unless the prompt contains a word that asks for
// the other one.
func write(r *lab.Request) (lab.Document, error) {
	streamed := r.Method == http.MethodPost
	if shape := r.Steering.Shape; shape != "" {
		streamed = shape == lab.ShapeLegacy
	}
	answer := r.Compose(world.Compose)
	if streamed {
		return lab.Document{Type: lab.TypeEvents, Pieces: stream(r.Question.Prompt, answer)}, nil
	}
	page, err := Page(r.Question.Prompt, answer)
	return lab.HTML(page), err
}
