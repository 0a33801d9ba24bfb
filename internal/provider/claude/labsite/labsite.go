// Package labsite plays Anthropic's Messages API in the lab. It streams an answer of the lab's world
// as the events of a message.
package labsite

import (
	"fmt"
	"net/http"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

const host = "claude.lab.test"

// Site returns the API's site in the lab.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{"POST /messages": lab.Chat(host, lab.TypeEvents, stream)}}
}

// piece is how many characters of text one event carries. The small, odd number splits words and
// marks, as in the real API.
const piece = 29

// stream writes the answer to prompt; each element is an event. The searches come first. Each text
// that the answer supports with citations is a block of its own.
func stream(prompt string, answer *world.Answer) [][]byte {
	e := &events{id: world.Identity(prompt, answer)}
	e.add("message_start", lab.Object{"message": lab.Object{
		"id": "msg_" + e.id, "type": "message", "role": "assistant", "model": world.Model, "content": []any{}, "stop_reason": nil,
	}})
	for i, query := range answer.Queries {
		id := fmt.Sprint("srvtoolu_", e.id, i)
		e.block(lab.Object{"type": "server_tool_use", "id": id, "name": "web_search", "input": lab.Object{}},
			lab.Object{"type": "input_json_delta", "partial_json": string(lab.JSON(lab.Object{"query": query}))})
		e.block(lab.Object{"type": "web_search_tool_result", "tool_use_id": id, "content": lab.Objects(answer.Sources, result)})
	}
	world.WriteMarkdown(answer.Blocks, func(text string) { e.text += text }, e.span)
	e.flush(nil)
	e.add("message_delta", lab.Object{"delta": lab.Object{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": lab.Object{
		"server_tool_use": lab.Object{"web_search_requests": len(answer.Queries)},
	}})
	e.add("message_stop", lab.Object{})
	return e.written
}

type events struct {
	id      string
	index   int
	text    string // not sent yet
	written [][]byte
}

// add appends an event.
func (e *events) add(name string, event lab.Object) {
	event["type"] = name
	e.written = append(e.written, fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, lab.JSON(event)))
}

// block appends the events of a block: its start, its deltas and its end.
func (e *events) block(start lab.Object, deltas ...lab.Object) {
	e.add("content_block_start", lab.Object{"index": e.index, "content_block": start})
	for _, delta := range deltas {
		e.add("content_block_delta", lab.Object{"index": e.index, "delta": delta})
	}
	e.add("content_block_stop", lab.Object{"index": e.index})
	e.index++
}

// flush appends the text that was not sent yet as a block with citations.
func (e *events) flush(cited []world.Source) {
	if e.text == "" {
		return
	}
	var deltas []lab.Object
	for _, source := range cited {
		deltas = append(deltas, lab.Object{"type": "citations_delta", "citation": lab.Object{
			"type": "web_search_result_location", "url": source.URL, "title": source.Title, "cited_text": source.Snippet, "encrypted_index": secret,
		}})
	}
	for _, text := range world.Pieces(e.text, piece) {
		deltas = append(deltas, lab.Object{"type": "text_delta", "text": text})
	}
	start := lab.Object{"type": "text", "text": ""}
	if cited != nil {
		start["citations"] = []any{}
	}
	e.block(start, deltas...)
	e.text = ""
}

func (e *events) span(span world.Span) {
	switch {
	case span.Cites != nil:
		e.flush(span.Cites)
	case span.Strong, span.Product != nil:
		e.text += "**" + world.Escape(span.Text) + "**"
	default:
		e.text += world.Escape(span.Text)
	}
}

// secret replaces content that only the real API can read.
const secret = "bGFi"

func result(source world.Source) lab.Object {
	return lab.Object{"type": "web_search_result", "url": source.URL, "title": source.Title, "page_age": nil, "encrypted_content": secret}
}
