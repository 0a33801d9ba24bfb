package rawdoc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"strings"

	"earshot/internal/provider/webtext"
)

// scriptGuard stands before streams of chunks, so that no other site's page can run them
// as a script.
const scriptGuard = ")]}'"

// RawResponse is a document as a client may have it: the data of each event of
// a stream, each line of JSON lines, each chunk of a guarded stream, or the whole document. What is JSON stays
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
	if guarded, found := bytes.CutPrefix(Trimmed(document), []byte(scriptGuard)); found {
		return chunks(guarded), nil
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

// chunks are the JSON values of a stream in which each has its length before it. What
// breaks off is a text.
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

// The comment in which a page holds the document that it was made from.
const (
	withinBefore = "<!-- document: "
	withinAfter  = " -->"
)

// KeepWithin is the comment by which a page holds a document, so that CapturedDocument
// finds it.
func KeepWithin(document []byte) string {
	return withinBefore + base64.StdEncoding.EncodeToString(document) + withinAfter
}

// CapturedDocument is the document that a captured page was made from: the one that
// CapturePage was given or that stands in it by KeepWithin, or the page itself.
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
