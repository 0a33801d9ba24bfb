package socialassistant

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"social.lab.test", "grok.com", "grok"}

// Read reads a document: the stream of JSON lines, a saved page, or an answer of
// the official API. It gives everything that it finds. The error is an
// *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := rawdoc.Trimmed(document)
	if responses.Recognises(body) {
		return answer.FromAPI(responses.Read(body, want))
	}
	if rawdoc.IsPage(body) {
		return page.ReadPrepared(body, want, markQuestions)
	}
	result, err := readLines(body, want)
	if err != nil {
		return nil, err
	}
	if result.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	return result, nil
}

// readLines reads the lines of a stream.
func readLines(body []byte, want answer.Want) (*earshot.Answer, error) {
	var s streamed
	err := rawdoc.ReadJSON(body, func() error {
		values := valuesIn(webtext.ValidText(string(body)))
		if len(values) > maxLines {
			return upstream.Fail(earshot.ReasonUnreadable, "document has more than %d lines", maxLines)
		}
		for _, value := range values {
			s.take(loosejson.AsObject(value))
		}
		return s.check()
	})
	if err != nil {
		return nil, err
	}
	return s.answer(want), nil
}

// maxLines is how many lines a stream may have; real ones have up to a few
// thousand.
const maxLines = 50_000

// valuesIn are the JSON values in a document, one after the other, and those in
// a list where it is one. Of a document with other things in it, they are the
// lines that are JSON, or an event's data.
func valuesIn(text string) []any {
	values, complete := sequence(text)
	if !complete {
		values = nil
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
			if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") { // without a closer look
				continue
			}
			if value, ok := loosejson.Decode(line); ok {
				values = append(values, value)
			}
		}
	}
	if len(values) == 1 {
		if list, ok := values[0].([]any); ok {
			return list
		}
	}
	return values
}

// sequence are the values at the beginning of a text, and whether they are all of
// it.
func sequence(text string) (values []any, complete bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	for {
		var value any
		if err := dec.Decode(&value); err != nil {
			return values, errors.Is(err, io.EOF)
		}
		values = append(values, value)
	}
}
