package chatassistant

import (
	"bytes"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// isStream tells whether the document begins as an event stream does.
func isStream(document []byte) bool {
	line, _, _ := bytes.Cut(document, []byte("\n"))
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

// endOfStream is the data of the last event.
const endOfStream = "[DONE]"

// readStream reads the legacy interface's stream.
func readStream(document []byte, want answer.Want) (*reading, error) {
	found := &reading{shape: shapeStream}
	err := answer.ReadEvents(document, func(events []answer.Event) error {
		var s streamed
		for _, event := range events {
			s.take(event)
		}
		if !s.ended {
			return upstream.Fail(earshot.ReasonUnavailable, "the stream ends before its last event")
		}
		if len(s.messages) == 0 {
			return s.failure()
		}
		found.answer = readMessages(s.messages, want)
		found.answer.RelatedQueries = s.followups
		return nil
	})
	return found, err
}

// streamed is what the events so far have told.
type streamed struct {
	deltas

	ended     bool
	trouble   string // what an event calls an error
	followups []string
}

func (s *streamed) take(event answer.Event) {
	data := answer.ValidText(event.Data)
	value, ok := decodeJSON(data)
	if !ok {
		s.ended = s.ended || strings.TrimSpace(data) == endOfStream
		return
	}
	o := asObject(value)
	if problem := o.text("error", "detail"); problem != "" {
		s.trouble = problem
	}
	switch kind, _ := o["type"].(string); {
	case kind == "message_stream_complete":
		s.ended = true
	case strings.Contains(kind, "followup"):
		s.followups = o.texts("followups", "text")
	case kind != "":
	case asObject(o["message"]) != nil: // a snapshot, as before deltas
		s.snapshot(o)
	case o["v"] != nil:
		s.apply(o)
	}
}

// snapshot takes a message as a whole; it replaces the last one if it is that
// message again.
func (s *streamed) snapshot(event object) {
	if last := len(s.messages) - 1; last >= 0 {
		if id := event.object("message").text("id"); id != "" && id == s.messages[last].object("message").text("id") {
			s.messages[last] = event
			return
		}
	}
	s.add(map[string]any(event))
}

// failure says why a stream that ended has no messages.
func (s *streamed) failure() error {
	if s.trouble != "" {
		return upstream.Fail(earshot.ReasonUnavailable, "the stream reports %q", s.trouble)
	}
	return upstream.Fail(earshot.ReasonUnreadable, "the stream has no messages")
}
