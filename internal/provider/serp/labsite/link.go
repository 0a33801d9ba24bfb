package labsite

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
)

// link is a link as result pages have it: of four, two say openly where they
// lead, one says it within a redirect, and one hides it. Which it is depends on
// the destination alone.
func link(destination string) string {
	switch hash(destination) % 4 {
	case 0:
		return Wrap(destination)
	case 1:
		return Hide(destination)
	default:
		return destination
	}
}

// aiLink is a link as AI answers have it: one of three says openly where it leads.
func aiLink(destination string) string {
	switch hash(destination) % 3 {
	case 0:
		return Hide(destination)
	case 1:
		return Wrap(destination)
	default:
		return destination
	}
}

func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return h.Sum32()
}

// ved is the mark by which the engine recognises what was clicked.
func ved(text string) string { return fmt.Sprintf("2ah%08x", hash("ved"+text)) }

// Paths of the two kinds of redirect links: those that say where they lead, and
// those that only the engine understands.
const (
	pathURL  = "/url"
	pathGoto = "/goto"
)

// Wrap makes a link that says where it leads.
func Wrap(destination string) string {
	return pathURL + "?" + url.Values{"q": {destination}, "sa": {"U"}}.Encode()
}

// tokenStart is how the engine's tokens begin.
const tokenStart = "CAES"

// Hide makes a link that does not say where it leads.
func Hide(destination string) string {
	return pathGoto + "?url=" + tokenStart + base64.RawURLEncoding.EncodeToString(scramble([]byte(destination)))
}

// scramble makes bytes unreadable, and readable again.
func scramble(b []byte) []byte {
	mixed := make([]byte, len(b))
	for i := range b {
		mixed[i] = b[i] ^ 0x5a
	}
	return mixed
}

// Redirect answers both kinds of links with where they lead, and anything that is
// neither with 404.
func Redirect(w http.ResponseWriter, r *http.Request) {
	destination, ok := destinationOf(r.URL)
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Location", destination)
	w.WriteHeader(http.StatusFound)
}

func destinationOf(u *url.URL) (string, bool) {
	query := u.Query()
	if u.Path == pathURL {
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
