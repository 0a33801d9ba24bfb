package serp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/webtext"
)

// Attr is the value of an attribute, "" where there is none.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// HasAttr tells whether the node has the attribute, be it empty.
func HasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// IsHeading tells whether the node is a heading of the level, by its role.
func IsHeading(n *html.Node, level string) bool {
	role, is := false, false
	for _, a := range n.Attr {
		switch a.Key {
		case "role":
			role = a.Val == "heading"
		case "aria-level":
			is = a.Val == level
		}
	}
	return role && is
}

// Unseen tells whether the element is nothing that a visitor sees: code, or
// hidden until something is done.
func Unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Iframe, atom.Svg:
		return true
	default:
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			if strings.Contains(a.Val, "display:none") || strings.Contains(a.Val, "display: none") {
				return true
			}
		}
	}
	return false
}

// Find gives the first node below n, in the page's order, that is as wanted; nil
// where there is none. It does not look into what is unseen.
func Find(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode || Unseen(child) {
			continue
		}
		if wanted(child) {
			return child
		}
		if found := Find(child, wanted); found != nil {
			return found
		}
	}
	return nil
}

// FindAll gives all nodes below n that are as wanted, but none within another.
func FindAll(n *html.Node, wanted func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for child := range n.ChildNodes() {
		switch {
		case child.Type != html.ElementNode || Unseen(child):
		case wanted(child):
			found = append(found, child)
		default:
			found = append(found, FindAll(child, wanted)...)
		}
	}
	return found
}

// IsLink tells whether the node leads somewhere.
func IsLink(n *html.Node) bool { return n.DataAtom == atom.A && HasAttr(n, "href") }

// Line is what a visitor reads in the node, on one line; "" for no node.
func Line(n *html.Node) string {
	if n == nil {
		return ""
	}
	var text strings.Builder
	writeLine(&text, n)
	return cleanLine(text.String())
}

// maxText is how much text a part of a page may have, in bytes; the rest is cut
// off. Real snippets have up to a thousand.
const maxText = 16 << 10

func writeLine(text *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		writeText(text, n.Data)
		return
	}
	if text.Len() >= maxText || n.Type == html.ElementNode && Unseen(n) {
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
		if Unseen(n) || w.skip(n) {
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
	if line := cleanLine(w.text.String()); line != "" {
		w.lines = append(w.lines, line)
		w.written += len(line)
	}
	w.text.Reset()
}

// Title finds the title in a link or a box: a heading of level 3, as an element
// (desktop) or by its role (mobile, and boxes). It gives nil where there is none.
func Title(n *html.Node) *html.Node {
	return Find(n, func(n *html.Node) bool { return n.DataAtom == atom.H3 || IsHeading(n, "3") })
}

// Image is the address of the first picture in the node, "" where there is none;
// pictures that the page itself holds have no address.
func Image(n *html.Node) string {
	image := Find(n, func(n *html.Node) bool {
		return n.DataAtom == atom.Img && strings.HasPrefix(Attr(n, "src"), "http")
	})
	if image == nil {
		return ""
	}
	address, _ := webtext.Destination(Attr(image, "src"), nil, nil)
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
