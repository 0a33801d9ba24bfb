// Package labsite plays a chat endpoint in OpenAI's format in the lab. Its answers cite pages
// as a model does that searches the web: with a link in the text, and an annotation for it.
package labsite

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

const host = "model.lab.test"

// Site returns the endpoint's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{"POST /chat/completions": lab.Chat(host, lab.TypeJSON, completion)}}
}

// piece is the size of the pieces in which the answer is sent, in bytes.
const piece = 512

// completion writes the answer to prompt as one JSON document, after white space like that with
// which an aggregator keeps the connection open.
func completion(prompt string, answer *world.Answer) [][]byte {
	var text strings.Builder
	annotations := []lab.Object{}
	world.WriteMarkdown(answer.Blocks, func(part string) { text.WriteString(part) }, func(span world.Span) {
		switch {
		case span.Cites != nil:
			for _, source := range span.Cites {
				text.WriteString(" ")
				start := utf8.RuneCountInString(text.String())
				text.WriteString("([" + world.Escape(source.Site) + "](" + source.URL + "))")
				annotations = append(annotations, lab.Object{"type": "url_citation", "url_citation": lab.Object{
					"url": source.URL, "title": source.Title, "content": source.Snippet, "start_index": start, "end_index": utf8.RuneCountInString(text.String()),
				}})
			}
		case span.Strong, span.Product != nil:
			text.WriteString("**" + world.Escape(span.Text) + "**")
		default:
			text.WriteString(world.Escape(span.Text))
		}
	})
	document := lab.JSON(lab.Object{
		"id": "gen-" + world.Identity(prompt, answer), "object": "chat.completion", "model": world.Model,
		"choices": []lab.Object{{"index": 0, "finish_reason": "stop", "message": lab.Object{
			"role": "assistant", "content": text.String(), "annotations": annotations,
		}}},
	})
	return slices.Collect(slices.Chunk(append([]byte("\n         \n"), document...), piece))
}
