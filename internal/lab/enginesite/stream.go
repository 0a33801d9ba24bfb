package enginesite

import (
	"encoding/json"
	"fmt"
	"maps"

	"earshot/internal/lab/world"
)

// piece is how many characters of text one event carries. It is small and odd
// so that words and marks are torn apart, as on the real wire.
const piece = 23

// object is a JSON object.
type object = map[string]any

// Stream writes the answer to prompt, one element an event. An event carries
// blocks or changes to them; the last entry has everything once more.
func Stream(prompt string, answer *world.Answer) ([][]byte, error) {
	s := &stream{id: world.Identity(prompt, answer)}
	text := markdown(answer)
	s.entry(nil)
	s.entry(nil, changed("pro_search_steps", "plan_block", object{"op": "replace", "path": "", "value": plan(prompt, answer)}))
	s.results(results(answer.Sources))
	s.text(text)
	things := thingBlocks(answer)
	if len(things) > 0 {
		s.entry(nil, things...)
	}
	s.entry(object{
		"status": "COMPLETED", "final": true, "final_sse_message": true, "text_completed": true,
		"query_str": prompt, "related_queries": answer.Related, "related_query_items": related(answer.Related),
		"media_items": media(answer),
	}, append([]object{
		whole("pro_search_steps", "plan_block", plan(prompt, answer)),
		whole("ask_text", "markdown_block", object{
			"progress": "DONE", "chunks": world.Pieces(text, piece), "chunk_starting_offset": 0, "answer": text,
		}),
		whole("web_results", "web_result_block", object{"progress": "DONE", "web_results": results(answer.Sources)}),
	}, things...)...)
	s.events = append(s.events, []byte("event: end_of_stream\r\ndata: {}\r\n\r\n"))
	return s.events, s.err
}

type stream struct {
	id     string
	events [][]byte
	err    error // the first one
}

// entry appends an event with the entry's fields and some of its blocks.
func (s *stream) entry(particular object, blocks ...object) {
	if blocks == nil {
		blocks = []object{}
	}
	fields := object{
		"backend_uuid": s.id, "context_uuid": s.id, "display_model": world.Model, "mode": "CONCISE",
		"search_focus": "internet", "status": "PENDING", "text_completed": false, "final_sse_message": false,
		"message_mode": "STREAMING", "blocks": blocks,
	}
	maps.Copy(fields, particular)
	data, err := json.Marshal(fields)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("write stream: %w", err)
	}
	s.events = append(s.events, fmt.Appendf(nil, "event: message\r\ndata: %s\r\n\r\n", data))
}

// results appends the events in which search results arrive: the first few at
// once, the others one by one.
func (s *stream) results(list []object) {
	if len(list) == 0 {
		return
	}
	const atOnce = 2
	first := min(len(list), atOnce)
	s.entry(nil, changed("web_results", "web_result_block",
		object{"op": "replace", "path": "", "value": object{"progress": "IN_PROGRESS", "web_results": list[:first]}}))
	for i, result := range list[first:] {
		s.entry(nil, changed("web_results", "web_result_block",
			object{"op": "add", "path": fmt.Sprintf("/web_results/%d", first+i), "value": result}))
	}
}

// text appends the events in which the text grows.
func (s *stream) text(markdown string) {
	for i, part := range world.Pieces(markdown, piece) {
		patch := object{"op": "add", "path": fmt.Sprintf("/chunks/%d", i), "value": part}
		if i == 0 {
			patch = object{"op": "replace", "path": "", "value": object{
				"progress": "IN_PROGRESS", "chunks": []string{part}, "chunk_starting_offset": 0,
			}}
		}
		s.entry(nil, changed("ask_text", "markdown_block", patch))
	}
}

// whole is a block with everything in it, changed one with a change to it.
func whole(use, field string, value any) object {
	return object{"intended_usage": use, field: value}
}

func changed(use, field string, patch object) object {
	return whole(use, "diff_block", object{"field": field, "patches": []object{patch}})
}
