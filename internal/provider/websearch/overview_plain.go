package websearch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// clickOverviewSource is the kind of click on a source of an overview in the layout without
// scripts.
const clickOverviewSource serp.Click = 173184

// readPlainOverview reads an overview of the layout without scripts (2026). It is a card with a
// heading, the text, and a warning that the text may be wrong. A part that unfolds below the text
// has more text and the sources.
func (r *reader) readPlainOverview(n *html.Node) {
	if !r.want.overview || r.found.SearchOverview != nil {
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
		// A block with an id and without anything to unfold is the text for a missing overview.
		if child.Type == html.ElementNode && markup.HasAttr(child, "id") && markup.Find(child, isOpener) == nil {
			continue
		}
		overview.AppendChild(child)
	}
	var controls []*html.Node
	for n := range overview.Descendants() {
		switch {
		case n.Type == html.TextNode:
			n.Data = strings.ReplaceAll(n.Data, `\$`, "$") // dollar signs are escaped because of formulas
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

// isControl reports whether the element is a control without text of the overview.
func isControl(n *html.Node) bool {
	return markup.Attr(n, "role") == "button" || markup.HasAttr(n, "tabindex") && !markup.IsLink(n)
}

// middle returns the block of a card that contains its text: the block with a part to unfold, or
// the longest one.
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

// elements returns the visible child elements.
func elements(n *html.Node) []*html.Node {
	var found []*html.Node
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode && !markup.Unseen(child) {
			found = append(found, child)
		}
	}
	return found
}

// listSource changes the element around a link to an item in the list of sources as other layouts
// have it: a title before an empty snippet.
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
