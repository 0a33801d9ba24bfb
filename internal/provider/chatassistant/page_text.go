package chatassistant

import (
	"cmp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// message gives a message's text and, where it is wanted, Markdown, and notes
// what they cite. It changes the page: chips become ordinary links or marks, and
// widgets go.
func (r *pageReader) message(message *html.Node) (text, markdown string, err error) {
	body := bodyOf(message)
	if err := answer.CheckSize(body); err != nil {
		return "", "", err
	}
	var b bodyParts
	b.walk(body, false, false)
	for _, chip := range b.chips {
		citations := r.citations(chip.node)
		r.sources.Chip(citations)
		chip.showLinks(citations)
	}
	for _, widget := range b.widgets {
		widget.Parent.RemoveChild(widget)
	}
	for _, a := range b.links {
		if link, ok := r.destination(a, "href"); ok {
			r.sources.Add(earshot.Source{URL: link, Label: textOf(a)})
		}
	}
	if r.want.Markdown {
		// A copy, since writing Markdown changes it.
		copied := goquery.NewDocumentFromNode(body).Clone().Nodes[0]
		if markdown, err = answer.Markdown(copied); err != nil {
			return "", "", upstream.Fail(earshot.ReasonUnreadable, "%w", err)
		}
	}
	for _, chip := range b.chips {
		if chip.read {
			chip.setContent(newText(answer.Mark))
		}
	}
	return answer.PlainText(body), markdown, nil
}

// bodyOf is the part of the message that is its text.
func bodyOf(message *html.Node) *html.Node {
	for n := range message.Descendants() {
		if n.Type == html.ElementNode && hasClass(n, bodyClass) {
			return n
		}
	}
	return message
}

// bodyParts are what is in a body besides text.
type bodyParts struct {
	chips   []chip
	widgets []*html.Node
	links   []*html.Node // but those of chips and widgets
}

// chip is an element that shows what the text before it cites.
type chip struct {
	node *html.Node
	read bool // it is part of the text rather than of a widget
}

func (b *bodyParts) walk(n *html.Node, inChip, inWidget bool) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		chipped, widget := inChip, inWidget
		switch id := attribute(child, idAttribute); {
		case isChip(id):
			b.chips = append(b.chips, chip{node: child, read: !inChip && !inWidget})
			chipped = true
		case inChip:
		case isWidget(child, id):
			b.widgets = append(b.widgets, child)
			widget = true
		case !inWidget && child.DataAtom == atom.A && hasAttribute(child, "href"):
			b.links = append(b.links, child)
		}
		b.walk(child, chipped, widget)
	}
}

// showLinks makes the chip show its sources as links in parentheses.
func (c chip) showLinks(citations []answer.Citation) {
	var content []*html.Node
	before := "("
	for _, citation := range citations {
		link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: citation.Source.URL}}}
		link.AppendChild(newText(cmp.Or(citation.Label, answer.Domain(citation.Source.URL))))
		content = append(content, newText(before), link)
		before = ", "
	}
	if len(content) > 0 {
		content = append(content, newText(")"))
	}
	c.setContent(content...)
}

// setContent leaves nothing of the chip but its place in the text.
func (c chip) setContent(content ...*html.Node) {
	for c.node.FirstChild != nil {
		c.node.RemoveChild(c.node.FirstChild)
	}
	c.node.Data, c.node.DataAtom, c.node.Namespace, c.node.Attr = chipElement, 0, "", nil
	for _, n := range content {
		c.node.AppendChild(n)
	}
}

// chipElement is the name of what chips become. HTML does not have it, so it
// means nothing to those who write text and Markdown.
const chipElement = "earshot-chip"

func newText(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

// citations are the sources of one chip: its links, each with the name that it
// shows. A chip that turns over shows several names in one link; the first
// stands for it.
func (r *pageReader) citations(chip *html.Node) []answer.Citation {
	var citations []answer.Citation
	for a := range inside(chip, atom.A) {
		if link, ok := r.destination(a, "href"); ok {
			citations = append(citations, answer.Citation{
				Source: earshot.Source{URL: link},
				Label:  chipLabel(a),
			})
		}
	}
	return citations
}

// chipLabel is the first text in a chip's link that is not a count of further
// sources.
func chipLabel(link *html.Node) string {
	for node := range link.Descendants() {
		if node.Type != html.TextNode {
			continue
		}
		if text := answer.Line(node.Data); text != "" && !strings.HasPrefix(text, "+") {
			return text
		}
	}
	return ""
}
