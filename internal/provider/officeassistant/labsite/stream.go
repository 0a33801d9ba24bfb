package labsite

import (
	"strings"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// piece is how many characters of text one event carries. The small, odd number splits words and
// marks, as on the real site.
const piece = 31

// stream writes the answer to prompt; each element is an event. A citation follows the text that it
// supports.
func stream(prompt string, answer *world.Answer) [][]byte {
	e := &events{id: world.Identity(prompt, answer)}
	e.add("received", lab.Object{"conversationId": e.id})
	e.add("titleUpdate", lab.Object{"title": prompt})
	e.add("startMessage", lab.Object{"model": world.Model})
	for _, query := range answer.Queries {
		e.add("searchQuery", lab.Object{"query": query, "vertical": "web"})
	}
	for _, query := range answer.MapQueries {
		e.add("searchQuery", lab.Object{"query": query, "vertical": "maps"})
	}
	for _, image := range answer.Images {
		e.add("image", lab.Object{"url": image})
	}
	world.WriteMarkdown(answer.Blocks, func(text string) { e.text.WriteString(text) }, e.span)
	e.flush()
	e.add("searchResults", lab.Object{"results": lab.Objects(answer.Sources, page)})
	e.add("suggestedFollowups", lab.Object{"suggestions": answer.Related})
	e.add("done", lab.Object{})
	return e.written
}

type events struct {
	id      string
	text    strings.Builder // text not sent yet
	written [][]byte
}

// add appends an event.
func (e *events) add(name string, event lab.Object) {
	event["event"], event["messageId"] = name, e.id
	e.written = append(e.written, append(lab.JSON(event), '\n'))
}

// flush appends events with the text that was not sent yet.
func (e *events) flush() {
	for _, text := range world.Pieces(e.text.String(), piece) {
		e.add("appendText", lab.Object{"partId": "0", "text": text})
	}
	e.text.Reset()
}

func (e *events) span(span world.Span) {
	switch {
	case span.Cites != nil:
		e.flush()
		for _, source := range span.Cites {
			e.add("citation", page(source))
		}
	case span.Strong, span.Product != nil:
		e.text.WriteString("**" + world.Escape(span.Text) + "**")
	default:
		e.text.WriteString(world.Escape(span.Text))
	}
}

func page(s world.Source) lab.Object {
	return lab.Object{
		"url": world.Tracked(s.URL, host), "title": s.Title, "publisher": s.Site, "snippet": s.Snippet, "publishedDate": s.Published,
	}
}
