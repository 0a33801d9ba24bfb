package labsite

import (
	"fmt"
	"maps"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// piece is how many characters of text one event carries. The small, odd number splits words and
// marks, as on the real site.
const piece = 23

// stream writes the answer to prompt; each element is an event. An event carries blocks or changes
// to blocks; the last one repeats the whole entry.
func stream(prompt string, answer *world.Answer) [][]byte {
	s := &events{id: world.Identity(prompt, answer)}
	text := markdown(answer)
	s.entry(nil)
	s.entry(nil, changed("pro_search_steps", "plan_block", lab.Object{"op": "replace", "path": "", "value": plan(prompt, answer)}))
	s.results(results(answer.Sources))
	s.text(text)
	things := thingBlocks(answer)
	if len(things) > 0 {
		s.entry(nil, things...)
	}
	s.entry(lab.Object{
		"status": "COMPLETED", "final": true, "final_sse_message": true, "text_completed": true,
		"query_str": prompt, "related_queries": answer.Related, "related_query_items": lab.Objects(answer.Related, func(query string) lab.Object {
			return lab.Object{"text": query, "type": "DEFAULT"}
		}),
		"media_items": media(answer),
	}, append([]lab.Object{
		complete("pro_search_steps", "plan_block", plan(prompt, answer)),
		complete("ask_text", "markdown_block", lab.Object{
			"progress": "DONE", "chunks": world.Pieces(text, piece), "chunk_starting_offset": 0, "answer": text,
		}),
		complete("web_results", "web_result_block", lab.Object{"progress": "DONE", "web_results": results(answer.Sources)}),
	}, things...)...)
	return append(s.written, []byte("event: end_of_stream\r\ndata: {}\r\n\r\n"))
}

type events struct {
	id      string
	written [][]byte
}

// entry appends an event with fields and some blocks of the entry.
func (e *events) entry(particular lab.Object, blocks ...lab.Object) {
	if blocks == nil {
		blocks = []lab.Object{}
	}
	fields := lab.Object{
		"backend_uuid": e.id, "context_uuid": e.id, "display_model": world.Model, "mode": "CONCISE",
		"search_focus": "internet", "status": "PENDING", "text_completed": false, "final_sse_message": false,
		"message_mode": "STREAMING", "blocks": blocks,
	}
	maps.Copy(fields, particular)
	e.written = append(e.written, fmt.Appendf(nil, "event: message\r\ndata: %s\r\n\r\n", lab.JSON(fields)))
}

// results appends the events in which search results arrive: the first few together, the others one
// by one.
func (e *events) results(list []lab.Object) {
	if len(list) == 0 {
		return
	}
	const atOnce = 2
	first := min(len(list), atOnce)
	e.entry(nil, changed("web_results", "web_result_block",
		lab.Object{"op": "replace", "path": "", "value": lab.Object{"progress": "IN_PROGRESS", "web_results": list[:first]}}))
	for i, result := range list[first:] {
		e.entry(nil, changed("web_results", "web_result_block",
			lab.Object{"op": "add", "path": fmt.Sprintf("/web_results/%d", first+i), "value": result}))
	}
}

// text appends the events in which the text grows.
func (e *events) text(markdown string) {
	for i, part := range world.Pieces(markdown, piece) {
		patch := lab.Object{"op": "add", "path": fmt.Sprintf("/chunks/%d", i), "value": part}
		if i == 0 {
			patch = lab.Object{"op": "replace", "path": "", "value": lab.Object{
				"progress": "IN_PROGRESS", "chunks": []string{part}, "chunk_starting_offset": 0,
			}}
		}
		e.entry(nil, changed("ask_text", "markdown_block", patch))
	}
}

// complete returns a block with its whole content; changed returns a block with a change.
func complete(use, field string, value any) lab.Object {
	return lab.Object{"intended_usage": use, field: value}
}

func changed(use, field string, patch lab.Object) lab.Object {
	return complete(use, "diff_block", lab.Object{"field": field, "patches": []lab.Object{patch}})
}
