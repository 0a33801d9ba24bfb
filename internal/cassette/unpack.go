package cassette

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// unpack undoes gzip where the first bytes tell of it.
func unpack(packed []byte) ([]byte, bool) {
	if !bytes.HasPrefix(packed, []byte{0x1f, 0x8b}) {
		return packed, true
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, false
	}
	return readAll(r)
}

// decoded is a response body without its Content-Encoding. Tools often unpack
// bodies and keep the header, so the bytes decide. It is false for a body that
// is still packed, as by brotli.
func decoded(body []byte, header http.Header) ([]byte, bool) {
	body, ok := unpack(body)
	encoding := header.Get("Content-Encoding")
	if !ok || encoding == "" || utf8.Valid(body) {
		return body, ok
	}
	if !strings.EqualFold(encoding, "deflate") {
		return nil, false
	}
	r, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, false
	}
	return readAll(r)
}

// readAll is all that r holds, when that is no more than a recording may be.
func readAll(r io.Reader) ([]byte, bool) {
	all, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	return all, err == nil && len(all) <= maxSize
}
