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

// withoutMarks removes invisible characters that control the direction of text and line breaks.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u00ad', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2060', '\u2066', '\u2067', '\u2068', '\u2069':
			return -1
		default:
			return r
		}
	}, text)
}

// Line returns the visible text of the node on one line, or "" if the node is nil.
func Line(n *html.Node) string {
	if n == nil {
		return ""
	}
	var text textWriter
	writeLine(&text, n)
	return webtext.Line(text.out.String())
}

func writeLine(text *textWriter, n *html.Node) {
	if n.Type == html.TextNode {
		text.write(n.Data)
		return
	}
	if text.out.Len() >= maxText || n.Type == html.ElementNode && markup.Unseen(n) {
		return
	}
	separate := n.Type == html.ElementNode && isSeparate(n)
	if separate {
		text.space(" ")
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		writeLine(text, child)
	}
	if separate {
		text.space(" ")
	}
}

// maxText is the maximum size of a part of a page's text in bytes; the rest is cut off. Real
// snippets have up to a thousand bytes.
const maxText = 16 << 10

// textWriter joins pieces of text, without invisible characters.
type textWriter struct {
	out strings.Builder
	gap string // white space before the next piece
}

// space requests white space before the next piece. A line break has precedence over a space,
// because webtext.Clean drops a non-breaking space before a line break.
func (w *textWriter) space(gap string) {
	if w.gap != "\n" {
		w.gap = gap
	}
}

// write appends the piece, cut at maxText bytes on a character boundary.
func (w *textWriter) write(data string) {
	if strings.Trim(data, " \t\n") == "" {
		if strings.Contains(data, "\n") {
			w.space("\n")
		} else if data != "" {
			w.space(" ")
		}
		return
	}
	data = withoutMarks(data)
	if room := maxText - w.out.Len(); len(data) > room {
		for room > 0 && !utf8.RuneStart(data[room]) {
			room--
		}
		data = data[:max(room, 0)]
	}
	if data == "" {
		return
	}
	if written := w.out.String(); written != "" {
		if w.gap == "\n" && written[len(written)-1] < utf8.RuneSelf {
			w.gap = " "
		}
		w.out.WriteString(w.gap)
	}
	w.out.WriteString(data)
	w.gap = ""
}

// isSeparate reports whether the element is separated from the text around it.
func isSeparate(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.P, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.Td, atom.Th, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4:
		return true
	default:
		return false
	}
}

// Lines returns the visible text of the node, split into the lines that its elements form.
func Lines(n *html.Node) []string {
	return LinesBut(n, func(*html.Node) bool { return false })
}

// LinesBut is Lines without the elements for which skip returns true.
func LinesBut(n *html.Node, skip func(*html.Node) bool) []string {
	var lines []string
	for _, line := range TextLines(n, skip) {
		lines = append(lines, line.Text)
	}
	return lines
}

// TextLine is a line of text and the text nodes that it consists of.
type TextLine struct {
	Text  string
	Parts []*html.Node
}

// Part returns the text of one of the line's text nodes.
func (l TextLine) Part(i int) string { return webtext.Line(withoutMarks(l.Parts[i].Data)) }

// TextLines is LinesBut with the text nodes of each line.
func TextLines(n *html.Node, skip func(*html.Node) bool) []TextLine {
	w := lineWriter{skip: skip}
	w.write(n)
	w.flush()
	return w.lines
}

type lineWriter struct {
	skip    func(*html.Node) bool
	text    textWriter
	parts   []*html.Node // the text nodes of the current line
	lines   []TextLine
	written int // bytes of all lines
}

func (w *lineWriter) write(n *html.Node) {
	if w.written >= maxText {
		return
	}
	if n.Type == html.TextNode {
		w.text.write(n.Data)
		if strings.TrimSpace(withoutMarks(n.Data)) != "" {
			w.parts = append(w.parts, n)
		}
		return
	}
	if n.Type == html.ElementNode && (markup.Unseen(n) || w.skip(n)) {
		return
	}
	separate := n.Type == html.ElementNode && isSeparate(n)
	if separate {
		w.flush()
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.write(child)
	}
	if separate {
		w.flush()
	}
}

func (w *lineWriter) flush() {
	if line := webtext.Line(w.text.out.String()); line != "" && len(w.parts) > 0 {
		w.lines = append(w.lines, TextLine{line, w.parts})
		w.written += len(line)
	}
	w.text, w.parts = textWriter{}, nil
}

// Title returns the title in a link or a box, or nil. A title is a heading of level 3: an h3
// element (desktop), or a heading by its role (mobile, boxes).
func Title(n *html.Node) *html.Node {
	return markup.Find(n, func(n *html.Node) bool { return n.DataAtom == atom.H3 || markup.IsHeading(n, "3") })
}

// Image returns the web address of the first image in the node that has one, or "".
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

// maxDate is the maximum length of a date in characters, in any language.
const maxDate = 32

// MayBeDate reports whether the text can be a date: it is short and has a digit. The words of a
// date depend on the language.
func MayBeDate(text string) bool { return IsShort(text) && strings.ContainsFunc(text, unicode.IsDigit) }

// IsShort reports whether the text is short enough for a date. Some dates have no digit, such as
// "yesterday".
func IsShort(text string) bool { return utf8.RuneCountInString(text) <= maxDate }
