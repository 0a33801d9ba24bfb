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
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
)

// Recognises tells whether the document is an answer of this family: a response,
// its events as a stream or as JSON lines, or an error.
func Recognises(document []byte) bool {
	first := rawdoc.FirstPiece(rawdoc.Trimmed(document))
	return isResponse(first) || isEvent(first) || isError(first)
}

// isResponse tells whether the object is a response by its name or by its items.
func isResponse(o loosejson.Object) bool {
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
func isEvent(o loosejson.Object) bool {
	kind := o.Text("type")
	return strings.HasPrefix(kind, "response.") || kind == "error" && isError(o)
}

// Read reads an answer: a response, or its events as a stream or as JSON lines.
// The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := rawdoc.ReadPieces(rawdoc.Trimmed(document), func(p rawdoc.Pieces) (err error) {
		switch {
		case p.Alone && isResponse(p.Objects[0]):
			found, err = readResponse(p.Objects[0], want)
		case p.Alone && isError(p.Objects[0]) && !isEvent(p.Objects[0]):
			return failed(p.Objects[0])
		default:
			found, err = readEvents(p.Objects, want)
		}
		return err
	})
	return found, err
}
