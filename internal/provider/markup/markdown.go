package markup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// Markdown writes the node as Markdown. Links stay where they lead to a web or
// mail address, and become plain text elsewhere; what PlainText would not show
// is left out. It changes the node. The result is Clean.
func Markdown(root *html.Node) (string, error) {
	prune(root, false)
	text, err := toMarkdown.ConvertNode(root)
	if err != nil {
		return "", fmt.Errorf("convert to Markdown: %w", err)
	}
	return webtext.Clean(string(text)), nil
}

// toMarkdown is made once, since making it costs more than a short answer. It is
// safe for concurrent use. The library's own escaping takes quadratic time over
// brackets, so prune has escaped the text.
var toMarkdown = converter.NewConverter(
	converter.WithEscapeMode(converter.EscapeModeDisabled),
	converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithListEndComment(false),
			commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
		),
		table.NewTablePlugin(),
		strikethrough.NewStrikethroughPlugin(),
	),
)

// prune takes out what is not read and the target of every link that a reader
// must not follow, reduces code blocks and formulas to their text, and escapes
// text for Markdown unless it is code.
func prune(n *html.Node, code bool) {
	switch n.DataAtom {
	case atom.A:
		keepLink(n, "href")
	case atom.Img:
		keepLink(n, "src")
	case atom.Td, atom.Th:
		n.Attr = nil // a span of a thousand cells would be written out
	case atom.Pre:
		code := codeIn(n)
		ReplaceChildren(n, &html.Node{Type: html.ElementNode, Data: "code", DataAtom: atom.Code, Attr: code.Attr}, Text(code))
		return
	case atom.Math:
		ReplaceChildren(n, nil, mdtext.Escape(formula(n)))
		return
	case atom.Code:
		code = true
	default:
	}
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.CommentNode, child.Type == html.ElementNode && child.DataAtom != atom.Img && unread(child):
			n.RemoveChild(child)
		case child.Type == html.TextNode:
			if !code {
				child.Data = escapeNode(child)
			}
		default:
			prune(child, code)
		}
		child = next
	}
}

// lineStart is what makes a line something else than text by standing first.
var lineStart = regexp.MustCompile(`^(\s*)([#>+-]|[0-9]{1,9}[.)])(\s)`)

// escapeNode is the text of a node, escaped for Markdown.
func escapeNode(n *html.Node) string {
	text := mdtext.Escape(n.Data)
	start := strings.TrimLeft(text, " \t\r\n\f")
	if n.PrevSibling != nil || start == "" || start[0] > '>' {
		return text // letters begin nothing else
	}
	return lineStart.ReplaceAllStringFunc(text, func(start string) string {
		mark := strings.TrimSpace(start)
		at := strings.Index(start, mark) + len(mark) - 1
		return start[:at] + `\` + start[at:]
	})
}

// ReplaceChildren leaves text as the only content of n, within inner if that is
// not nil.
func ReplaceChildren(n, inner *html.Node, text string) {
	Empty(n)
	content := &html.Node{Type: html.TextNode, Data: text}
	if inner != nil {
		inner.AppendChild(content)
		content = inner
	}
	n.AppendChild(content)
}

// keepLink removes the attribute unless a reader may follow it.
func keepLink(n *html.Node, key string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key && !mdtext.IsSafe(a.Val) })
}
