package websearch

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/search"
)

// title is a link that has a title: a result, or a thread in a forum.
type title struct {
	link, heading *html.Node
	section       string // the heading that stood before it
}

// landmarks are the parts of the page that hold all results; no result is as
// large.
var landmarks = map[string]bool{"rso": true, "search": true, "res": true, "main": true, "center_col": true, "rcnt": true, "botstuff": true, "bres": true}

// results makes results of the links with titles, once the walk has found all
// of them and all other blocks.
func (r *reader) results() {
	within := map[*html.Node]int{} // how many blocks and titles there are in a node
	count := func(n *html.Node) {
		for p := n.Parent; p != nil; p = p.Parent {
			within[p]++
		}
	}
	for _, block := range r.blocks {
		count(block)
	}
	for _, t := range r.titles {
		count(t.link)
	}
	for _, t := range r.titles {
		whole := t.link
		for p := whole.Parent; p != nil && within[p] == 1 && !landmarks[search.Attr(p, "id")] && p.DataAtom != atom.Body; p = p.Parent {
			whole = p
		}
		r.result(t, whole)
	}
}

// result reads what belongs to one title: whole is the largest element that
// holds no other.
func (r *reader) result(t title, whole *html.Node) {
	link, redirect, ok := r.links.Read(search.Attr(t.link, "href"))
	name := search.Line(t.heading)
	if !ok || !r.links.Leads(link) || name == "" {
		return
	}
	shown := displayedLink(t)
	if t.heading.DataAtom != atom.H3 && !isAddress(shown) {
		r.discussion(t, name, link, redirect)
		return
	}
	found := earshot.OrganicResult{
		Title:         name,
		Link:          link,
		RedirectLink:  redirect,
		DisplayedLink: shown,
		Domain:        answer.Domain(link),
	}
	found.Snippet, found.Date = snippet(t, whole)
	found.Sitelinks = r.sitelinks(t, whole, link)
	r.found.organic = append(r.found.organic, found)
}

// displayedLink is the address as the result shows it.
func displayedLink(t title) string {
	shown := search.Find(t.link, func(n *html.Node) bool {
		return n.DataAtom == atom.Cite || search.Attr(n, "role") == "text"
	})
	if shown != nil {
		return search.Line(shown)
	}
	// Layouts without scripts mark it in no way: it is the last line.
	lines := search.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading })
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

var address = regexp.MustCompile(`://| › |^[\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}\b`)

// isAddress tells whether the text looks like that of a page.
func isAddress(text string) bool { return address.MatchString(text) }

// snippet is the text below the title, and the date that stands before it. Where
// the engine marks the parts of a result, it is the first with text that is no
// link; elsewhere it is the longest line.
func snippet(t title, whole *html.Node) (text, date string) {
	notText := func(n *html.Node) bool {
		return n == t.link || n.DataAtom == atom.Cite || n.DataAtom == atom.A || search.Attr(n, "role") == "button"
	}
	parts := search.FindAll(whole, func(n *html.Node) bool { return search.HasAttr(n, "data-sncf") })
	for _, part := range parts {
		if text := strings.Join(search.LinesBut(part, notText), " "); hasWords(text) {
			return splitDate(part, search.Line(part))
		}
	}
	if parts != nil {
		return "", ""
	}
	for _, line := range search.LinesBut(whole, notText) {
		if len(line) > len(text) {
			text = line
		}
	}
	return splitDate(whole, text)
}

// hasWords tells whether text is more than what stands between links.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// splitDate takes the date off the beginning of a snippet. It is an element of
// its own, has a digit, and a dash follows.
func splitDate(part *html.Node, text string) (rest, date string) {
	before, after, found := strings.Cut(text, " — ")
	if !found || !search.MayBeDate(before) {
		return text, ""
	}
	own := search.Find(part, func(n *html.Node) bool { return n.DataAtom == atom.Span && search.Line(n) == before })
	if own == nil {
		return text, ""
	}
	return after, before
}

// sitelinks are the other links of the result to the same site.
func (r *reader) sitelinks(t title, whole *html.Node, link string) []earshot.SearchSublink {
	var found []earshot.SearchSublink
	seen := map[string]bool{pageOf(link): true}
	for _, a := range search.FindAll(whole, func(n *html.Node) bool { return n == t.link || search.IsLink(n) }) {
		if a == t.link {
			continue
		}
		to, redirect, ok := r.links.Read(search.Attr(a, "href"))
		name := search.Line(a)
		if !ok || name == "" || answer.Domain(to) != answer.Domain(link) || seen[pageOf(to)] {
			continue
		}
		seen[pageOf(to)] = true
		found = append(found, earshot.SearchSublink{Title: name, Link: to, RedirectLink: redirect})
	}
	return found
}

// pageOf is the link without what points into the page.
func pageOf(link string) string {
	page, _, _ := strings.Cut(link, "#")
	return page
}
