package websearch

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// entry is a thing that was found, at its place on the page.
type entry struct {
	kind earshot.BlockType
	at   int // how many elements the walk had come to before
	// The heading of a carousel and of what nobody understood; entries of one kind
	// with different titles are different blocks.
	title string
}

// maxEntries and maxTitle bound what a crafted page can put into its layout.
const (
	maxEntries = 2000
	maxTitle   = 120 // characters of a heading
)

// note notes a thing that the walk has come to. What stands beside the results is
// one block, the panel.
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

// cutTitle is a heading as far as it is shown.
func cutTitle(title string) string {
	if runes := []rune(title); len(runes) > maxTitle {
		return string(runes[:maxTitle])
	}
	return title
}

// layout makes blocks of the entries, in the page's order: neighbours of one kind
// are one block.
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

// part is a part of the page that may be a block: one of the list of results, or
// what stands under a heading.
type part struct {
	node  *html.Node
	at    int
	title string
}

// maxParts is how many such parts are looked at; real pages have up to 100.
const maxParts = 300

// begin notes that a part begins.
func (r *reader) begin(n *html.Node, title string) {
	if len(r.parts) < maxParts {
		r.parts = append(r.parts, part{node: n, at: r.at, title: title})
	}
}

// unread notes the parts in which nothing was read, and that lead somewhere. read
// says how much was read in a node.
func (r *reader) unread(read map[*html.Node]int) {
	var last *html.Node
	for _, p := range r.parts {
		block := p.node
		if p.title != "" { // what stands under a heading is in what holds it
			block = holder(p.node)
		}
		if block == nil || read[block] > 0 || last != nil && (contains(last, block) || contains(block, last)) || markup.Find(block, markup.IsLink) == nil {
			continue
		}
		last = block
		title := cmp.Or(p.title, headingIn(block))
		if title != "" && title == serp.Line(r.names[panelTitle]) {
			continue // the panel of a page that as a whole is about a thing
		}
		r.found.unread = append(r.found.unread, cutTitle(title))
		r.noteAt(earshot.BlockUnknown, p.at, title)
	}
}

// holder is the smallest element around a heading that has links besides it.
func holder(heading *html.Node) *html.Node {
	n := heading
	for range 6 {
		if n = n.Parent; n == nil || landmarks[markup.Attr(n, "id")] {
			return nil
		}
		if markup.Find(n, func(n *html.Node) bool { return n == heading || markup.IsLink(n) && !contains(n, heading) }) != heading {
			return n
		}
		outside := func(n *html.Node) bool { return markup.IsLink(n) && !contains(n, heading) && !contains(heading, n) }
		if markup.Find(n, outside) != nil {
			return n
		}
	}
	return nil
}

// headingIn is the first heading in the node, "" where there is none.
func headingIn(n *html.Node) string {
	return serp.Line(markup.Find(n, func(n *html.Node) bool { return isHeading(n, marksOf(n)) }))
}
