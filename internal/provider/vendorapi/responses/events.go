package responses

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Assemble returns the response that a document holds: its only object, or the response that the
// events of a stream describe. It returns the usage so far even with an error, which is an
// *upstream.Failure. The caller calls Check.
func Assemble(p rawdoc.Pieces) (response, usage loosejson.Object, err error) {
	if p.Alone && isResponse(p.Objects[0]) {
		return p.Objects[0], p.Objects[0].Object("usage"), nil
	}
	if p.Alone && isError(p.Objects[0]) && !isEvent(p.Objects[0]) {
		return nil, nil, vendorapi.RefusalObject(0, nil, p.Objects[0])
	}
	s := streamed{items: map[int]loosejson.Object{}, parts: map[int]map[int]loosejson.Object{}}
	for _, event := range p.Objects {
		s.take(event)
	}
	response, err = s.whole()
	return response, s.usage, err
}

// whole returns the response that the events describe.
func (s *streamed) whole() (loosejson.Object, error) {
	switch {
	case s.ended:
		return s.assembled(), nil
	case s.problem != nil:
		return nil, vendorapi.RefusalObject(0, nil, s.problem)
	case s.response == nil:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "the stream has no events of a response")
	default:
		return nil, upstream.Fail(earshot.ReasonUnavailable, "the stream is cut off before its last event")
	}
}

// streamed is the response as far as the events have described it. Items are stored by their index
// in the output, parts by item index and by index in the item.
type streamed struct {
	response loosejson.Object
	items    map[int]loosejson.Object
	parts    map[int]map[int]loosejson.Object
	usage    loosejson.Object // the latest
	steps    []any            // results that Perplexity reports before its items
	queries  any              // the queries of the next results
	ended    bool
	problem  loosejson.Object // an event that reports an error
}

// take applies one event.
func (s *streamed) take(event loosejson.Object) {
	kind := strings.TrimPrefix(event.Text("type"), "response.")
	for _, holder := range []loosejson.Object{event, event.Object("response")} {
		if usage := holder.Object("usage"); usage != nil {
			s.usage = usage
		}
	}
	switch kind {
	case "created", "queued", "in_progress":
		s.mergeResponse(event)
	case "completed", "incomplete", "failed", "cancelled":
		s.mergeResponse(event)
		s.ended = true
		if event.Object("response")["status"] == nil {
			s.response["status"] = kind
		}
		if problem := event.Object("error"); problem != nil && kind == "failed" { // Perplexity's format
			s.response["error"] = problem
		}
	case "reasoning.search_queries":
		s.queries = event["queries"]
	case "reasoning.search_results":
		s.steps = append(s.steps, loosejson.Object{"type": "search_results", "queries": s.queries, "results": event["results"]})
		s.queries = nil
	case "reasoning.fetch_url_results":
		s.steps = append(s.steps, loosejson.Object{"type": "fetch_url_results", "contents": event["contents"]})
	case "output_item.added", "output_item.done":
		if i := event.Count("output_index"); i != nil {
			s.items[*i] = event.Object("item")
		}
	case "content_part.added", "content_part.done":
		if part := event.Object("part"); part != nil {
			maps.Copy(s.part(event), part)
		}
	case "output_text.delta":
		appendDelta(s.part(event), "text", event)
	case "output_text.done":
		s.part(event)["text"] = loosejson.AsText(event["text"])
	case "refusal.delta":
		appendDelta(s.part(event), "refusal", event)
	case "refusal.done":
		s.part(event)["refusal"] = loosejson.AsText(event["refusal"])
	case "output_text.annotation.added":
		part := s.part(event)
		known, _ := part["annotations"].([]any)
		part["annotations"] = append(known, event["annotation"])
	case "error":
		s.problem = event
	}
}

// mergeResponse merges the fields of the whole response from an event. Fields that a later event omits keep
// their values.
func (s *streamed) mergeResponse(event loosejson.Object) {
	if s.response == nil {
		s.response = loosejson.Object{}
	}
	maps.Copy(s.response, event.Object("response"))
}

// part returns the part of an item that the event is about, and creates it if necessary.
func (s *streamed) part(event loosejson.Object) loosejson.Object {
	item, part := event.Int("output_index"), event.Int("content_index")
	if s.parts[item] == nil {
		s.parts[item] = map[int]loosejson.Object{}
	}
	if s.parts[item][part] == nil {
		s.parts[item][part] = loosejson.Object{}
	}
	return s.parts[item][part]
}

// appendDelta appends an event's delta to a field of a part.
func appendDelta(part loosejson.Object, field string, event loosejson.Object) {
	text, growing := part[field].(*strings.Builder)
	if !growing {
		text = &strings.Builder{}
		part[field] = text
	}
	text.WriteString(loosejson.AsText(event["delta"]))
}

// assembled returns the response with all of its output. Usually the last event contains the
// output; some servers omit it there.
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
	if !slices.ContainsFunc(output, isResults) {
		output = slices.Concat(s.steps, output)
	}
	s.response["output"] = output
	return s.response
}

// isResults reports whether an item lists results of Perplexity's tools.
func isResults(item any) bool {
	kind := loosejson.AsObject(item).Text("type")
	return kind == "search_results" || kind == "fetch_url_results"
}

// complete returns an item with its parts. An item that is not done has none yet.
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
