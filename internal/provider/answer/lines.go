package answer

import (
	"bytes"

	"earshot"
	"earshot/internal/upstream"
)

// ReadLines splits a document of JSON lines and hands the objects in it to read;
// lines that are anything else are left out. The error is read's own, or an
// *upstream.Failure that calls the document unreadable.
func ReadLines(document []byte, read func([]Object) error) error {
	return ReadJSON(document, func() error {
		var objects []Object
		for line := range bytes.Lines(document) {
			value, _ := DecodeJSON(ValidText(string(bytes.TrimSpace(line))))
			object := AsObject(value)
			if object == nil {
				continue
			}
			if len(objects) == maxEvents {
				return upstream.Fail(earshot.ReasonUnreadable, "document has more than %d lines", maxEvents)
			}
			objects = append(objects, object)
		}
		return read(objects)
	})
}

// IsPage tells whether the document begins as HTML does.
func IsPage(document []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(document), []byte("<")) }
