package rawdoc

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"

	"earshot/internal/provider/webtext"
)

// RawResponse is a document as a client may have it: the data of each event of
// a stream, each line of JSON lines, or the whole document. What is JSON stays
// JSON, anything else becomes a string.
func RawResponse(document []byte) ([]json.RawMessage, error) {
	if document := Trimmed(document); IsStream(document) {
		var raw []json.RawMessage
		err := ReadEvents(document, func(events []Event) error {
			for _, event := range events {
				if event.Data != "" {
					raw = append(raw, rawJSON(event.Data))
				}
			}
			return nil
		})
		return raw, err
	}
	if lines := jsonLines(document); lines != nil {
		return lines, nil
	}
	return []json.RawMessage{rawJSON(string(document))}, nil
}

// IsStream tells whether the document begins as an event stream does.
func IsStream(document []byte) bool {
	line, _, _ := bytes.Cut(document, []byte("\n"))
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

// jsonLines are the lines of a document of which each is JSON, nil for any other
// document.
func jsonLines(document []byte) []json.RawMessage {
	var lines []json.RawMessage
	for line := range bytes.Lines(document) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			return nil
		}
		lines = append(lines, line)
	}
	if len(lines) < 2 {
		return nil
	}
	return lines
}

func rawJSON(data string) json.RawMessage {
	data = strings.TrimSpace(webtext.ValidText(data))
	if json.Valid([]byte(data)) {
		return json.RawMessage(data)
	}
	text, _ := json.Marshal(data) // a string always marshals
	return text
}

// CapturePage is the document as it is kept: a page as it is, anything else as
// text on a page, since captures are served as HTML.
func CapturePage(document []byte) []byte {
	if bytes.HasPrefix(Trimmed(document), []byte("<")) {
		return document
	}
	return []byte(textBefore + html.EscapeString(string(bytes.ToValidUTF8(document, []byte("\uFFFD")))) + textAfter)
}

// What stands around a text that is kept as a page.
const (
	textBefore = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head><body><pre>\n"
	textAfter  = "</pre></body></html>\n"
)

// CapturedDocument is the document that CapturePage made a page of.
func CapturedDocument(page []byte) []byte {
	text, wrapped := bytes.CutPrefix(page, []byte(textBefore))
	if !wrapped {
		return page
	}
	return []byte(html.UnescapeString(string(bytes.TrimSuffix(text, []byte(textAfter)))))
}
