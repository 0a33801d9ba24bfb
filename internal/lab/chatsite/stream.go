package chatsite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"earshot/internal/lab/world"
)

// piece is how many characters of text one event carries. It is small and odd
// so that words and marks are torn apart, as on the real wire.
const piece = 23

// Stream writes the answer to prompt as the legacy interface's event stream,
// one element an event. The encoding is that of deltas: an event adds a message
// or patches the last one, and what it leaves out is as in the event before.
func Stream(prompt string, answer *world.Answer) ([][]byte, error) {
	s := &stream{id: conversationID(prompt, answer)}
	s.event("delta_encoding", "v1")
	opening := s.message("system", object{"content": text(""), "metadata": object{"is_visually_hidden_from_conversation": true}})
	s.event("delta", object{"p": "", "o": "add", "v": opening, "c": 0})
	s.add(s.message("user", object{"content": text(prompt)}))
	if len(answer.Queries) > 0 || len(answer.MapQueries) > 0 {
		s.add(s.toolCall(answer))
	}
	s.answer(answer)
	if len(answer.Related) > 0 {
		s.event("", object{"type": "message_followups", "followups": answer.Related})
	}
	s.event("", object{"type": "message_stream_complete", "conversation_id": s.id})
	s.raw("", "[DONE]")
	return s.events, s.err
}

type stream struct {
	id     string
	count  int // of messages
	events [][]byte
	err    error // the first one
}

// event appends an event with a JSON value.
func (s *stream) event(kind string, value any) {
	data, err := json.Marshal(value)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("write stream: %w", err)
	}
	s.raw(kind, string(data))
}

func (s *stream) raw(kind, data string) {
	var event bytes.Buffer
	if kind != "" {
		fmt.Fprintf(&event, "event: %s\n", kind)
	}
	fmt.Fprintf(&event, "data: %s\n\n", data)
	s.events = append(s.events, event.Bytes())
}

// add appends an event that adds a further message.
func (s *stream) add(message object) {
	s.event("delta", object{"v": message, "c": s.count - 1})
}

// message is a message of role with what is particular to it.
func (s *stream) message(role string, particular object) object {
	s.count++
	m := object{
		"id":        fmt.Sprintf("%s-%d", s.id, s.count),
		"author":    object{"role": role, "name": nil, "metadata": object{}},
		"status":    "finished_successfully",
		"end_turn":  nil,
		"metadata":  object{},
		"recipient": "all",
		"channel":   nil,
	}
	maps.Copy(m, particular)
	return object{"message": m, "conversation_id": s.id, "error": nil}
}

// text is the content of a message that says something.
func text(said string) object { return object{"content_type": "text", "parts": []string{said}} }

// toolCall is the message in which the assistant asks its search tool.
func (s *stream) toolCall(answer *world.Answer) object {
	call := object{}
	for field, queries := range map[string][]string{
		"search_query": answer.Queries, "business_query": answer.MapQueries,
	} {
		asked := make([]object, len(queries))
		for i, query := range queries {
			asked[i] = object{"q": query}
		}
		call[field] = asked
	}
	code, err := json.Marshal(call)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("write tool call: %w", err)
	}
	return s.message("assistant", object{
		"recipient": "web.run",
		"content":   object{"content_type": "code", "language": "unknown", "text": string(code)},
		"metadata":  object{"model_slug": world.Model},
	})
}

// answer appends the final message: empty at first, then its text in pieces,
// then what belongs to it.
func (s *stream) answer(answer *world.Answer) {
	s.add(s.message("assistant", object{
		"status":   "in_progress",
		"channel":  "final",
		"content":  text(""),
		"metadata": object{"model_slug": world.Model, "citations": []any{}, "content_references": []any{}},
	}))
	m := newMessage(answer)
	said := []rune(m.text.String())
	for i := 0; i < len(said); i += piece {
		part := object{"v": string(said[i:min(i+piece, len(said))])}
		if i == 0 {
			part["p"], part["o"] = "/message/content/parts/0", "append"
		}
		s.event("delta", part)
	}
	s.event("delta", object{"p": "", "o": "patch", "v": []object{
		{"p": "/message/status", "o": "replace", "v": "finished_successfully"},
		{"p": "/message/end_turn", "o": "replace", "v": true},
		{"p": "/message/metadata/content_references", "o": "append", "v": m.references},
		{"p": "/message/metadata", "o": "append", "v": object{
			"search_result_groups": groups(answer.Sources),
			"ads":                  ads(answer.Ads),
			"is_complete":          true,
		}},
	}})
}

// groups are the search results that the answer rests on.
func groups(sources []world.Source) []object {
	list := make([]object, len(sources))
	for i, page := range pages(sources) {
		list[i] = object{"type": "search_result_group", "entries": []object{page}}
	}
	return list
}
