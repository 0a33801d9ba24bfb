// Package cassette takes the HTTP exchanges out of recordings that common tools
// make of them: YAML and JSON cassettes of the VCR family, HAR files, and JSON
// lines of requests and responses. Cassettes in YAML are turned into JSON first,
// so that there is one way to read them. Calls over gRPC count as exchanges where
// their messages were recorded as JSON.
package cassette

import (
	"bytes"
	"net/http"
)

// maxSize bounds a recording, and anything that is unpacked from it.
const maxSize = 16 << 20

// Exchange is a request and the response to it, with bodies as they were before
// they were packed for the transport.
type Exchange struct {
	Method, URL string
	RequestBody []byte
	Status      int
	Header      http.Header // of the response
	Body        []byte      // of the response
}

// Bodies are the exchanges in a recording, in its order. Of a call over gRPC it
// tells the response alone, as JSON or as JSON lines. It returns nil for a document
// that is no recording, or is one without an exchange that can be read: of other
// protocols, or packed in a way that we cannot unpack.
func Bodies(document []byte) []Exchange {
	document, ok := unpack(document)
	if !ok || len(document) > maxSize {
		return nil
	}
	document = bytes.TrimSpace(bytes.TrimPrefix(document, []byte("\ufeff")))
	if !bytes.HasPrefix(document, []byte("{")) {
		document = fromYAML(document)
	}
	if exchanges := fromJSON(document); exchanges != nil {
		return exchanges
	}
	return fromLines(document)
}
