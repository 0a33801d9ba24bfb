package serp

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
)

// Click is the engine's number for a kind of click. The engine writes it on links and blocks, in
// the attribute data-ved or in the link's parameter ved. The numbers are the same in all layouts
// (with and without scripts, desktop and mobile) and languages. They did not change from 2023 to
// 2026, while class names change every few weeks.
type Click int

// Known kinds of clicks.
const (
	ClickNone     Click = 0      // no number
	ClickResult   Click = 22     // the title of a web result
	ClickVideo    Click = 311    // the title of a web result that is a video
	ClickRelated  Click = 341    // a related search
	ClickAd       Click = 1617   // the title of an ad that looks like a web result
	ClickListed   Click = 21954  // a video in a list
	ClickShort    Click = 86075  // a short video in a list
	ClickThread   Click = 121292 // a thread in a forum
	ClickQuestion Click = 10042  // opens a question in the layout without scripts
	ClickOverview Click = 171125 // an AI overview in the layout without scripts (2026)
)

// IsResult reports whether the click is on the title of a web result.
func (c Click) IsResult() bool { return c == ClickResult || c == ClickVideo }

// IsListed reports whether the click is on a video in a list.
func (c Click) IsListed() bool { return c == ClickListed || c == ClickShort }

// ClickOf returns the kind of click that the element or its link has.
func ClickOf(n *html.Node) Click {
	if markup.HasAttr(n, "data-ved") {
		return ReadClick(markup.Attr(n, "data-ved"))
	}
	for _, key := range []string{"ping", "data-sb", "href"} {
		_, query, _ := strings.Cut(markup.Attr(n, key), "?")
		if params, _ := url.ParseQuery(query); params.Has("ved") {
			return ReadClick(params.Get("ved"))
		}
	}
	return ClickNone
}

// maxClickNote is the maximum length of a ved in bytes. Real ones have 40 to 60.
const maxClickNote = 400

// ReadClick returns the kind of click in a ved. A ved is "1t:" and the number, or a digit and a
// base64 message in the protobuf format whose field 2 is the number.
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
	message, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(note[1:], "="))
	if err != nil {
		return ClickNone
	}
	return fieldTwo(message)
}

// fieldTwo returns the number in field 2 of a protobuf message.
func fieldTwo(message []byte) Click {
	for len(message) > 0 {
		key := message[0]
		message = message[1:]
		skip := 0
		switch key & 7 {
		case 0: // a varint
			n, length := binary.Uvarint(message)
			if length <= 0 || n > math.MaxInt32 {
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
