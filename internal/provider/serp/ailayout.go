package serp

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
)

// layOut renames elements to what they look like: headings, code, formulas, paragraphs.
func layOut(shapes []*html.Node) {
	var formulas, codes []*html.Node
	for _, n := range shapes {
		switch {
		case n.DataAtom == atom.Div && markup.Attr(n, "role") == "heading":
			level := markup.Attr(n, "aria-level")
			if len(level) != 1 || level < "1" || level > "6" {
				level = "3"
			}
			rename(n, "h"+level)
		case n.DataAtom == atom.Pre && markup.Closest(n.Parent, codePart) != nil:
			codes = append(codes, n)
		case markup.HasAttr(n, formulaText) && markup.Closest(n.Parent, formulaRoot) != nil:
			formulas = append(formulas, n)
		}
		if markup.HasAttr(n, dialogMark) { // hidden from screen readers by an open dialog, but visible
			markup.RemoveAttr(n, "aria-hidden")
		}
	}
	for _, written := range bounded(formulas) {
		replace(markup.Closest(written, formulaRoot), &html.Node{Type: html.TextNode, Data: markup.Attr(written, formulaText)})
	}
	for _, code := range bounded(codes) {
		freeCode(markup.Closest(code.Parent, codePart), code)
	}
	// A div in the opening sentence or in a table cell does not start a new line.
	for _, n := range shapes {
		if isInline(n) {
			rename(n, "span")
		}
	}
	for _, n := range shapes {
		if n.DataAtom == atom.Div && isParagraph(n) {
			rename(n, "p")
		}
	}
}

const (
	formulaRoot = "data-xpm-copy-root"
	formulaText = "data-xpm-latex"        // contains the source of a formula
	codePart    = "data-animation-atomic" // is on a block of code and on the bars around it
	dialogMark  = "ahbak"                 // is on elements behind an open dialog
)

// freeCode replaces a block with its code, and removes the bars above and below.
func freeCode(block, code *html.Node) {
	if block == nil || block.Parent == nil { // already removed with another block
		return
	}
	for bar := block.Parent.FirstChild; bar != nil; {
		next := bar.NextSibling
		if bar != block && markup.HasAttr(bar, codePart) {
			markup.Remove(bar)
		}
		bar = next
	}
	markup.Remove(code)
	replace(block, code)
}

// replace replaces a node with other if the node is on a page.
func replace(n, other *html.Node) {
	if n != nil && n.Parent != nil {
		n.Parent.InsertBefore(other, n)
		n.Parent.RemoveChild(n)
	}
}

// isInline reports whether a div is part of a line.
func isInline(n *html.Node) bool {
	if n.DataAtom != atom.Div {
		return false
	}
	if in := n.Parent; in != nil && (in.DataAtom == atom.Td || in.DataAtom == atom.Th) {
		return true
	}
	return strings.Contains(markup.Attr(n, "data-subtree"), "aimfl")
}

func rename(n *html.Node, name string) { n.Data, n.DataAtom = name, atom.Lookup([]byte(name)) }

// isParagraph reports whether an element has text of its own.
func isParagraph(n *html.Node) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
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
