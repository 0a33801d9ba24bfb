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

// markdownWriter writes the elements that prune left, in one walk. White space at line ends and
// repeated blank lines remain for webtext.Clean to remove.
type markdownWriter struct {
	out  []byte
	from int // the offset in out at which the current part begins
	in   inside
	// As in browsers, white space between two words becomes one space, and white space at the
	// ends of a block is dropped.
	begun  bool // the block already has text
	spaced bool // that text ends with a space
	kept   bool // the last thing written was an image or code; a space after it is kept
}

// inside is the set of enclosing elements that must not be written inside an element of the same
// kind.
type inside uint8

const (
	inBold inside = 1 << iota
	inItalic
	inStruck
	inLink
	inHeading
	inLine = inBold | inItalic | inLink | inHeading // elements that cannot contain a block
)

func (w *markdownWriter) write(parts ...string) {
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
}

// blankLine ends the output with a blank line unless it already does.
func (w *markdownWriter) blankLine() {
	if written := len(w.out); written-w.from < 2 || w.out[written-1] != '\n' || w.out[written-2] != '\n' {
		w.write("\n\n")
	}
}

// edge records that a block or a line begins or ends.
func (w *markdownWriter) edge() { w.begun, w.spaced, w.kept = false, false, false }

// object records that something other than text was written.
func (w *markdownWriter) object() { w.begun, w.spaced, w.kept = false, false, true }

// text writes text that prune has escaped, collapses white space, and escapes ">".
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

// taken returns the Markdown of the content of n, as part of an element of the kind, without adding
// it to the output.
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
	case atom.Tr: // its table cannot be written as a Markdown table
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
			w.blockElement(n)
		}
	}
}

// blockElement writes a block on lines of its own.
func (w *markdownWriter) blockElement(n *html.Node) {
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

// blockInLine writes a block in a form that is allowed within a line.
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

// emphasis writes emphasised text. Emphasised elements that follow directly become part of it,
// because the marks of both would run together.
func (w *markdownWriter) emphasis(n *html.Node, kind inside, mark string) {
	if w.in&kind != 0 {
		w.inline(n)
		return
	}
	absorb(n, func(next *html.Node) bool {
		other, _ := emphasisOf(next)
		return other != 0 && (other == inStruck) == (kind == inStruck)
	})
	if link := onlyIn(n); kind != inStruck && link != nil && link.DataAtom == atom.A { // write the link around the emphasis
		swap(n, link)
		w.link(n)
		return
	}
	w.marked(mark, w.taken(kind, n))
}

// marked writes the mark around each line of the text, inside the line's leading and trailing white
// space.
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

// cutSpace splits a text into its leading white space, the rest, and its trailing white space.
func cutSpace(text string) (before, inner, after string) {
	right := strings.TrimRightFunc(text, unicode.IsSpace)
	inner = strings.TrimLeftFunc(right, unicode.IsSpace)
	return right[:len(right)-len(inner)], inner, text[len(right):]
}

// absorb moves the content of the elements directly after n into n while wanted returns true for
// them.
func absorb(n *html.Node, wanted func(*html.Node) bool) {
	for next := n.NextSibling; next != nil && wanted(next); next = n.NextSibling {
		for child := next.FirstChild; child != nil; child = next.FirstChild {
			next.RemoveChild(child)
			n.AppendChild(child)
		}
		Remove(next)
	}
}

// swap exchanges the names and attributes of two nested elements.
func swap(outer, inner *html.Node) {
	outer.Data, inner.Data = inner.Data, outer.Data
	outer.DataAtom, inner.DataAtom = inner.DataAtom, outer.DataAtom
	outer.Attr, inner.Attr = inner.Attr, outer.Attr
}

// onlyIn returns the only child of n that is not white space, or nil if there is no such child or
// more than one.
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
	if heading := onlyIn(n); heading != nil && isHeading(heading) { // write the heading around the link
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

// Escapes for the title of a link and for the label of an image.
var (
	inTitle = strings.NewReplacer("\n", " ", `"`, `\"`)
	inLabel = strings.NewReplacer("\n", " ", "[", `\[`, "]", `\]`)
)

// address writes the end of a link or an image: its address and title.
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

// codeSpan writes code within a line.
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
		text = rest + `\#` // an unescaped # would close the heading
	}
	w.blankLine()
	w.write("######"[:n.Data[1]-'0'], " ", text, "\n\n")
}

// list writes a list. Content outside the items belongs to the item before it; before the first
// item, it is an item of its own.
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
	width := len(strconv.Itoa(number + len(items) - 1)) // all numbers have the same width
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

// linesOf returns the lines of a text, with several blank lines joined into one.
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
