// Package compressed compresses the bodies of responses for clients that accept it.
package compressed

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// minSize is the size in bytes from which a body is compressed. Smaller bodies fit into one
// packet in any case.
const minSize = 1400

// Gzip compresses a body part by part. It keeps no state between the parts, so a slow reader does
// not hold a compressor (800 KB); bodies get up to a fifth longer by it.
type Gzip struct {
	packed bytes.Buffer
	to     *gzip.Writer
}

// Part returns the compressed form of the next part, until the next call.
func (g *Gzip) Part(part []byte, last bool) []byte {
	if g.to == nil {
		g.to, _ = gzip.NewWriterLevel(&g.packed, gzip.StatelessCompression) // the level is valid
	}
	g.packed.Reset()
	_, _ = g.to.Write(part) // a Buffer returns no errors
	if last {
		_ = g.to.Close()
	}
	return g.packed.Bytes()
}

// Wanted reports whether a client accepts gzip for the response to a request, and whether the
// body is large enough. It sets the header Vary. Only responses to GET and HEAD are compressed: other
// responses may contain secrets next to what the client sent, and their compressed size would
// tell something about the secrets.
func Wanted(h http.Header, r *http.Request, size int) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || size < minSize {
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
