package markup

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/webtext"
)

// PlainText returns the visible text of the node, cleaned by webtext.Clean. Paragraphs are
// separated by a blank line. List items are on lines of their own, after "- " or their number.
// Table cells are separated by " | ". Scripts, controls and hidden elements are left out.
func PlainText(root *html.Node) string {
	var w plainWriter
	w.node(root)
	return webtext.Clean(w.out.String())
}

// plainWriter collects text. It writes white space and prefixes only when the text after them
// arrives.
type plainWriter struct {
	out    strings.Builder
	breaks int    // line breaks to write before the next text
	space  bool   // whether to write a space before the next text
	prefix string // written before the next text, after the breaks
	lists  []int  // for each open list, the number of its next item; 0 for bullets
	items  int    // number of open list items
}

func (w *plainWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
	case html.ElementNode:
		if !unread(n) {
			w.element(n)
		}
	case html.DocumentNode:
		w.children(n)
	default:
	}
}

func (w *plainWriter) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Br:
		w.need(1)
	case atom.Pre:
		w.need(2)
		w.verbatim(Text(codeIn(n)))
		w.need(2)
	case atom.Math:
		w.text(formula(n))
	case atom.Ul, atom.Ol:
		w.list(n)
	case atom.Li:
		w.item(n)
	case atom.Td, atom.Th:
		if PreviousElement(n) != nil {
			w.prefix += " | "
		}
		w.children(n)
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Table, atom.Blockquote, atom.Dl, atom.Figure, atom.Hr:
		w.block(n, 2)
	case atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Aside, atom.Tr, atom.Dt, atom.Dd, atom.Address, atom.Figcaption, atom.Details, atom.Summary:
		w.block(n, 1)
	default:
		w.children(n)
	}
}

func (w *plainWriter) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.node(child)
	}
}

func (w *plainWriter) block(n *html.Node, breaks int) {
	w.need(breaks)
	w.children(n)
	w.need(breaks)
}

func (w *plainWriter) list(n *html.Node) {
	number := 0
	if n.DataAtom == atom.Ol {
		number = 1
		if start, err := strconv.Atoi(Attr(n, "start")); err == nil {
			number = start
		}
	}
	w.need(2)
	w.lists = append(w.lists, number)
	w.children(n)
	w.lists = w.lists[:len(w.lists)-1]
	w.need(2)
}

func (w *plainWriter) item(n *html.Node) {
	w.need(1)
	w.prefix = "- "
	if depth := len(w.lists); depth > 0 {
		if number := w.lists[depth-1]; number > 0 {
			w.prefix = strconv.Itoa(number) + ". "
			w.lists[depth-1]++
		}
		w.prefix = strings.Repeat("  ", depth-1) + w.prefix
	}
	w.items++
	w.children(n)
	w.items--
	w.prefix = ""
	w.need(1)
}

// need requests line breaks before the next text. List items contain no blank lines.
func (w *plainWriter) need(breaks int) {
	if w.items > 0 {
		breaks = 1
	}
	w.breaks = max(w.breaks, breaks)
}

func (w *plainWriter) text(data string) {
	if strings.TrimLeftFunc(data, webtext.IsSpace) == "" {
		w.space = w.space || data != ""
		return
	}
	first, _ := utf8.DecodeRuneInString(data)
	last, _ := utf8.DecodeLastRuneInString(data)
	w.space = w.space || webtext.IsSpace(first)
	w.flush()
	webtext.WriteWords(&w.out, data)
	w.space = webtext.IsSpace(last)
}

func (w *plainWriter) verbatim(data string) {
	data = strings.Trim(data, "\n")
	if strings.TrimSpace(data) == "" {
		return
	}
	w.flush()
	w.out.WriteString(data)
}

// flush writes the requested breaks, space and prefix.
func (w *plainWriter) flush() {
	switch {
	case w.out.Len() == 0:
	case w.breaks > 0:
		w.out.WriteString(strings.Repeat("\n", w.breaks))
	case w.space && w.prefix == "":
		w.out.WriteByte(' ')
	}
	w.out.WriteString(w.prefix)
	w.breaks, w.space, w.prefix = 0, false, ""
}
