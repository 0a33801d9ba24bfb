package chatassistant

import (
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// endOfStream is the data of the last event.
const endOfStream = "[DONE]"

// readStream reads the legacy interface's stream.
func readStream(document []byte, want answer.Want) (*earshot.Answer, error) {
	var found *earshot.Answer
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
		found = readMessages(s.messages, want)
		found.RelatedQueries = s.followups
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
	value, ok := answer.DecodeJSON(data)
	if !ok {
		s.ended = s.ended || strings.TrimSpace(data) == endOfStream
		return
	}
	o := answer.AsObject(value)
	if problem := o.Text("error", "detail"); problem != "" {
		s.trouble = problem
	}
	switch kind, _ := o["type"].(string); {
	case kind == "message_stream_complete":
		s.ended = true
	case strings.Contains(kind, "followup"):
		s.followups = o.Texts("followups", "text")
	case kind != "":
	case answer.AsObject(o["message"]) != nil: // a snapshot, as before deltas
		s.snapshot(o)
	case o["v"] != nil:
		s.apply(o)
	}
}

// snapshot takes a message as a whole; it replaces the last one if it is that
// message again.
func (s *streamed) snapshot(event answer.Object) {
	if last := len(s.messages) - 1; last >= 0 {
		if id := event.Object("message").Text("id"); id != "" && id == s.messages[last].Object("message").Text("id") {
			s.messages[last] = event
			return
		}
	}
	s.add(event)
}

// failure says why a stream that ended has no messages.
func (s *streamed) failure() error {
	if s.trouble != "" {
		return upstream.Fail(earshot.ReasonUnavailable, "the stream reports %q", s.trouble)
	}
	return upstream.Fail(earshot.ReasonUnreadable, "the stream has no messages")
}
