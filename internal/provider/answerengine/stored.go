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

// readStored reads a document with a stored entry or a thread of entries. The last entry counts.
func readStored(document []byte, want answer.Options) (*earshot.Answer, error) {
	var result *earshot.Answer
	err := rawdoc.ReadJSON(document, func() (err error) {
		value, _ := loosejson.Decode(webtext.ValidText(string(document)))
		if events := eventsIn(value); events != nil {
			result, err = readEvents(events, false, want)
			return err
		}
		found := findEntry(value, nil)
		if found == nil {
			if problem := problemOf(loosejson.AsObject(value)); problem != "" {
				return upstream.Fail(earshot.ReasonUnavailable, "the document reports %q", problem)
			}
			return upstream.Fail(earshot.ReasonUnreadable, "the JSON document has no entry")
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

// eventsIn returns the events of a stream that a tool stored as a list, at any depth, or nil.
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

// findEntry searches a value for entries at any depth, because tools wrap stored answers in
// envelopes of their own. It returns the entry that was updated last, or the last entry if there
// are no update times.
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

// isEntry reports whether the object is an entry. It has blocks; an older entry has steps or an
// answer instead.
func isEntry(o loosejson.Object) bool {
	return len(o.Objects("blocks")) > 0 || len(stepsOf(o)) > 0 || loosejson.AsText(loosejson.AsObject(decodeString(o["text"]))["answer"]) != ""
}
