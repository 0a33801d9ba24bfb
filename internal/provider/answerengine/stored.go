package answerengine

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// valueIn is the JSON value that a document is, or the list of those on its
// lines.
func valueIn(text string) any {
	value, whole := answer.DecodeJSON(text)
	if whole {
		return value
	}
	var lines []any
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") { // without a closer look
			continue
		}
		if value, ok := answer.DecodeJSON(line); ok {
			lines = append(lines, value)
		}
	}
	return lines
}

// storedEntry is the last entry in a value.
func storedEntry(value any) (*assembly, error) {
	entry := newAssembly()
	if events := eventsIn(value); len(events) > 0 {
		for _, event := range events {
			entry = entry.event(event)
		}
		err := entry.check()
		return entry, err
	}
	found := findEntry(value, nil)
	if found == nil {
		found = findAnswer(value)
	}
	if found == nil {
		if problem := problemOf(answer.AsObject(value)); problem != "" {
			return nil, upstream.Fail(earshot.ReasonUnavailable, "the document reports %q", problem)
		}
		return nil, upstream.Fail(earshot.ReasonUnreadable, "JSON, but no entry")
	}
	entry.add(found)
	if problem := problemOf(found); problem != "" && entry.markdown(finalStep(entry.fields)) == "" {
		return nil, upstream.Fail(earshot.ReasonUnavailable, "the entry reports %q", problem)
	}
	return entry, nil
}

// eventsIn are the events of a stream that was stored as a list of what they say,
// nil where the value is anything else.
func eventsIn(value any) []answer.Object {
	events := answer.AsObjects(value)
	for _, event := range events {
		if event.Text("message_mode") == "STREAMING" {
			return events
		}
	}
	return nil
}

// findEntry looks for entries in a value, however it is wrapped: tools that store
// answers put them into envelopes of their own. It gives the one that was changed
// last, which is the last one where that is not told.
func findEntry(value any, newest answer.Object) answer.Object {
	switch v := value.(type) {
	case map[string]any:
		if isEntry(v) {
			if newest == nil || changedAt(v) >= changedAt(newest) {
				return v
			}
			return newest
		}
		for _, field := range slices.Sorted(maps.Keys(v)) {
			newest = findEntry(v[field], newest)
		}
	case []any:
		for _, item := range v {
			newest = findEntry(item, newest)
		}
	}
	return newest
}

func changedAt(entry answer.Object) string {
	return entry.Text("updated_datetime", "entry_updated_datetime")
}

// isEntry tells an entry by its blocks, or by the steps or the answer that an
// older one has in their place.
func isEntry(o answer.Object) bool {
	return len(o.Objects("blocks")) > 0 || len(stepsOf(o)) > 0 || answer.AsText(answer.AsObject(unpacked(o["text"]))["answer"]) != ""
}

// findAnswer looks for an object that says no more than an answer.
func findAnswer(value any) answer.Object {
	switch v := value.(type) {
	case map[string]any:
		if answer.AsText(v["answer"]) != "" {
			return v
		}
		for _, field := range slices.Sorted(maps.Keys(v)) {
			if found := findAnswer(v[field]); found != nil {
				return found
			}
		}
	case []any:
		for _, item := range slices.Backward(v) {
			if found := findAnswer(item); found != nil {
				return found
			}
		}
	}
	return nil
}
