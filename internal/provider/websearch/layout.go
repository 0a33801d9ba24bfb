package websearch

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// entry is an item that was read, with its position on the page.
type entry struct {
	kind earshot.BlockType
	at   int // the index of the element in document order
	// The heading of a carousel or of a block that was not understood. Entries of one kind with
	// different titles are different blocks.
	title string
}

// Limits of the layout of a crafted page.
const (
	maxEntries = 2000
	maxTitle   = 120 // characters of a heading
)

// note adds an entry for the current element. Everything in the column next to the results is one
// block, the panel, except for ads.
func (r *reader) note(kind earshot.BlockType) {
	if !r.beside || kind == earshot.BlockAds || kind == earshot.BlockShoppingAds {
		r.noteAt(kind, r.at, "")
	}
}

func (r *reader) noteAt(kind earshot.BlockType, at int, title string) {
	if len(r.entries) < maxEntries {
		r.entries = append(r.entries, entry{kind: kind, at: at, title: cutTitle(title)})
	}
}

func cutTitle(title string) string { return cut(title, maxTitle) }

// layout returns the blocks of the page in document order. Adjacent entries of one kind form one
// block.
func (r *reader) layout() []earshot.LayoutBlock {
	slices.SortStableFunc(r.entries, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	var blocks []earshot.LayoutBlock
	for _, e := range r.entries {
		if last := len(blocks) - 1; last >= 0 && blocks[last].Type == e.kind && blocks[last].Title == e.title && e.kind != earshot.BlockUnknown {
			blocks[last].Count++
			continue
		}
		blocks = append(blocks, earshot.LayoutBlock{Type: e.kind, Count: 1, Title: e.title})
	}
	return blocks
}

// part is a part of the page that may be a block: an element in the list of results, or a section
// with a heading.
type part struct {
	node  *html.Node
	at    int
	title string
}

// maxParts is the maximum number of parts. Real pages have up to 100.
const maxParts = 300

// begin records that a part begins.
func (r *reader) begin(n *html.Node, title string) {
	if len(r.parts) < maxParts {
		r.parts = append(r.parts, part{node: n, at: r.at, title: title})
	}
}

// unread records the parts that have content but from which nothing was read.
func (r *reader) unread() {
	headings := map[*html.Node]int{} // the number of headings of sections in each node
	for _, p := range r.parts {
		for n := p.node; n != nil && p.title != ""; n = n.Parent {
			headings[n]++
		}
	}
	var last *html.Node
	for i, p := range r.parts {
		block := p.node
		if p.title != "" { // the section of a heading is the largest element around it without anything else
			for n := block.Parent; n != nil && r.read[n] == 0 && headings[n] == 1 && !landmarks[markup.Attr(n, "id")]; n = n.Parent {
				block = n
			}
		}
		switch {
		case r.read[block] > 0, last != nil && markup.Contains(last, block), !hasContent(block, p), r.isTitled(i):
			continue
		}
		last = block
		title := cmp.Or(p.title, shownHeadingIn(block))
		if lines := serp.LinesBut(block, isLandmarkHeading); title == "" && len(lines) > 0 {
			title = lines[0]
		}
		if r.isOfPanel(p, block, title) {
			continue
		}
		r.found.unread = append(r.found.unread, cutTitle(title))
		r.noteAt(earshot.BlockUnknown, p.at, title)
	}
}

// isOfPanel reports whether the part belongs to the panel: it is the column next to the results, or
// it has the title or the description of the panel.
func (r *reader) isOfPanel(p part, block *html.Node, title string) bool {
	about, description := r.found.KnowledgeGraph, r.names[panelDescription]
	return about != nil && (p.at > columnAt || title == about.Title || description != nil && markup.Contains(block, description))
}

// isTitled reports whether part i is the heading of the block that follows it. Results, ads and
// related searches have no such heading, or one without content.
func (r *reader) isTitled(i int) bool {
	if r.parts[i].title == "" {
		return false
	}
	from, to := r.parts[i].at, math.MaxInt
	if i+1 < len(r.parts) {
		to = r.parts[i+1].at
	}
	return slices.ContainsFunc(r.entries, func(e entry) bool {
		return e.at >= from && e.at < to && e.kind != earshot.BlockOrganic && e.kind != earshot.BlockAds && e.kind != earshot.BlockRelated
	})
}

// hasContent reports whether a part shows more than a heading and a control next to it. A part
// without a heading needs a link, or three lines of text if it is next to the results. A section
// needs an image, two links, or three lines of text; if its heading has no level, which is mostly a
// heading for screen readers, it needs an image.
func hasContent(block *html.Node, p part) bool {
	isLink := func(n *html.Node) bool {
		return n != p.node && markup.IsLink(n) && markup.Attr(n, "role") != "button" && !strings.HasPrefix(markup.Attr(n, "href"), "#")
	}
	if p.title == "" {
		return markup.Find(block, isLink) != nil || p.at > columnAt && len(serp.LinesBut(block, isLandmarkHeading)) > 2
	}
	isImage := func(n *html.Node) bool { return n.DataAtom == atom.Img }
	if markup.Find(block, isImage) != nil {
		return true
	}
	if !markup.HasAttr(p.node, "aria-level") {
		return false
	}
	notHeading := func(n *html.Node) bool { return n == p.node }
	return len(markup.FindAll(block, isLink)) > 1 || len(serp.LinesBut(block, notHeading)) > 2
}

// headingIn returns the text of the first heading in the node, or "".
func headingIn(n *html.Node) string {
	return serp.Line(markup.Find(n, func(n *html.Node) bool { return isHeading(n, marksOf(n)) }))
}

// shownHeadingIn is headingIn without headings for screen readers: headings of landmarks, and headings cut
// to one pixel.
func shownHeadingIn(n *html.Node) string {
	return serp.Line(markup.Find(n, func(n *html.Node) bool {
		return isHeading(n, marksOf(n)) && !isLandmarkHeading(n) && !strings.Contains(markup.Attr(n, "style"), "clip:rect(1px")
	}))
}

// isLandmarkHeading reports whether the element is the heading of the column next to the results.
func isLandmarkHeading(n *html.Node) bool {
	return n.DataAtom == atom.H2 && markup.Attr(n.Parent, "role") == "complementary"
}
