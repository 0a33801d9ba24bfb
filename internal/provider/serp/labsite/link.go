package labsite

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
)

// link returns a link as result pages have it. Of four links, two are plain, one is wrapped in a
// redirect, and one is hidden. The choice depends only on the destination.
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

// aiLink returns a link as AI answers have it. One of three links is plain.
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
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
	return h.Sum32()
}

// ved returns the value by which the engine recognises a clicked link.
func ved(text string) string { return fmt.Sprintf("2ah%08x", hash("ved"+text)) }

// Paths of redirect links. A link with pathURL contains its destination; a link with pathGoto
// contains a token that only the engine can resolve.
const (
	pathURL  = "/url"
	pathGoto = "/goto"
)

// Wrap returns a redirect link that contains its destination.
func Wrap(destination string) string {
	return pathURL + "?" + url.Values{"q": {destination}, "sa": {"U"}}.Encode()
}

// tokenStart is the prefix of the engine's tokens.
const tokenStart = "CAES"

// Hide returns a redirect link with a token for its destination.
func Hide(destination string) string {
	return pathGoto + "?url=" + tokenStart + base64.RawURLEncoding.EncodeToString(scramble([]byte(destination)))
}

// scramble makes bytes unreadable; a second call restores them.
func scramble(b []byte) []byte {
	mixed := make([]byte, len(b))
	for i := range b {
		mixed[i] = b[i] ^ 0x5a
	}
	return mixed
}

// Redirect answers both kinds of redirect links with their destination, and other requests with
// 404.
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
