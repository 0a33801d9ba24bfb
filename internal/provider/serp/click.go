package serp

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Click is the kind under which the engine counts a click. It notes it on links
// and blocks, in the attribute data-ved or in a link's parameter ved. The kinds
// are the same in all layouts (with scripts and without, desktop and mobile), in
// all languages, and have been for as long as pages are known (2023 to 2026),
// while class names change every few weeks. 0 is none.
type Click int

// The kinds that are known.
const (
	ClickNone     Click = 0
	ClickResult   Click = 22     // the title of a web result
	ClickVideo    Click = 311    // the title of a web result that is a video
	ClickRelated  Click = 341    // a related search
	ClickAd       Click = 1617   // the title of an ad that looks like a web result
	ClickListed   Click = 21954  // a video of a list
	ClickThread   Click = 121292 // a thread in a forum
	ClickQuestion Click = 10042  // opens a question where there are no scripts
	ClickOverview Click = 171125 // an AI overview where there are no scripts (2026)
)

// IsResult tells whether it is the title of a web result.
func (c Click) IsResult() bool { return c == ClickResult || c == ClickVideo }

// ClickOf is the kind of click that the engine notes on the element, or in its
// link.
func ClickOf(n *html.Node) Click {
	link, ping := "", ""
	for _, a := range n.Attr {
		switch a.Key {
		case "data-ved":
			return ReadClick(a.Val)
		case "href":
			link = a.Val
		case "ping":
			ping = a.Val
		}
	}
	for _, address := range []string{ping, link} {
		_, query, _ := strings.Cut(address, "?")
		if params, _ := url.ParseQuery(query); params.Has("ved") {
			return ReadClick(params.Get("ved"))
		}
	}
	return ClickNone
}

// maxClickNote is how long a note may be, in bytes; real ones have 40 to 60.
const maxClickNote = 400

// ReadClick takes the kind out of a note: a digit and a message in the engine's
// binary form, with the kind in its field 2, or "1t:" and the kind.
func ReadClick(note string) Click {
	if len(note) < 2 || len(note) > maxClickNote {
		return ClickNone
	}
	if plain, ok := strings.CutPrefix(note, "1t:"); ok {
		kind, _, _ := strings.Cut(plain, ",")
		n, err := strconv.ParseUint(kind, 10, 31)
		if err != nil {
			return ClickNone
		}
		return Click(n)
	}
	var coded, message [maxClickNote]byte // pages have hundreds of notes
	length, err := base64.RawURLEncoding.Decode(message[:], coded[:copy(coded[:], strings.TrimRight(note[1:], "="))])
	if err != nil {
		return ClickNone
	}
	return fieldTwo(message[:length])
}

// fieldTwo is the number in field 2 of a message.
func fieldTwo(message []byte) Click {
	for len(message) > 0 {
		key := message[0]
		message = message[1:]
		skip := 0
		switch key & 7 {
		case 0: // a number, seven bits a byte, the lowest first
			n, length := number(message)
			if length == 0 {
				return ClickNone
			}
			if key>>3 == 2 {
				return Click(n)
			}
			skip = length
		case 1:
			skip = 8
		case 2:
			if len(message) > 0 {
				skip = 1 + int(message[0])
			}
		case 5:
			skip = 4
		default:
			return ClickNone
		}
		if skip == 0 || skip > len(message) {
			return ClickNone
		}
		message = message[skip:]
	}
	return ClickNone
}

// number reads a number of up to four bytes, and tells how many it took; 0 means
// that there is none.
func number(bytes []byte) (n, length int) {
	for i, b := range bytes[:min(len(bytes), 4)] {
		n |= int(b&0x7f) << (7 * i)
		if b < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
