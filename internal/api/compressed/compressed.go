// Package compressed compresses the bodies of responses for clients that accept it.
package compressed

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minSize is the size in bytes from which a body is compressed. Smaller bodies fit into one
// packet in any case.
const minSize = 1400

var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// Gzip returns the compressed form of a body.
func Gzip(body []byte) []byte {
	w, _ := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	var packed bytes.Buffer
	w.Reset(&packed)
	_, _ = w.Write(body) // a Buffer returns no errors
	_ = w.Close()
	return packed.Bytes()
}

// Wanted reports whether a client accepts gzip for the response to a request, and whether the
// body is large enough. It sets the header Vary. Only responses to GET are compressed: other
// responses may contain secrets next to what the client sent, and their compressed size would
// tell something about the secrets.
func Wanted(h http.Header, r *http.Request, size int) bool {
	if r.Method != http.MethodGet || size < minSize {
		return false
	}
	h.Add("Vary", "Accept-Encoding")
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == "gzip" {
			weight = strings.ReplaceAll(weight, " ", "")
			return weight != "q=0" && !strings.HasPrefix(weight, "q=0.0")
		}
	}
	return false
}
