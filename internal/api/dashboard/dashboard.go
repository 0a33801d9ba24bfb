// Package dashboard holds the web pages of the service: the dashboard and the
// API's reference, one program that runs in the browser and is a client of the
// public API. Its sources are in web/, and `make web` bundles them into dist/.
package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"time"
)

//go:embed web/index.html dist
var files embed.FS

// policy lets the pages run what is theirs and reach nothing but this service.
// Captures are shown in frames, which have a stricter policy of their own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page, whose program shows the dashboard or, at /docs, the
// reference, and below /assets/ the program, the worker that its tabs share, and its looks.
func Handler() http.Handler {
	mux := http.NewServeMux()
	page := served("web/index.html", "text/html; charset=utf-8")
	mux.Handle("GET /{$}", page)
	mux.Handle("GET /docs", page)
	mux.Handle("GET /assets/app.js", served("dist/app.js", "text/javascript; charset=utf-8"))
	mux.Handle("GET /assets/live.js", served("dist/live.js", "text/javascript; charset=utf-8"))
	mux.Handle("GET /assets/app.css", served("dist/app.css", "text/css; charset=utf-8"))
	return mux
}

// served is one of the files. Browsers ask each time whether theirs is still the
// right one.
func served(name, kind string) http.Handler {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		h.Set("Etag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
