package chatassistant

import (
	"cmp"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// endOfStream is the data of the last event.
const endOfStream = "[DONE]"

// readStream reads the stream of the legacy interface.
func readStream(document []byte, want answer.Options) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := rawdoc.ReadEvents(document, func(events []rawdoc.Event) error {
		var s streamed
		for _, event := range events {
			s.take(event)
		}
		if !s.ended && !s.finished() {
			return upstream.Fail(earshot.ReasonUnavailable, "the stream is cut off before its last event")
		}
		if len(s.messages) == 0 {
			return s.failure()
		}
		found = readMessages(withoutBlocked(s.messages, s.moderation), want)
		found.RelatedQueries = s.followups
		addAds(found, s.ads, want.Country)
		if s.problem != "" && (found.Text == "" || !s.finished()) {
			return s.failure() // the answer is incomplete
		}
		return nil
	})
	return found, err
}

// streamed is what the events have said so far.
type streamed struct {
	deltas

	ended      bool
	problem    string // the error that an event reports
	followups  []string
	ads        []loosejson.Object // units, see addAds
	moderation []loosejson.Object
}

func (s *streamed) take(event rawdoc.Event) {
	data := webtext.ValidText(event.Data)
	value, ok := loosejson.Decode(data)
	if !ok {
		s.ended = s.ended || strings.TrimSpace(data) == endOfStream
		return
	}
	o := loosejson.AsObject(value)
	s.problem = cmp.Or(reportedError(o), reportedError(o.Object("v")), s.problem)
	if result := o.Object("moderation_response"); result != nil {
		s.moderation = append(s.moderation, loosejson.Object{"message_id": o.Text("message_id"), "blocked": result["blocked"]})
		return
	}
	switch kind, _ := o["type"].(string); {
	case kind == "message_stream_complete":
		s.ended = true
	case strings.Contains(kind, "followup"):
		s.followups = o.Texts("followups", "text")
	case kind == "ads", strings.HasSuffix(kind, "_ad_unit"):
		s.ads = append(s.ads, o, o.Object("content"))
	case kind != "":
	case loosejson.AsObject(o["message"]) != nil: // a snapshot, as in streams before the delta encoding
		s.add(o)
	case o["v"] != nil, o["o"] == "remove":
		s.apply(o)
	}
}

// finished reports whether the last message ends the assistant's turn. A stream that was stored
// without its last event is complete if it does.
func (s *streamed) finished() bool {
	if len(s.messages) == 0 {
		return false
	}
	last := s.messages[len(s.messages)-1].Object("message")
	return isShown(last) && last.Is("end_turn") && last.Text("status") == "finished_successfully"
}

// failure returns why a stream has no answer.
func (s *streamed) failure() error {
	if s.problem != "" {
		return upstream.Fail(earshot.ReasonUnavailable, "the stream reports %q", s.problem)
	}
	return upstream.Fail(earshot.ReasonUnreadable, "the stream has no messages")
}
