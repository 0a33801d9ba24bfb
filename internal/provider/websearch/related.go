package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// readRelated appends a link to another search to the list if the link shows text. Images in a
// carousel show none. at is the position, or 0 if the link is part of another block.
func (r *reader) readRelated(n *html.Node, list *[]placed[earshot.RelatedSearch], at int) bool {
	link, _, ok := r.links.SearchFor(markup.Attr(n, "href"))
	shown := serp.Line(n)
	if !ok || shown == "" || markup.Attr(n, "role") == "button" {
		return false
	}
	*list = append(*list, placed[earshot.RelatedSearch]{earshot.RelatedSearch{Query: shown, Link: link}, at})
	r.claim(n, list != &r.echoes)
	return true
}

// readNavigation reads the related searches, chips and entities in an element that otherwise only
// navigates within the engine's site. The heading of a row is the element before it.
func (r *reader) readNavigation(n *html.Node) {
	isRow := func(n *html.Node) bool { return n.Data == "g-scrolling-carousel" }
	for _, n := range markup.FindAll(n, func(n *html.Node) bool { return markup.IsLink(n) || isRow(n) }) {
		switch click := serp.ClickOf(n); {
		case isRow(n):
			r.lists++
			r.listTitle = serp.Line(markup.PreviousElement(n))
			r.readNavigation(n)
			r.lists++
			r.listTitle = ""
		case click == serp.ClickRelated:
			r.readRelated(n, &r.marked, r.at)
		case isRefinement(click):
			r.readRefinement(n)
		case markup.HasAttr(n, galleryName):
			r.readThing(n, n)
		}
	}
}

// readEcho reads a link to a search whose text is its query. A link with the id of an entity
// belongs to a panel.
func (r *reader) readEcho(n *html.Node) bool {
	link, text, ok := r.links.SearchFor(markup.Attr(n, "href"))
	return ok && len(r.echoes) < maxTitles && !strings.Contains(link, "stick=") &&
		strings.EqualFold(text, serp.Line(n)) && r.readRelated(n, &r.echoes, r.at)
}

// minEchoes is the minimum number of links with their query as text that are read as related
// searches.
const minEchoes = 4

// related adds the related searches. If the page marks none, these are the searches below the
// results, or the links with their query as text on a page without kinds of clicks.
func (r *reader) related() {
	found := r.marked
	switch {
	case len(found) > 0:
	case len(r.proposals) > 0:
		found = r.proposals
	case !r.coded && len(r.echoes) >= minEchoes:
		found = r.echoes
	}
	for _, search := range found {
		r.found.RelatedSearches = append(r.found.RelatedSearches, search.thing)
		if search.at > 0 {
			r.noteAt(earshot.BlockRelated, search.at, "")
		}
	}
}

// discussion reads a thread in a forum. The thread has its own kind of click, or its title is a
// link by its role in a section with a heading.
func (r *reader) discussion(t title, name, link, redirect string) bool {
	byRole := markup.Find(t.heading, func(n *html.Node) bool { return markup.Attr(n, "role") == "link" })
	if t.click != serp.ClickThread && (t.section == "" || byRole == nil) {
		return false
	}
	r.found.Discussions = append(r.found.Discussions, earshot.Discussion{
		Title:        name,
		Link:         link,
		Date:         lastSegment(t),
		RedirectLink: redirect,
	})
	r.noteAt(earshot.BlockDiscussions, t.at, "")
	return true
}

// lastSegment returns the last segment of the text below the title if it can be a date.
func lastSegment(t title) string {
	lines := serp.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading })
	segments := strings.Split(strings.Join(lines, " "), "·")
	last := strings.TrimSpace(segments[len(segments)-1])
	if !serp.MayBeDate(last) || len(segments) < 2 {
		return ""
	}
	return last
}
