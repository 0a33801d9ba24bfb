package labsite

import (
	"bytes"
	"fmt"
	"maps"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// piece is how many characters of text one event carries. The small, odd number splits words and
// marks, as on the real site.
const piece = 23

// stream writes the answer to prompt as the event stream of the legacy interface; each element is
// an event. In the delta encoding, an event adds a message or patches the last one. Fields that an
// event omits have the values of the previous event.
func stream(prompt string, answer *world.Answer) [][]byte {
	s := &events{id: world.Identity(prompt, answer)}
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
	s.raw("", []byte("[DONE]"))
	return s.written
}

type events struct {
	id      string
	count   int // of messages
	written [][]byte
}

// event appends an event with a JSON value.
func (e *events) event(kind string, value any) {
	e.raw(kind, lab.JSON(value))
}

func (e *events) raw(kind string, data []byte) {
	var event bytes.Buffer
	if kind != "" {
		fmt.Fprintf(&event, "event: %s\n", kind)
	}
	fmt.Fprintf(&event, "data: %s\n\n", data)
	e.written = append(e.written, event.Bytes())
}

// add appends an event that adds a message.
func (e *events) add(message object) {
	e.event("delta", object{"v": message, "c": e.count - 1})
}

// message returns a message of the role; particular overrides its default fields.
func (e *events) message(role string, particular object) object {
	e.count++
	m := object{
		"id":        fmt.Sprintf("%s-%d", e.id, e.count),
		"author":    object{"role": role, "name": nil, "metadata": object{}},
		"status":    "finished_successfully",
		"end_turn":  nil,
		"metadata":  object{},
		"recipient": "all",
		"channel":   nil,
	}
	maps.Copy(m, particular)
	return object{"message": m, "conversation_id": e.id, "error": nil}
}

// text returns the content of a message with a text.
func text(said string) object { return object{"content_type": "text", "parts": []string{said}} }

// toolCall returns the message in which the assistant calls its search tool.
func (e *events) toolCall(answer *world.Answer) object {
	query := func(text string) object { return object{"q": text} }
	call := object{"search_query": lab.Objects(answer.Queries, query), "business_query": lab.Objects(answer.MapQueries, query)}
	return e.message("assistant", object{
		"recipient": "web.run",
		"content":   object{"content_type": "code", "language": "unknown", "text": string(lab.JSON(call))},
		"metadata":  object{"model_slug": world.Model},
	})
}

// answer appends the final message: first empty, then its text in pieces, then its references and
// other metadata.
func (e *events) answer(answer *world.Answer) {
	e.add(e.message("assistant", object{
		"status":   "in_progress",
		"channel":  "final",
		"content":  text(""),
		"metadata": object{"model_slug": world.Model, "citations": []any{}, "content_references": []any{}},
	}))
	m := newMessage(answer)
	for i, text := range world.Pieces(m.text.String(), piece) {
		part := object{"v": text}
		if i == 0 {
			part["p"], part["o"] = "/message/content/parts/0", "append"
		}
		e.event("delta", part)
	}
	e.event("delta", object{"p": "", "o": "patch", "v": []object{
		{"p": "/message/status", "o": "replace", "v": "finished_successfully"},
		{"p": "/message/end_turn", "o": "replace", "v": true},
		{"p": "/message/metadata/content_references", "o": "append", "v": m.references},
		{"p": "/message/metadata", "o": "append", "v": object{
			"search_result_groups": groups(answer.Sources),
			"ads":                  lab.Objects(answer.Ads, ad),
			"is_complete":          true,
		}},
	}})
}

// groups returns the search results that the answer is based on.
func groups(sources []world.Source) []object {
	return lab.Objects(sources, func(s world.Source) object {
		return object{"type": "search_result_group", "entries": []object{page(s)}}
	})
}
