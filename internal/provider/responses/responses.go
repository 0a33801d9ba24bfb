// Package responses asks and reads official APIs of the Responses family: one
// request, answered by a response whose output is a list of typed items, whole or
// as a stream of events. OpenAI, xAI and the services that are compatible with
// them speak it.
//
//	question.go   the request
//	responses.go  which documents are answers, and in which of their forms
//	events.go     a response put together from the events of a stream
//	response.go   what a response's items say
//	text.go       citations in its text
//	refusal.go    errors, as an answer of their own or within one
package responses

import (
	"bytes"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// Recognises tells whether the document is an answer of this family: a response,
// its events as a stream or as JSON lines, or an error.
func Recognises(document []byte) bool {
	first := opening(document)
	return isResponse(first) || isEvent(first) || isError(first)
}

// opening is the first object in the document.
func opening(document []byte) answer.Object {
	body := answer.Trimmed(document)
	var first answer.Object
	switch {
	case answer.IsStream(body):
		_ = answer.ReadEvents(body, func(events []answer.Event) error {
			for i := 0; i < len(events) && first == nil; i++ {
				first = eventObject(events[i])
			}
			return nil
		})
	case bytes.HasPrefix(body, []byte("{")):
		if first = wholeObject(body); first == nil {
			line, _, _ := bytes.Cut(body, []byte("\n"))
			first = wholeObject(line)
		}
	}
	return first
}

// wholeObject is the document where it is one JSON object, nil where it is
// anything else.
func wholeObject(document []byte) answer.Object {
	var whole answer.Object
	_ = answer.ReadJSON(document, func() error {
		if value, ok := answer.DecodeJSON(answer.ValidText(string(document))); ok {
			whole = answer.AsObject(value)
		}
		return nil
	})
	return whole
}

// eventObject is the data of an event, with the event's name where the data have
// none; nil where they are no object.
func eventObject(event answer.Event) answer.Object {
	value, _ := answer.DecodeJSON(answer.ValidText(event.Data))
	o := answer.AsObject(value)
	if o != nil && o["type"] == nil && event.Type != "" {
		o["type"] = event.Type
	}
	return o
}

// isResponse tells whether the object is a response by its name or by its items.
func isResponse(o answer.Object) bool {
	if o.Text("object") == "response" {
		return true
	}
	for _, item := range o.Objects("output") {
		switch kind := item.Text("type"); {
		case kind == "message", kind == "reasoning", strings.HasSuffix(kind, "_call"):
			return true
		}
	}
	return false
}

// isEvent tells whether the object is an event of a stream; all that begin one
// are named after the response, unless it fails at once.
func isEvent(o answer.Object) bool {
	kind := o.Text("type")
	return strings.HasPrefix(kind, "response.") || kind == "error" && isError(o)
}

// Read reads an answer: a response, or its events as a stream or as JSON lines.
// The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := answer.Trimmed(document)
	var found *earshot.Answer
	var err error
	switch whole := wholeObject(body); {
	case isEvent(whole): // alone on its line
		found, err = readEvents([]answer.Object{whole}, want)
	case isResponse(whole):
		found, err = readResponse(whole, want)
	case isError(whole):
		return nil, failed(whole)
	case answer.IsStream(body):
		err = answer.ReadEvents(body, func(events []answer.Event) error {
			objects := make([]answer.Object, len(events))
			for i, event := range events {
				objects[i] = eventObject(event)
			}
			found, err = readEvents(objects, want)
			return err
		})
	default:
		err = answer.ReadLines(body, func(lines []answer.Object) error {
			found, err = readEvents(lines, want)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if found.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	return found, nil
}
