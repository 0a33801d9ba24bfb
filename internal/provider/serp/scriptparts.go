package serp

import (
	"bytes"
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
)

// ScriptParts are the parts of a page that its scripts insert when it is shown, such as the answer to a
// question. It maps the id of an empty element to its content, as written in the script.
type ScriptParts map[string][]byte

const (
	space      = " \t\r\n"
	storedCall = "jsl.dh(" // jsl.dh('id','\x3cdiv\x3e...')
	maxStored  = 300       // parts of a page; real pages have up to 120
	maxPiece   = 128 << 10 // bytes of a part; real parts have up to 40 KB
)

// ScriptPartsIn returns the parts in a document's scripts.
func ScriptPartsIn(document []byte) ScriptParts {
	stored := ScriptParts{}
	for len(stored) < maxStored {
		at := bytes.Index(document, []byte(storedCall))
		if at < 0 {
			break
		}
		document = document[at+len(storedCall):]
		id, rest, ok := quoted(document)
		rest, isList := bytes.CutPrefix(bytes.TrimLeft(rest, space), []byte(","))
		if !ok || !isList {
			continue
		}
		piece, rest, ok := quoted(rest)
		if !ok {
			continue
		}
		stored[string(id)] = piece
		document = rest
	}
	return stored
}

// quoted returns the string literal at the beginning of the script, without its quotes but with its
// escapes, and the rest of the script.
func quoted(script []byte) (literal, rest []byte, ok bool) {
	script = bytes.TrimLeft(script, space)
	if len(script) < 2 || script[0] != '\'' && script[0] != '"' {
		return nil, nil, false
	}
	for i := 1; i < min(len(script), maxPiece); i++ {
		switch script[i] {
		case '\\':
			i++
		case script[0]:
			return script[1:i], script[i+1:], true
		}
	}
	return nil, nil, false
}

// storedDepth is the maximum nesting of parts.
const storedDepth = 3

// Fill inserts the parts into the empty elements below n that they belong to. Each part is inserted
// once.
func (s ScriptParts) Fill(n *html.Node) { s.fill(n, storedDepth) }

func (s ScriptParts) fill(n *html.Node, depth int) {
	if len(s) == 0 || depth == 0 {
		return
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		piece, ok := s[markup.Attr(child, "id")]
		if !ok || child.FirstChild != nil {
			s.fill(child, depth)
			continue
		}
		delete(s, markup.Attr(child, "id"))
		parts, err := html.ParseFragment(strings.NewReader(unescape(piece)), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
		if err != nil {
			continue
		}
		for _, part := range parts {
			child.AppendChild(part)
		}
		s.fill(child, depth-1)
	}
}

// unescape decodes the escapes of a string literal. Escaped line breaks and tabs become spaces.
func unescape(literal []byte) string {
	var text strings.Builder
	for i := 0; i < len(literal); {
		if literal[i] != '\\' || i+1 == len(literal) {
			text.WriteByte(literal[i])
			i++
			continue
		}
		switch c := literal[i+1]; c {
		case 'x':
			i += writeEscape(&text, literal[i:], 2)
		case 'u':
			i += writeEscape(&text, literal[i:], 4)
		case 'n', 'r', 't':
			text.WriteByte(' ')
			i += 2
		default:
			text.WriteByte(c)
			i += 2
		}
	}
	return text.String()
}

// writeEscape writes the character of an escape with the given number of hexadecimal digits, and
// returns the number of bytes read.
func writeEscape(text *strings.Builder, escape []byte, digits int) int {
	r, ok := hexRune(escape, digits)
	if !ok {
		return 2 // not an escape: the rest is text
	}
	length := 2 + digits
	if utf16.IsSurrogate(r) {
		if low, ok := hexRune(escape[length:], digits); ok {
			r = utf16.DecodeRune(r, low)
			length *= 2
		}
	}
	if !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	text.WriteRune(r)
	return length
}

func hexRune(escape []byte, digits int) (rune, bool) {
	if len(escape) < 2+digits || escape[0] != '\\' {
		return 0, false
	}
	var code [2]byte
	if _, err := hex.Decode(code[2-digits/2:], escape[2:2+digits]); err != nil {
		return 0, false
	}
	return rune(code[0])<<8 | rune(code[1]), true
}
