package websearch

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"

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
		if r.want.explain != nil {
			r.noteRule(kind, at, title)
		}
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

// unread records the parts that contain links but from which nothing was read. read counts how much
// was read in each node.
func (r *reader) unread(read map[*html.Node]int) {
	var last *html.Node
	for _, p := range r.parts {
		block := p.node
		if p.title != "" { // the section of a heading is one of the heading's ancestors
			block = holder(p.node)
		}
		if block == nil || read[block] > 0 || last != nil && (markup.Contains(last, block) || markup.Contains(block, last)) || markup.Find(block, markup.IsLink) == nil {
			continue
		}
		last = block
		title := cmp.Or(p.title, headingIn(block))
		if title != "" && title == serp.Line(r.names[panelTitle]) {
			continue // the panel of a page about one entity
		}
		r.found.unread = append(r.found.unread, cutTitle(title))
		r.noteAt(earshot.BlockUnknown, p.at, title)
	}
}

// holder returns the smallest element around a heading that also contains links outside the
// heading, or nil.
func holder(heading *html.Node) *html.Node {
	n := heading
	for range 6 {
		if n = n.Parent; n == nil || landmarks[markup.Attr(n, "id")] {
			return nil
		}
		outside := func(n *html.Node) bool {
			return markup.IsLink(n) && !markup.Contains(n, heading) && !markup.Contains(heading, n)
		}
		if markup.Find(n, outside) != nil {
			return n
		}
	}
	return nil
}

// headingIn returns the text of the first heading in the node, or "".
func headingIn(n *html.Node) string {
	return serp.Line(markup.Find(n, func(n *html.Node) bool { return isHeading(n, marksOf(n)) }))
}
