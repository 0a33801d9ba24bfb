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

// ownSources are the utm_source values that the assistant adds to its links.
var ownSources = []string{"social.lab.test", "grok.com", "grok"}

// Read reads a document: the stream of JSON lines, a saved page, or an answer of the official API.
// It returns everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	body := rawdoc.Trimmed(document)
	if responses.Recognises(body) {
		return answer.FromAPI(responses.Read(body, want))
	}
	if rawdoc.IsPage(body) {
		return page.ReadPrepared(body, want, markQuestions)
	}
	return answer.NotEmpty(readLines(body, want))
}

func readLines(body []byte, want answer.Options) (*earshot.Answer, error) {
	var s streamed
	err := rawdoc.ReadJSON(body, func() error {
		values := valuesIn(webtext.ValidText(string(body)))
		if len(values) > maxLines {
			return upstream.Fail(earshot.ReasonUnreadable, "the document has more than %d lines", maxLines)
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

// maxLines limits the lines of a stream; real streams have up to a few thousand.
const maxLines = 50_000

// valuesIn returns the JSON values of a document, or the elements if the document is a single list.
// If the document also contains other text, valuesIn returns the lines that are JSON objects, with
// or without "data:" before them.
func valuesIn(text string) []any {
	values, complete := sequence(text)
	if !complete {
		values = nil
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
			if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") { // cheap check before decoding
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

// sequence returns the JSON values at the beginning of a text. complete reports whether the text
// contains nothing else.
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
