// Package dashboard is the web page that the service shows at its address.
package dashboard

import (
	_ "embed" // for the page
	"net/http"
)

//go:embed index.html
var index []byte

// Handler serves the page. It loads nothing from any other host and runs no
// script.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		_, _ = w.Write(index) // the client may be gone
	})
}
