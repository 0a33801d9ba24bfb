package serp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// withoutMarks is text without what only tells how to set it: in which direction,
// and where a word may be broken.
func withoutMarks(text string) string {
	// Nearly all text has none: these are how the marks begin.
	if !strings.Contains(text, "\xe2\x80") && !strings.Contains(text, "\xe2\x81") && !strings.Contains(text, "\xc2\xad") {
		return text
	}
	return marks.Replace(text)
}

var marks = strings.NewReplacer(
	"\u200e", "", "\u200f", "", "\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
	"\u2060", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", "\u00ad", "",
)

// Line is what a visitor reads in the node, on one line; "" for no node.
func Line(n *html.Node) string {
	if n == nil {
		return ""
	}
	var text strings.Builder
	writeLine(&text, n)
	return webtext.Line(text.String())
}

// maxText is how much text a part of a page may have, in bytes; the rest is cut
// off. Real snippets have up to a thousand.
const maxText = 16 << 10

func writeLine(text *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		writeText(text, n.Data)
		return
	}
	if text.Len() >= maxText || n.Type == html.ElementNode && markup.Unseen(n) {
		return
	}
	alone := n.Type == html.ElementNode && apart(n)
	if alone {
		text.WriteByte(' ')
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		writeLine(text, child)
	}
	if alone {
		text.WriteByte(' ')
	}
}

// writeText adds what there is room for, in whole characters, without marks that
// nobody sees.
func writeText(text *strings.Builder, data string) {
	data = withoutMarks(data)
	room := maxText - text.Len()
	if room <= 0 {
		return
	}
	if len(data) > room {
		for room > 0 && !utf8.RuneStart(data[room]) {
			room--
		}
		data = data[:room]
	}
	text.WriteString(data)
}

// apart tells whether the element stands apart from the text around it.
func apart(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.P, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.Td, atom.Th, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4:
		return true
	default:
		return false
	}
}

// Lines are the pieces of text in the node that stand on lines of their own.
func Lines(n *html.Node) []string {
	return LinesBut(n, func(*html.Node) bool { return false })
}

// LinesBut are the Lines of the node without what is in elements to be skipped.
func LinesBut(n *html.Node, skip func(*html.Node) bool) []string {
	w := lineWriter{skip: skip}
	w.write(n)
	w.flush()
	return w.lines
}

type lineWriter struct {
	skip    func(*html.Node) bool
	text    strings.Builder
	lines   []string
	written int // bytes of all lines
}

func (w *lineWriter) write(n *html.Node) {
	if w.written >= maxText {
		return
	}
	if n.Type == html.TextNode {
		writeText(&w.text, n.Data)
		return
	}
	alone := false
	if n.Type == html.ElementNode {
		if markup.Unseen(n) || w.skip(n) {
			return
		}
		alone = apart(n)
	}
	if alone {
		w.flush()
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.write(child)
	}
	if alone {
		w.flush()
	}
}

func (w *lineWriter) flush() {
	if w.text.Len() == 0 {
		return
	}
	if line := webtext.Line(w.text.String()); line != "" {
		w.lines = append(w.lines, line)
		w.written += len(line)
	}
	w.text.Reset()
}

// Title finds the title in a link or a box: a heading of level 3, as an element
// (desktop) or by its role (mobile, and boxes). It gives nil where there is none.
func Title(n *html.Node) *html.Node {
	return markup.Find(n, func(n *html.Node) bool { return n.DataAtom == atom.H3 || markup.IsHeading(n, "3") })
}

// Image is the address of the first picture in the node, "" where there is none;
// pictures that the page itself holds have no address.
func Image(n *html.Node) string {
	image := markup.Find(n, func(n *html.Node) bool {
		return n.DataAtom == atom.Img && strings.HasPrefix(markup.Attr(n, "src"), "http")
	})
	if image == nil {
		return ""
	}
	address, _ := webtext.Destination(markup.Attr(image, "src"), nil, nil)
	return address
}

// maxDate is how long a date may be, in characters, in any language.
const maxDate = 32

// MayBeDate tells whether text can say when something was: it is short and has a
// number. Which words dates have depends on the language.
func MayBeDate(text string) bool { return IsShort(text) && strings.ContainsFunc(text, unicode.IsDigit) }

// IsShort tells whether text is short enough to be a date: some have no number,
// such as yesterday.
func IsShort(text string) bool { return utf8.RuneCountInString(text) <= maxDate }
