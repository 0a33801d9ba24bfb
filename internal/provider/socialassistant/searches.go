package socialassistant

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
)

// toolArguments finds the arguments of a call that is written out in a thought.
var toolArguments = regexp.MustCompile(`(?s)<!\[CDATA\[(\{.*?\})\]\]>`)

// queries are what the assistant searched for, in its order.
func (s *streamed) queries() earshot.List[string] {
	var found earshot.List[string]
	for _, call := range s.searches {
		found = answer.AddNew(found, called(call)...)
	}
	written := s.calls
	for _, step := range s.whole.Objects("steps") {
		for _, call := range step.Objects("toolUsageCards") {
			found = answer.AddNew(found, called(call)...)
		}
		written = append(written, stringsIn(step["text"])...)
	}
	for _, call := range toolArguments.FindAllStringSubmatch(strings.Join(written, "\n"), -1) {
		arguments, _ := answer.DecodeJSON(call[1])
		found = answer.AddNew(found, answer.AsObject(arguments).Text("query"))
	}
	return answer.AddNew(found, s.whole.Text("query"))
}

// called are the queries in a call, in which each tool has its arguments under
// its own name.
func called(call answer.Object) []string {
	var queries []string
	for _, tool := range slices.Sorted(maps.Keys(call)) {
		if query := call.Object(tool).Object("args").Text("query"); query != "" {
			queries = append(queries, query)
		}
	}
	return queries
}
