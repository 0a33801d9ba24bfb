// Package responses asks and reads official APIs of the Responses family: OpenAI, xAI and
// compatible services. One request is answered by a response, whole or as a stream of events. The
// response's output is a list of typed items. Perplexity's Agent API has the same envelope; package
// answerengine reads its items.
//
//	question.go   the request
//	responses.go  recognising answers and their form
//	events.go     assembling a response from the events of a stream
//	response.go   reading the items of a response
//	text.go       citations in the text
package responses

import (
	"encoding/json"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
)

// Recognises reports whether the document is an answer of this family: a response, its events as a
// stream or as JSON lines, or an error.
func Recognises(document []byte) bool {
	first := rawdoc.FirstPiece(rawdoc.Trimmed(document))
	return isResponse(first) || isEvent(first) || isError(first)
}

// isResponse reports whether the object is a response, by its object field or by its items.
func isResponse(o loosejson.Object) bool {
	if o.Text("object") == "response" {
		return true
	}
	for _, item := range o.Objects("output") {
		switch kind := item.Text("type"); {
		case kind == "message", kind == "reasoning", strings.HasSuffix(kind, "_call"), isResults(item):
			return true
		}
	}
	return false
}

// isEvent reports whether the object is an event of a stream. A stream begins with an event whose
// type starts with "response.", unless it fails at once.
func isEvent(o loosejson.Object) bool {
	kind := o.Text("type")
	return strings.HasPrefix(kind, "response.") || kind == "error" && isError(o)
}

// isError reports whether the object is an error of such an API: its message comes with a type or
// with the name of a wrong parameter. Other APIs send a number as the code.
func isError(o loosejson.Object) bool {
	if o.Text("error") != "" { // xAI's format
		return o.Text("code") != "" && len(o) == 2
	}
	problem := o
	if inner := o.Object("error"); inner != nil {
		problem = inner
	} else if o.Text("type") != "error" {
		return false
	}
	_, number := problem["code"].(json.Number)
	_, parameter := problem["param"]
	return problem.Text("message") != "" && !number && (problem.Text("type") != "" || parameter)
}

// Read reads an answer: a response, or its events as a stream or as JSON lines. The error is an
// *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := rawdoc.ReadPieces(rawdoc.Trimmed(document), func(p rawdoc.Pieces) error {
		response, _, err := Assemble(p)
		if err == nil {
			found, err = readResponse(response, want)
		}
		return err
	})
	return found, err
}
