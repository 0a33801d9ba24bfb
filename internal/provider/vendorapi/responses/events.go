package responses

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/upstream"
)

// readEvents reads the response that the events of a stream tell.
func readEvents(events []loosejson.Object, want answer.Want) (*earshot.Answer, error) {
	s := streamed{items: map[int]loosejson.Object{}, parts: map[int]map[int]loosejson.Object{}}
	for _, event := range events {
		s.take(event)
	}
	switch {
	case s.ended:
		return readResponse(s.assembled(), want)
	case s.trouble != nil:
		return nil, failed(s.trouble)
	case s.response == nil:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "no events of a response")
	default:
		return nil, upstream.Fail(earshot.ReasonUnavailable, "the stream ends before its last event")
	}
}

// streamed is what the events so far have told. Items are known by their index in
// the output, parts by that and their index in the item.
type streamed struct {
	response loosejson.Object
	items    map[int]loosejson.Object
	parts    map[int]map[int]loosejson.Object
	ended    bool
	trouble  loosejson.Object // an event that reports an error
}

// take does what one event says.
func (s *streamed) take(event loosejson.Object) {
	kind := strings.TrimPrefix(event.Text("type"), "response.")
	switch kind {
	case "created", "queued", "in_progress":
		s.about(event)
	case "completed", "incomplete", "failed":
		s.about(event)
		s.ended = true
		if event.Object("response")["status"] == nil {
			s.response["status"] = kind
		}
	case "output_item.added", "output_item.done":
		if i := event.Count("output_index"); i != nil {
			s.items[*i] = event.Object("item")
		}
	case "content_part.added", "content_part.done":
		if part := event.Object("part"); part != nil {
			maps.Copy(s.part(event), part)
		}
	case "output_text.delta":
		grow(s.part(event), "text", event)
	case "output_text.done":
		s.part(event)["text"] = loosejson.AsText(event["text"])
	case "refusal.delta":
		grow(s.part(event), "refusal", event)
	case "refusal.done":
		s.part(event)["refusal"] = loosejson.AsText(event["refusal"])
	case "output_text.annotation.added":
		part := s.part(event)
		known, _ := part["annotations"].([]any)
		part["annotations"] = append(known, event["annotation"])
	case "error":
		s.trouble = event
	}
}

// about takes what an event tells of the response as a whole. What a later one
// leaves out stays known.
func (s *streamed) about(event loosejson.Object) {
	if s.response == nil {
		s.response = loosejson.Object{}
	}
	maps.Copy(s.response, event.Object("response"))
}

// part is the part of an item that the event is about.
func (s *streamed) part(event loosejson.Object) loosejson.Object {
	item, part := index(event, "output_index"), index(event, "content_index")
	if s.parts[item] == nil {
		s.parts[item] = map[int]loosejson.Object{}
	}
	if s.parts[item][part] == nil {
		s.parts[item][part] = loosejson.Object{}
	}
	return s.parts[item][part]
}

func index(event loosejson.Object, field string) int {
	if i := event.Count(field); i != nil {
		return *i
	}
	return 0
}

// grow adds an event's piece to the field of a part.
func grow(part loosejson.Object, field string, event loosejson.Object) {
	text, growing := part[field].(*strings.Builder)
	if !growing {
		text = &strings.Builder{}
		part[field] = text
	}
	text.WriteString(loosejson.AsText(event["delta"]))
}

// assembled is the response with all of its output. The last event holds that, but
// some servers leave it out there.
func (s *streamed) assembled() loosejson.Object {
	for i := range s.parts {
		if s.items[i] == nil {
			s.items[i] = loosejson.Object{}
		}
	}
	output, _ := s.response["output"].([]any)
	if len(output) < len(s.items) {
		output = nil
		for _, i := range slices.Sorted(maps.Keys(s.items)) {
			output = append(output, s.complete(i, s.items[i]))
		}
	}
	s.response["output"] = output
	return s.response
}

// complete is an item with its parts, which it lacks as long as it is not done.
func (s *streamed) complete(i int, item loosejson.Object) loosejson.Object {
	if parts := s.parts[i]; parts != nil && len(item.Objects("content")) == 0 {
		content := make([]any, 0, len(parts))
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			content = append(content, parts[part])
		}
		item["content"] = content
	}
	return item
}
