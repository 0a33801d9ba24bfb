package answerengine

import (
	"maps"
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// readStored reads a document in which an entry is stored, or a thread of them, of
// which the last counts.
func readStored(document []byte, want answer.Want) (*earshot.Answer, error) {
	var result *earshot.Answer
	err := rawdoc.ReadJSON(document, func() error {
		value, _ := loosejson.Decode(webtext.ValidText(string(document)))
		if events := eventsIn(value); events != nil {
			entry := newAssembly()
			for _, event := range events {
				entry = entry.event(event)
			}
			if err := entry.check(); err != nil {
				return err
			}
			result = entry.answer(want)
			return nil
		}
		found := findEntry(value, nil)
		if found == nil {
			if problem := problemOf(loosejson.AsObject(value)); problem != "" {
				return upstream.Fail(earshot.ReasonUnavailable, "the document reports %q", problem)
			}
			return upstream.Fail(earshot.ReasonUnreadable, "JSON, but no entry")
		}
		entry := newAssembly()
		entry.add(found)
		if problem := problemOf(found); problem != "" && entry.markdown(finalStep(entry.fields)) == "" {
			return upstream.Fail(earshot.ReasonUnavailable, "the entry reports %q", problem)
		}
		result = entry.answer(want)
		return nil
	})
	return result, err
}

// eventsIn are the events of a stream that a tool has stored as a list, however
// that is wrapped; nil where there is none.
func eventsIn(value any) []loosejson.Object {
	object := loosejson.AsObject(value)
	if events := object.Objects("chunks"); len(events) > 1 && isEntry(events[0]) {
		return events
	}
	for _, field := range slices.Sorted(maps.Keys(object)) {
		if events := eventsIn(object[field]); events != nil {
			return events
		}
	}
	return nil
}

// findEntry looks for entries in a value, however it is wrapped: tools that store
// answers put them into envelopes of their own. It gives the one that was changed
// last, which is the last one where that is not told.
func findEntry(value any, newest loosejson.Object) loosejson.Object {
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

func changedAt(entry loosejson.Object) string {
	return entry.Text("updated_datetime", "entry_updated_datetime")
}

// isEntry tells an entry by its blocks, or by the steps or the answer that an
// older one has in their place.
func isEntry(o loosejson.Object) bool {
	return len(o.Objects("blocks")) > 0 || len(stepsOf(o)) > 0 || loosejson.AsText(loosejson.AsObject(unpacked(o["text"]))["answer"]) != ""
}
