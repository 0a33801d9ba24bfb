// Package redirect is the links that the lab's search engine wraps its results
// in: some say where they lead, others only tell when they are asked.
package redirect

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// Paths of the two kinds of links.
const (
	PathURL  = "/url"
	PathGoto = "/goto"
)

// Wrap makes a link that says where it leads.
func Wrap(destination string) string {
	return PathURL + "?" + url.Values{"q": {destination}, "sa": {"U"}}.Encode()
}

// tokenStart is how the engine's tokens begin.
const tokenStart = "CAES"

// Hide makes a link that does not say where it leads.
func Hide(destination string) string {
	return PathGoto + "?url=" + tokenStart + base64.RawURLEncoding.EncodeToString(scramble([]byte(destination)))
}

// scramble makes bytes unreadable, and readable again.
func scramble(b []byte) []byte {
	mixed := make([]byte, len(b))
	for i := range b {
		mixed[i] = b[i] ^ 0x5a
	}
	return mixed
}

// Handler answers both kinds of links with where they lead, and anything that is
// neither with 404.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		destination, ok := destinationOf(r.URL)
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Location", destination)
		w.WriteHeader(http.StatusFound)
	})
}

func destinationOf(u *url.URL) (string, bool) {
	query := u.Query()
	if u.Path == PathURL {
		destination := query.Get("q")
		return destination, destination != ""
	}
	token, found := strings.CutPrefix(query.Get("url"), tokenStart)
	mixed, err := base64.RawURLEncoding.DecodeString(token)
	if !found || err != nil || len(mixed) == 0 {
		return "", false
	}
	return string(scramble(mixed)), true
}
