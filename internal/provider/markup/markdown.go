package markup

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// Markdown returns the node as Markdown, cleaned by webtext.Clean. Links that do not lead to a web
// or mail address become plain text, and elements that PlainText leaves out are missing. Markdown
// modifies the node.
func Markdown(root *html.Node) string {
	prune(root, false)
	var w markdownWriter
	w.node(root)
	return webtext.Clean(string(w.out))
}

// prune prepares the node for markdownWriter. It removes unread elements and unsafe link targets,
// reduces code blocks and formulas to their text, and escapes text outside code. Spans that contain
// blocks become divs. prune reports whether the node is or contains a block.
func prune(n *html.Node, code bool) (hasBlock bool) {
	switch n.DataAtom {
	case atom.A:
		keepLink(n, "href")
	case atom.Img:
		keepLink(n, "src")
	case atom.Pre:
		code := codeIn(n)
		ReplaceChildren(n, &html.Node{Type: html.ElementNode, Data: "code", DataAtom: atom.Code, Attr: code.Attr}, Text(code))
		return true
	case atom.Math:
		ReplaceChildren(n, nil, mdtext.Escape(formula(n)))
		return false
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
			hasBlock = prune(child, code) || hasBlock
		}
		child = next
	}
	joinText(n)
	if hasBlock && n.DataAtom == atom.Span {
		n.Data, n.DataAtom = "div", atom.Div
	}
	return hasBlock || isBlock(n)
}

// joinText joins adjacent text nodes.
func joinText(n *html.Node) {
	for first := n.FirstChild; first != nil; first = first.NextSibling {
		if first.Type != html.TextNode {
			continue
		}
		all := []string{first.Data}
		for next := first.NextSibling; next != nil && next.Type == html.TextNode; next = first.NextSibling {
			all = append(all, next.Data)
			n.RemoveChild(next)
		}
		first.Data = strings.Join(all, "")
	}
}

// escapeNode returns the text of a node, escaped for Markdown. The first node of an element may
// begin a line, so a list or heading mark at its beginning is escaped as well.
func escapeNode(n *html.Node) string {
	text := mdtext.Escape(n.Data)
	found := lineMark.FindString(text)
	if found == "" || n.PrevSibling != nil {
		return text
	}
	sign := len(found) - len("- ")
	return text[:sign] + `\` + text[sign:]
}

// lineMark matches a mark that would turn a line of text into a list item or a heading, with the
// white space after it. markdownWriter escapes the mark of a quote.
var lineMark = regexp.MustCompile(`^[ \t\r\n\f]*(?:[0-9]{1,9}[.)]|[#+-])[ \t\r\n\f]`)

// ReplaceChildren replaces the content of n with the text, wrapped in inner if inner is not nil.
func ReplaceChildren(n, inner *html.Node, text string) {
	Empty(n)
	content := &html.Node{Type: html.TextNode, Data: text}
	if inner != nil {
		inner.AppendChild(content)
		content = inner
	}
	n.AppendChild(content)
}

// keepLink removes the attribute unless its link is safe.
func keepLink(n *html.Node, key string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key && !mdtext.IsSafe(a.Val) })
}

// target returns the address of a link for use in Markdown, with the characters escaped that would
// end it.
func target(link string) string {
	link = strings.TrimSpace(link)
	if link == "#" || link == "" {
		return link
	}
	link = strings.ReplaceAll(strings.ReplaceAll(link, "\n", "%0A"), "\t", "%09")
	if u, err := url.Parse(link); err == nil && u.Scheme != "data" {
		u.RawQuery = escapeQuery(u.RawQuery)
		link = u.String()
	}
	return linkEnds.Replace(link)
}

// linkEnds escapes the characters that are not allowed in the address of a Markdown link.
var linkEnds = strings.NewReplacer(" ", "%20", "[", "%5B", "]", "%5D", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E")

// escapeQuery normalises the escaping of the names and values of a query.
func escapeQuery(query string) string {
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		name, value, hasValue := strings.Cut(parameter, "=")
		parameters[i] = escapeAgain(name)
		if hasValue {
			parameters[i] += "=" + escapeAgain(value)
		}
	}
	return strings.Join(parameters, "&")
}

func escapeAgain(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		text = url.QueryEscape(plain)
	}
	return strings.ReplaceAll(text, "+", "%20")
}
