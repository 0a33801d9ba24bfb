// Package dashboard serves the web pages of the service: the dashboard and the
// API reference. Both are one program that runs in the browser and uses the
// public API. Its sources are in web/; `make web` bundles them into dist/.
package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"earshot/internal/api/compressed"
)

//go:embed web/index.html dist
var files embed.FS

// policy is the Content-Security-Policy of the pages. Pages may only load scripts,
// styles and data from this service. Stored pages of other sites are shown in
// frames, which have a stricter policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the HTML page of the dashboard at / and of the API reference at
// /docs, and below /assets/ the scripts and the style sheet.
func Handler() *http.ServeMux { return handler() }

// handler is made once, since compressing the files takes a while.
var handler = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	page := serveFile("web/index.html", "text/html; charset=utf-8")
	mux.Handle("GET /{$}", page)
	mux.Handle("GET /docs", page)
	mux.Handle("GET /assets/app.js", serveFile("dist/app.js", "text/javascript; charset=utf-8"))
	mux.Handle("GET /assets/live.js", serveFile("dist/live.js", "text/javascript; charset=utf-8"))
	mux.Handle("GET /assets/app.css", serveFile("dist/app.css", "text/css; charset=utf-8"))
	return mux
})

// serveFile returns a handler for an embedded file. Browsers revalidate their
// cached copy with its ETag on every request.
func serveFile(name, contentType string) http.Handler {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded, so it exists
	}
	sum := sha256.Sum256(content)
	tag := hex.EncodeToString(sum[:8])
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(content) // a Buffer returns no errors
	_ = zip.Close()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		tag, content := tag, content
		if compressed.Wanted(h, r, len(content)) {
			h.Set("Content-Encoding", "gzip")
			tag, content = tag+"-gzip", packed.Bytes()
		}
		h.Set("Etag", `"`+tag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
