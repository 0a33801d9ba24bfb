package rawdoc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"strings"

	"earshot/internal/provider/webtext"
)

// ScriptGuard precedes streams of chunks, so that a page of another site cannot run them as a
// script.
const ScriptGuard = ")]}'"

// RawResponse returns a document in the form sent to clients: the data of each event of a stream,
// each line of JSON lines, each chunk of a guarded stream, or the whole document. JSON stays JSON;
// anything else becomes a string.
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
	if guarded, found := bytes.CutPrefix(Trimmed(document), []byte(ScriptGuard)); found {
		return chunks(guarded), nil
	}
	if lines := jsonLines(document); lines != nil {
		return lines, nil
	}
	return []json.RawMessage{rawJSON(string(document))}, nil
}

// IsStream reports whether the document begins like an event stream.
func IsStream(document []byte) bool {
	line, _, _ := bytes.Cut(document, []byte("\n"))
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

// jsonLines returns the lines of a document if there are several and each is JSON, or nil.
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

// chunks returns the JSON values of a stream in which each value follows its length. A truncated
// value becomes a string.
func chunks(stream []byte) []json.RawMessage {
	var found []json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(stream))
	for {
		start := dec.InputOffset()
		var chunk json.RawMessage
		if err := dec.Decode(&chunk); err != nil {
			if rest := bytes.TrimSpace(stream[start:]); len(rest) > 0 {
				found = append(found, rawJSON(string(rest)))
			}
			return found
		}
		if chunk[0] == '[' || chunk[0] == '{' {
			found = append(found, rawJSON(string(chunk)))
		}
	}
}

func rawJSON(data string) json.RawMessage {
	data = strings.TrimSpace(webtext.ValidText(data))
	if json.Valid([]byte(data)) {
		return json.RawMessage(data)
	}
	text, _ := json.Marshal(data) // a string always marshals
	return text
}

// CapturePage returns the document in the form in which captures are stored. Captures are served as
// HTML, so a document that is not a page becomes the text of a page.
func CapturePage(document []byte) []byte {
	if IsPage(Trimmed(document)) {
		return document
	}
	return []byte(textBefore + html.EscapeString(string(bytes.ToValidUTF8(document, []byte("\uFFFD")))) + textAfter)
}

// The HTML around a text that is stored as a page.
const (
	textBefore = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head><body><pre>\n"
	textAfter  = "</pre></body></html>\n"
)

// The comment in which a page contains the document that it was made from.
const (
	withinBefore = "<!-- document: "
	withinAfter  = " -->"
)

// EmbedDocument returns a comment with the document for a page made from it. CapturedDocument extracts
// the document again.
func EmbedDocument(document []byte) string {
	return withinBefore + base64.StdEncoding.EncodeToString(document) + withinAfter
}

// CapturedDocument returns the document that a captured page was made from by CapturePage or with
// EmbedDocument. For other pages it returns the page itself.
func CapturedDocument(page []byte) []byte {
	if at := bytes.LastIndex(page, []byte(withinBefore)); at >= 0 {
		encoded, _, _ := bytes.Cut(page[at+len(withinBefore):], []byte(withinAfter))
		if document, err := base64.StdEncoding.DecodeString(string(encoded)); err == nil {
			return document
		}
	}
	text, wrapped := bytes.CutPrefix(page, []byte(textBefore))
	if !wrapped {
		return page
	}
	return []byte(html.UnescapeString(string(bytes.TrimSuffix(text, []byte(textAfter)))))
}
