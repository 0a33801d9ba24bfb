package answerengine

import (
	"bytes"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// ownSources are the names by which the engine marks the links it gives.
var ownSources = []string{"engine.lab.test", "perplexity", "perplexity.ai"}

// Read reads a document: the event stream, a stored entry, or a saved page. It
// gives everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := answer.Trimmed(document)
	var result *earshot.Answer
	var err error
	switch {
	case answer.IsPage(body):
		return readPage(body, want)
	case answer.IsStream(body):
		result, err = readStream(body, want)
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		result, err = readEntry(body, want)
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "neither a stream nor an entry")
	}
	if err != nil {
		return nil, err
	}
	if result.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the engine said nothing")
	}
	return result, nil
}

// readStream reads the entry that a stream tells.
func readStream(document []byte, want answer.Want) (*earshot.Answer, error) {
	var result *earshot.Answer
	err := answer.ReadEvents(document, func(events []answer.Event) error {
		entry := newAssembly()
		for _, event := range events {
			entry.take(event)
		}
		if err := entry.check(); err != nil {
			return err
		}
		result = entry.answer(want)
		return nil
	})
	return result, err
}

// readEntry reads a document that has one entry in it, or a thread of them of
// which the last counts.
func readEntry(document []byte, want answer.Want) (*earshot.Answer, error) {
	var result *earshot.Answer
	err := answer.ReadJSON(document, func() error {
		value, _ := answer.DecodeJSON(answer.ValidText(string(document)))
		found := findEntry(value)
		if found == nil {
			return upstream.Fail(earshot.ReasonUnreadable, "JSON, but no entry")
		}
		entry := newAssembly()
		entry.add(found)
		result = entry.answer(want)
		return nil
	})
	return result, err
}

// findEntry looks for an entry in a value, however it is wrapped: tools that
// store answers put them into envelopes of their own.
func findEntry(value any) answer.Object {
	switch v := value.(type) {
	case map[string]any:
		if isEntry(v) {
			return v
		}
		for _, field := range slices.Sorted(maps.Keys(v)) {
			if found := findEntry(v[field]); found != nil {
				return found
			}
		}
		if answer.AsText(v["answer"]) != "" {
			return v
		}
	case []any:
		for _, item := range slices.Backward(v) {
			if found := findEntry(item); found != nil {
				return found
			}
		}
	}
	return nil
}

// isEntry tells an entry by its blocks, or by the steps that an older one has
// in their place.
func isEntry(o answer.Object) bool {
	return len(o.Objects("blocks")) > 0 || len(stepsOf(o)) > 0
}
