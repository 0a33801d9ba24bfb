package socialassistant

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
)

// queries returns the search queries of the assistant, in order.
func (s *streamed) queries() earshot.List[string] {
	var found earshot.List[string]
	for _, call := range s.searches {
		found = answer.AddNew(found, queriesOf(call)...)
	}
	written := s.calls
	for _, step := range s.response.Objects("steps") {
		for _, call := range step.Objects("toolUsageCards") {
			found = answer.AddNew(found, queriesOf(call)...)
		}
		written = append(written, stringsIn(step["text"])...)
	}
	for _, arguments := range cdataSections(strings.Join(written, "\n")) {
		value, _ := loosejson.Decode(arguments)
		found = answer.AddNew(found, loosejson.AsObject(value).Text("query"))
	}
	found = answer.AddNew(found, s.streamQueries...)
	return answer.AddNew(found, s.response.Text("query"))
}

// cdataSections returns the CDATA sections of a text. They hold the arguments of tool calls in the
// text of a thought.
func cdataSections(text string) []string {
	var found []string
	for {
		_, after, _ := strings.Cut(text, "<![CDATA[")
		data, rest, closed := strings.Cut(after, "]]>")
		if !closed {
			return found
		}
		found = append(found, data)
		text = rest
	}
}

// queriesOf returns the queries of a tool call. Each tool has its arguments under its own name.
func queriesOf(call loosejson.Object) []string {
	var queries []string
	for _, tool := range slices.Sorted(maps.Keys(call)) {
		if query := call.Object(tool).Object("args").Text("query"); query != "" {
			queries = append(queries, query)
		}
	}
	return queries
}
