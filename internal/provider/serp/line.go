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
	if strings.IndexByte(text, 0xe2) < 0 && strings.IndexByte(text, 0xc2) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u00ad', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2060', '\u2066', '\u2067', '\u2068', '\u2069':
			return -1
		default:
			return r
		}
	}, text)
}

// Line is what a visitor reads in the node, on one line; "" for no node.
func Line(n *html.Node) string {
	if n == nil {
		return ""
	}
	var text textWriter
	writeLine(&text, n)
	return webtext.Line(text.String())
}

func writeLine(text *textWriter, n *html.Node) {
	if n.Type == html.TextNode {
		text.write(n.Data)
		return
	}
	if text.len() >= maxText || n.Type == html.ElementNode && markup.Unseen(n) {
		return
	}
	alone := n.Type == html.ElementNode && apart(n)
	if alone {
		text.part(" ")
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		writeLine(text, child)
	}
	if alone {
		text.part(" ")
	}
}

// maxText is how much text a part of a page may have, in bytes; the rest is cut
// off. Real snippets have up to a thousand.
const maxText = 16 << 10

// textWriter puts pieces of text together, without marks that nobody sees. Most text
// is a single piece, which is not copied.
type textWriter struct {
	first string
	all   strings.Builder // from the second piece on
	gap   string          // white space before the next piece
}

func (w *textWriter) len() int { return max(len(w.first), w.all.Len()) }

func (w *textWriter) String() string {
	if w.all.Len() > 0 {
		return w.all.String()
	}
	return w.first
}

// part notes that white space stands between what was written and what comes. The end
// of a line counts for more than a space: what holds words together ends with it.
func (w *textWriter) part(space string) {
	if w.gap != "\n" {
		w.gap = space
	}
}

// write adds what there is room for, in whole characters.
func (w *textWriter) write(data string) {
	if strings.Trim(data, " \t\n") == "" {
		if strings.Contains(data, "\n") {
			w.part("\n")
		} else if data != "" {
			w.part(" ")
		}
		return
	}
	data = withoutMarks(data)
	room := maxText - w.len()
	if room <= 0 {
		return
	}
	if len(data) > room {
		for room > 0 && !utf8.RuneStart(data[room]) {
			room--
		}
		data = data[:room]
	}
	written := w.String()
	switch {
	case data == "":
		return
	case written == "":
		w.first = data
	default:
		if w.all.Len() == 0 {
			w.all.Grow(2 * (len(written) + len(data)))
			w.all.WriteString(written)
		}
		if w.gap == "\n" && written[len(written)-1] < utf8.RuneSelf {
			w.gap = " "
		}
		w.all.WriteString(w.gap)
		w.all.WriteString(data)
	}
	w.gap = ""
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
	text    textWriter
	lines   []string
	written int // bytes of all lines
}

func (w *lineWriter) write(n *html.Node) {
	if w.written >= maxText {
		return
	}
	if n.Type == html.TextNode {
		w.text.write(n.Data)
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
	if line := webtext.Line(w.text.String()); line != "" {
		w.lines = append(w.lines, line)
		w.written += len(line)
	}
	w.text = textWriter{}
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
