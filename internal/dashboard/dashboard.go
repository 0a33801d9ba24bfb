// Package dashboard is the web page that the service shows at its address.
package dashboard

import (
	"bytes"
	_ "embed" // for the page
	"html/template"
	"net/http"
)

//go:embed index.html
var index string

// Handler serves the page of the service at baseURL. The page loads nothing from
// any other host and runs no script.
func Handler(baseURL string) (http.Handler, error) {
	page, err := template.New("index").Parse(index)
	if err != nil {
		return nil, err
	}
	var rendered bytes.Buffer
	if err := page.Execute(&rendered, struct{ BaseURL string }{baseURL}); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		_, _ = w.Write(rendered.Bytes()) // the client may be gone
	}), nil
}
