package websearch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// clickOverviewSource is the kind of click on a source of an overview where there
// are no scripts.
const clickOverviewSource serp.Click = 173184

// readPlainOverview reads an overview of the layout without scripts (2026): a card
// with a heading, the text, and a note that it may be wrong. What unfolds below
// the text has the rest of it and the sources.
func (r *reader) readPlainOverview(n *html.Node) {
	if !r.want.overview || r.found.overview != nil {
		return
	}
	r.stored.Fill(n)
	text := middle(n)
	if text == nil {
		return
	}
	overview := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	for child := text.FirstChild; child != nil; child = text.FirstChild {
		text.RemoveChild(child)
		// A block with an id that unfolds nothing says that there is no overview,
		// until there is one.
		if child.Type == html.ElementNode && markup.HasAttr(child, "id") && markup.Find(child, isOpener) == nil {
			continue
		}
		overview.AppendChild(child)
	}
	var controls []*html.Node
	for n := range overview.Descendants() {
		switch {
		case n.Type == html.TextNode:
			n.Data = strings.ReplaceAll(n.Data, `\$`, "$") // as in formulas
		case isControl(n):
			controls = append(controls, n)
		case markup.IsLink(n) && serp.ClickOf(n) == clickOverviewSource:
			listSource(n)
		}
	}
	for _, control := range controls {
		control.Parent.RemoveChild(control)
	}
	r.readOverview(overview)
}

// isControl tells whether the element is there to be used, not to be read.
func isControl(n *html.Node) bool {
	return markup.Attr(n, "role") == "button" || markup.HasAttr(n, "tabindex") && !markup.IsLink(n)
}

// middle is the block of a card that has its text: the one that unfolds, or the
// longest.
func middle(card *html.Node) *html.Node {
	blocks := elements(card)
	for len(blocks) == 1 {
		blocks = elements(blocks[0])
	}
	var found *html.Node
	length := 0
	for _, block := range blocks {
		if markup.Find(block, isOpener) != nil {
			return block
		}
		if size := len(serp.Line(block)); size > length {
			found, length = block, size
		}
	}
	return found
}

// elements are the elements that the node holds.
func elements(n *html.Node) []*html.Node {
	var found []*html.Node
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode && !markup.Unseen(child) {
			found = append(found, child)
		}
	}
	return found
}

// listSource makes what holds a link into an item on the list of sources, as
// other layouts have it: with its title before an empty description.
func listSource(link *html.Node) {
	item, lines := link.Parent, serp.Lines(link)
	if item == nil || len(lines) == 0 {
		return
	}
	item.Attr = append(item.Attr, html.Attribute{Key: "data-src-id"})
	title := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	title.AppendChild(&html.Node{Type: html.TextNode, Data: lines[0]})
	item.AppendChild(title)
	item.AppendChild(&html.Node{Type: html.ElementNode, Data: "span", DataAtom: atom.Span})
}
