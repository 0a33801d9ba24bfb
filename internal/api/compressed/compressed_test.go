package compressed_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"earshot/internal/api/compressed"
)

func TestWanted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, accepts string
		size            int
		want            bool
	}{
		{"GET", "gzip, deflate, br", 5000, true},
		{"GET", "br, gzip;q=0.5", 5000, true},
		{"GET", "gzip;q=0", 5000, false},
		{"GET", "identity", 5000, false},
		{"GET", "", 5000, false},
		{"GET", "gzip", 100, false},
		{"POST", "gzip", 5000, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, "/", nil)
		r.Header.Set("Accept-Encoding", test.accepts)
		h := http.Header{}
		if got := compressed.Wanted(h, r, test.size); got != test.want || got && h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%+v: %v, %v", test, got, h)
		}
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte(`{"a":1}`), 1000)
	for _, size := range []int{len(body), 2000, 1} { // of a part
		var packed []byte
		var zip compressed.Gzip
		for from := 0; from < len(body); from += size {
			packed = append(packed, zip.Part(body[from:min(from+size, len(body))], from+size >= len(body))...)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, body) || size > 1 && len(packed) > len(body)/10 {
			t.Errorf("in parts of %d, %d bytes became %d, %v", size, len(body), len(packed), err)
		}
	}
}
