package markup

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdownWriter writes what prune has left of an answer, in one walk. White space at the
// ends of lines and further blank lines are left to webtext.Clean.
type markdownWriter struct {
	out  []byte
	from int // where in out the part begins that is being written
	in   inside
	// As in browsers, white space between two words is one space, and at the ends of
	// a block it is nothing.
	begun  bool // there is text before, in the same block
	spaced bool // which ends with a space
	kept   bool // a space after what is no text, such as a picture, stays
}

// inside is a set of elements of which none is written within another of its kind.
type inside uint8

const (
	inBold inside = 1 << iota
	inItalic
	inStruck
	inLink
	inHeading
	inLine = inBold | inItalic | inLink | inHeading // where no block can stand
)

func (w *markdownWriter) write(parts ...string) {
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
}

// blankLine sets what follows apart from what was written, if that does not end so already.
func (w *markdownWriter) blankLine() {
	if written := len(w.out); written-w.from < 2 || w.out[written-1] != '\n' || w.out[written-2] != '\n' {
		w.write("\n\n")
	}
}

// edge notes that a block or a line begins or ends.
func (w *markdownWriter) edge() { w.begun, w.spaced, w.kept = false, false, false }

// object notes that something was written that is no text.
func (w *markdownWriter) object() { w.begun, w.spaced, w.kept = false, false, true }

// text writes text that is escaped already, but for what could end an HTML tag.
func (w *markdownWriter) text(data string) {
	before, from := len(w.out), 0
	for i := range len(data) {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			w.write(data[from:i])
			if i == 0 && (w.kept || w.begun && !w.spaced) || i > 0 && (i > from || data[i-1] == '>') {
				w.write(" ")
			}
			from = i + 1
		case '>':
			w.write(data[from:i], "&gt;")
			from = i + 1
		}
	}
	w.write(data[from:])
	if len(w.out) > before {
		w.begun, w.spaced = true, w.out[len(w.out)-1] == ' '
	}
}

func (w *markdownWriter) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.node(child)
	}
}

func (w *markdownWriter) inline(n *html.Node) {
	w.kept = w.kept && !w.begun
	w.children(n)
	w.kept = w.kept && !w.begun
}

func (w *markdownWriter) block(n *html.Node) {
	w.edge()
	w.blankLine()
	w.children(n)
	w.edge()
	w.blankLine()
}

// taken writes what is in n, within something of a kind, and takes it back.
func (w *markdownWriter) taken(kind inside, n *html.Node) string {
	from, in := w.from, w.in
	w.from, w.in = len(w.out), w.in|kind
	w.inline(n)
	text := string(w.out[w.from:])
	w.out = w.out[:w.from]
	w.from, w.in = from, in
	return text
}

func (w *markdownWriter) node(n *html.Node) {
	if n.Type == html.TextNode {
		w.text(n.Data)
		return
	}
	if kind, mark := emphasisOf(n); kind != 0 {
		w.emphasis(n, kind, mark)
		return
	}
	switch n.DataAtom {
	case atom.A:
		w.link(n)
	case atom.Img:
		w.image(n)
	case atom.Wbr:
		w.object()
	case atom.Br:
		w.edge()
		w.write("\n")
	case atom.Tr: // of a table that cannot be written as one
		w.blankLine()
		w.inline(n)
		w.blankLine()
	default:
		switch {
		case isInlineCode(n):
			absorb(n, isInlineCode)
			w.codeSpan(n)
		case !isBlock(n):
			w.inline(n)
		case w.in&inLine != 0:
			w.blockInLine(n)
		default:
			w.ownLines(n)
		}
	}
}

// ownLines writes a block.
func (w *markdownWriter) ownLines(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n)
	case atom.Ul, atom.Ol:
		w.list(n)
	case atom.Blockquote:
		w.quote(n)
	case atom.Pre:
		w.codeBlock(n)
	case atom.Table:
		w.table(n)
	case atom.Hr:
		w.edge()
		w.blankLine()
		w.write("* * *\n\n")
	default:
		w.block(n)
	}
}

// blockInLine writes a block as what can stand within a line.
func (w *markdownWriter) blockInLine(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if text := w.taken(inBold, n); w.in&inBold == 0 {
			w.marked("**", text)
		} else {
			w.write(text)
		}
		w.edge()
		w.write("\n")
	case atom.Ul, atom.Ol, atom.Li:
		w.inline(n)
	case atom.Blockquote:
		w.text(` "`)
		w.inline(n)
		w.text(`" `)
	case atom.Pre:
		w.codeSpan(n)
	case atom.Hr:
	default:
		w.block(n)
	}
}

func emphasisOf(n *html.Node) (kind inside, mark string) {
	switch n.DataAtom {
	case atom.Strong, atom.B:
		return inBold, "**"
	case atom.Em, atom.I:
		return inItalic, "*"
	case atom.Del, atom.S, atom.Strike:
		return inStruck, "~~"
	default:
		return 0, ""
	}
}

// emphasis writes what stands out. What stands out directly behind it is a part of it:
// marks of both would run together.
func (w *markdownWriter) emphasis(n *html.Node, kind inside, mark string) {
	if w.in&kind != 0 {
		w.inline(n)
		return
	}
	absorb(n, func(next *html.Node) bool {
		other, _ := emphasisOf(next)
		return other != 0 && (other == inStruck) == (kind == inStruck)
	})
	if link := onlyIn(n); kind != inStruck && link != nil && link.DataAtom == atom.A { // links are outside
		swap(n, link)
		w.link(n)
		return
	}
	w.marked(mark, w.taken(kind, n))
}

// marked writes text with a mark around each line of it, within the white space around it.
func (w *markdownWriter) marked(mark, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.write("\n")
		}
		if before, inner, after := cutSpace(line); inner != "" {
			w.write(before, mark, inner, mark, after)
		} else {
			w.write(line)
		}
	}
}

// cutSpace cuts white space off both ends of a text.
func cutSpace(text string) (before, inner, after string) {
	right := strings.TrimRightFunc(text, unicode.IsSpace)
	inner = strings.TrimLeftFunc(right, unicode.IsSpace)
	return right[:len(right)-len(inner)], inner, text[len(right):]
}

// absorb moves what is in the elements directly behind n, if they are as wanted, into n.
func absorb(n *html.Node, wanted func(*html.Node) bool) {
	for next := n.NextSibling; next != nil && wanted(next); next = n.NextSibling {
		for child := next.FirstChild; child != nil; child = next.FirstChild {
			next.RemoveChild(child)
			n.AppendChild(child)
		}
		Remove(next)
	}
}

// swap makes the outer of two elements what the inner one is, and the other way around.
func swap(outer, inner *html.Node) {
	outer.Data, inner.Data = inner.Data, outer.Data
	outer.DataAtom, inner.DataAtom = inner.DataAtom, outer.DataAtom
	outer.Attr, inner.Attr = inner.Attr, outer.Attr
}

// onlyIn is the only node in n but for white space, nil where there is none or another.
func onlyIn(n *html.Node) *html.Node {
	var only *html.Node
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if isSpace(child) {
			continue
		}
		if only != nil {
			return nil
		}
		only = child
	}
	return only
}

func isSpace(n *html.Node) bool { return n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" }

func (w *markdownWriter) link(n *html.Node) {
	if heading := onlyIn(n); heading != nil && isHeading(heading) { // headings are outside
		swap(n, heading)
		w.node(n)
		return
	}
	address := target(Attr(n, "href"))
	before, label, after := cutSpace(w.taken(inLink, n))
	if address == "" || w.in&inLink != 0 {
		w.write(before, label, after)
		return
	}
	w.write(before, "[")
	for i, line := range linesOf(label) {
		if i > 0 {
			w.write("\n")
		}
		if line == "" && i > 0 {
			line = `\` // a blank line would end the link
		}
		w.write(strings.TrimLeftFunc(line, unicode.IsSpace))
	}
	w.address(n, address)
	w.write(after)
}

// Characters that cannot stand in the title of a link, or in the label of a picture.
var (
	inTitle = strings.NewReplacer("\n", " ", `"`, `\"`)
	inLabel = strings.NewReplacer("\n", " ", "[", `\[`, "]", `\]`)
)

// address ends a link or a picture.
func (w *markdownWriter) address(n *html.Node, address string) {
	w.write("](", address)
	if title := Attr(n, "title"); title != "" {
		w.write(` "`, inTitle.Replace(title), `"`)
	}
	w.write(")")
}

func (w *markdownWriter) image(n *html.Node) {
	if address := target(Attr(n, "src")); address != "" {
		w.write("![", inLabel.Replace(Attr(n, "alt")))
		w.address(n, address)
	}
	w.object()
}

// codeSpan writes code on one line.
func (w *markdownWriter) codeSpan(n *html.Node) {
	if text := codeText(n); text != "" {
		words := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }), " ")
		if words == "" || words[0] == '`' {
			words = " " + words
		}
		if strings.HasSuffix(words, "`") {
			words += " "
		}
		fence := strings.Repeat("`", longestRun(words)+1)
		w.write(fence, words, fence)
	}
	w.object()
}

func (w *markdownWriter) codeBlock(pre *html.Node) {
	text, language := codeText(pre), codeLanguage(pre)
	if language == "" {
		language = codeLanguage(pre.FirstChild)
	}
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	w.edge()
	w.blankLine()
	w.write(fence, language, "\n", strings.TrimSuffix(text, "\n"), "\n", fence, "\n\n")
}

func (w *markdownWriter) heading(n *html.Node) {
	w.edge()
	text := strings.Join(strings.FieldsFunc(w.taken(inHeading, n), func(r rune) bool { return r == ' ' || r == '\n' || r == '\r' }), " ")
	w.edge()
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if rest, ok := strings.CutSuffix(text, "#"); ok {
		text = rest + `\#` // it would close the heading
	}
	w.blankLine()
	w.write("######"[:n.Data[1]-'0'], " ", text, "\n\n")
}

// list writes a list. What stands in it without being an item belongs to the one before
// it, or is one where there is none.
func (w *markdownWriter) list(n *html.Node) {
	from := w.from
	w.from = len(w.out)
	var items []string
	flush := func() {
		w.edge()
		if item := bytes.TrimSpace(w.out[w.from:]); len(item) > 0 {
			items = append(items, string(item))
		}
		w.out = w.out[:w.from]
	}
	w.edge()
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom == atom.Li {
			flush()
			w.children(child)
		} else if !isSpace(child) {
			w.node(child)
		}
	}
	flush()
	w.from = from
	number, err := strconv.Atoi(Attr(n, "start"))
	if err != nil {
		number = 1
	}
	width := len(strconv.Itoa(number + len(items) - 1)) // numbers are equally wide
	for i, item := range items {
		prefix := "- "
		if n.DataAtom == atom.Ol {
			prefix = fmt.Sprintf("%0*d. ", width, number+i)
		}
		if i == 0 {
			w.blankLine()
		} else {
			w.write("\n")
		}
		w.write(prefix, strings.ReplaceAll(item, "\n", "\n"+strings.Repeat(" ", len(prefix))))
	}
	if len(items) > 0 {
		w.blankLine()
	}
}

func (w *markdownWriter) quote(n *html.Node) {
	w.edge()
	text := strings.TrimSpace(w.taken(0, n))
	w.edge()
	if text == "" {
		return
	}
	w.blankLine()
	for _, line := range linesOf(text) {
		w.write("> ", line, "\n")
	}
	w.write("\n")
}

// linesOf are the lines of a text, with one blank line where there are several.
func linesOf(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			line = ""
		}
		if last := len(lines) - 1; line != "" || last < 0 || lines[last] != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
