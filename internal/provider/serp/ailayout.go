package serp

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// layOut makes elements into what they look like.
func layOut(turn *goquery.Selection) {
	// An open dialog hides what is behind it from screen readers, not from eyes.
	turn.Find(`[ahbak]`).RemoveAttr("aria-hidden")
	for _, heading := range turn.Find(`div[role="heading"]`).EachIter() {
		level := heading.AttrOr("aria-level", "")
		if len(level) != 1 || level < "1" || level > "6" {
			level = "3"
		}
		rename(heading.Nodes[0], "h"+level)
	}
	for _, written := range bounded(turn.Find(`[data-xpm-copy-root] [data-xpm-latex]`)).EachIter() {
		text := &html.Node{Type: html.TextNode, Data: written.AttrOr("data-xpm-latex", "")}
		written.Closest(`[data-xpm-copy-root]`).ReplaceWithNodes(text)
	}
	// A block of code has bars above and below it.
	for _, code := range bounded(turn.Find(`[data-animation-atomic] pre`)).EachIter() {
		block := code.Closest(`[data-animation-atomic]`)
		block.SiblingsFiltered(`[data-animation-atomic]`).Remove()
		block.ReplaceWithSelection(code)
	}
	// What the answer opens with is set apart for the eye only, and a cell is one
	// line of text.
	for _, inline := range turn.Find(`div[data-subtree*="aimfl"], td > div, th > div`).EachIter() {
		rename(inline.Nodes[0], "span")
	}
	for _, division := range turn.Find(`div`).EachIter() {
		if isParagraph(division.Nodes[0]) {
			rename(division.Nodes[0], "p")
		}
	}
}

func rename(n *html.Node, name string) { n.Data, n.DataAtom = name, atom.Lookup([]byte(name)) }

// isParagraph tells whether a division has text of its own.
func isParagraph(n *html.Node) bool {
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) != "":
			return true
		case child.DataAtom == atom.Span, child.DataAtom == atom.Strong, child.DataAtom == atom.Em,
			child.DataAtom == atom.B, child.DataAtom == atom.I, child.DataAtom == atom.Mark:
			return true
		}
	}
	return false
}
