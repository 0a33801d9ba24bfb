package mention

import (
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser parses CommonMark with tables, strikethrough, task lists and footnotes. It is
// safe for concurrent use.
var markdownParser = sync.OnceValue(func() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i := range blocks {
		if blocks[i].Value == parser.NewListParser() {
			blocks[i].Value = lists{parser.NewListParser()}
		}
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
			parser.WithParagraphTransformers(util.Prioritized(references{}, 100)),
		)),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote),
	).Parser()
})

// lists is goldmark's list parser without its Close, which only replaces the paragraphs of
// tight lists by text blocks. Both are the same to reader.
type lists struct{ parser.BlockParser }

// Close does nothing.
func (lists) Close(ast.Node, text.Reader, parser.Context) {}

// references removes link reference definitions from paragraphs. It is faster than goldmark's
// transformer, which creates a reader for every paragraph.
type references struct{}

// Transform calls goldmark's transformer for paragraphs that begin with a bracket.
func (references) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() > 0 {
		first := node.Lines().At(0)
		if line := util.TrimLeftSpace(first.Value(reader.Source())); len(line) > 0 && line[0] != '[' {
			return
		}
	}
	parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
}

// reader walks the tree of a Markdown text and appends its visible characters.
//
// Not visible are targets and titles of links, descriptions of images, attributes and
// comments, reference definitions, info strings of code, and the texts of footnotes.
// Emphasis, tags and footnote marks leave no gap. A line break and <br> are white space. An
// image is one character that is not a letter.
type reader struct {
	*visible
	body     string
	anchor   int // index of the open <a> in links, or -1
	unshown  int // number of open <script> and <style> tags
	footnote int // number of the current footnote, or 0
}

// readMarkdown reads the visible text of Markdown and excludes lists of sources.
func (v *visible) readMarkdown(body string) {
	v.source = append(v.source[:0], body...)
	r := &reader{visible: v, body: body, anchor: -1}
	r.container(markdownParser().Parse(text.NewReader(r.source)))
	r.end()
}

// container reads the blocks of a container.
func (r *reader) container(parent ast.Node) {
	sources := sourceSection{}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		from := len(r.chars)
		r.block(n)
		r.end()
		if sources.holds(n, r.visible, from, len(r.chars)) {
			r.exclude(from, len(r.chars))
		}
	}
}

func (r *reader) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *extast.TableCell:
		r.begin()
		r.inlines(n)
		r.closeTags()
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		r.begin()
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			r.addText(r.body, line.Start, line.Stop)
		}
	case *ast.HTMLBlock:
		r.begin()
		r.htmlBlock(n)
		r.closeTags()
	case *ast.List:
		r.list(n)
	case *extast.FootnoteList:
		r.footnotes(n)
	default: // quotes, tables, table rows
		r.container(n)
	}
}

// list reads a list and records the number of each item.
func (r *reader) list(list *ast.List) {
	outer := r.item
	number := list.Start
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		r.items = append(r.items, item{ordered: list.IsOrdered(), number: number})
		r.item = len(r.items) - 1
		r.container(n)
		number++
	}
	r.item = outer
}

// footnotes reads only the links of footnotes. Their texts are sources, not prose.
func (r *reader) footnotes(list ast.Node) {
	chars, blocks := len(r.chars), len(r.blocks)
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		note, ok := n.(*extast.Footnote)
		if !ok {
			continue
		}
		r.footnote = note.Index
		links := len(r.links)
		r.container(note)
		for _, b := range r.blocks[blocks:] {
			r.addressesIn(b)
		}
		for i := links; i < len(r.links); i++ {
			r.links[i].note, r.links[i].from, r.links[i].to = note.Index, -1, -1
		}
		r.chars, r.blocks, r.footnote = r.chars[:chars], r.blocks[:blocks], 0
	}
}

// inlines reads the inline nodes of a block.
func (r *reader) inlines(container ast.Node) {
	for n := container.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			r.textNode(n)
		case *ast.CodeSpan:
			r.span++
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					r.show(t.Segment, true)
				}
			}
			r.span++
		case *ast.Link:
			r.openLink(string(n.Destination))
			link := len(r.links) - 1
			r.inlines(n)
			r.closeLink(link)
		case *ast.AutoLink:
			r.autoLink(n)
		case *ast.Image:
			if start := n.Pos(); start >= 0 && start < len(r.body) && r.unshown == 0 {
				r.add('\uFFFC', start, start+1)
			}
		case *ast.RawHTML:
			if n.Segments.Len() > 0 {
				first, last := n.Segments.At(0), n.Segments.At(n.Segments.Len()-1)
				r.tag(string(n.Segments.Value(r.source)), first.Start, last.Stop)
			}
		case *extast.FootnoteLink:
			r.notes = append(r.notes, noteMark{at: len(r.chars), number: n.Index})
		case *extast.FootnoteBacklink, *extast.TaskCheckBox:
		default: // emphasis, strike-through
			r.inlines(n)
		}
	}
}

// textNode reads text, with the line break after it.
func (r *reader) textNode(n *ast.Text) {
	r.show(n.Segment, n.IsRaw())
	if n.SoftLineBreak() || n.HardLineBreak() {
		at := min(n.Segment.Stop, len(r.body)-1)
		r.add('\n', at, at+1)
	}
}

// show reads a segment of the text. Unless the segment is raw, a backslash before punctuation
// is not visible, and an entity is one character.
func (r *reader) show(segment text.Segment, raw bool) {
	if r.unshown > 0 {
		return
	}
	if raw || !strings.ContainsAny(r.body[segment.Start:segment.Stop], `\&`) {
		r.addText(r.body, segment.Start, segment.Stop)
		return
	}
	plain := segment.Start
	for i := segment.Start; i < segment.Stop; i++ {
		switch r.body[i] {
		case '\\':
			if i+1 < segment.Stop && util.IsPunct(r.body[i+1]) {
				r.addText(r.body, plain, i)
				r.add(rune(r.body[i+1]), i+1, i+2)
				i++
				plain = i + 1
			}
		case '&':
			if end := r.entity(plain, i, segment.Stop); end > 0 {
				i, plain = end-1, end
			}
		}
	}
	r.addText(r.body, plain, segment.Stop)
}

// maxEntity is the length of the longest entity, &CounterClockwiseContourIntegral;.
const maxEntity = 33

// entity reads the plain text up to i and the entity at i, and returns the end of the entity.
// It returns 0 and reads nothing if there is no entity at i.
func (r *reader) entity(plain, i, stop int) int {
	length := strings.IndexByte(r.body[i:min(stop, i+maxEntity)], ';')
	if length < 2 {
		return 0
	}
	end := i + length + 1
	if strings.ContainsFunc(strings.TrimPrefix(r.body[i+1:end-1], "#"), func(c rune) bool { return !isASCIIWord(c) }) {
		return 0
	}
	decoded := html.UnescapeString(r.body[i:end])
	if decoded == r.body[i:end] || strings.HasSuffix(decoded, ";") && decoded != ";" {
		return 0 // no entity, or only a prefix of the name is an entity (&ampx;)
	}
	r.addText(r.body, plain, i)
	for _, c := range decoded {
		r.add(c, i, end)
	}
	return end
}

// openLink begins the text of a link; closeLink ends it.
func (r *reader) openLink(target string) {
	r.span++
	r.inLink = true
	r.links = append(r.links, Link{URL: target, Source: -1, from: len(r.chars), note: r.footnote})
}

func (r *reader) closeLink(link int) {
	r.span++
	r.inLink = false
	r.links[link].to = len(r.chars)
}

// autoLink reads <https://…> and <name@host>. Addresses are not prose.
func (r *reader) autoLink(n *ast.AutoLink) {
	label := n.Label(r.source)
	start := n.Pos()
	if at := strings.Index(r.body[max(0, min(start, len(r.body))):], string(label)); at >= 0 {
		start += at
	}
	r.openLink(string(n.URL(r.source)))
	link := len(r.links) - 1
	from := len(r.chars)
	if r.unshown == 0 && start >= 0 && start+len(label) <= len(r.body) {
		r.addText(r.body, start, start+len(label))
	}
	r.exclude(from, len(r.chars))
	r.closeLink(link)
}
