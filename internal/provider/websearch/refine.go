package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// Kinds of clicks on chips that refine the search.
const (
	clickChip   serp.Click = 153028 // below the search box
	clickFilter serp.Click = 102154 // below the search box, for products
	clickFacet  serp.Click = 153563 // next to the results, for products
	clickChoice serp.Click = 27955  // in a block such as "refine by brand"
)

func isRefinement(c serp.Click) bool {
	return c == clickChip || c == clickFilter || c == clickFacet || c == clickChoice
}

// readRefinement reads a chip that leads to a narrower search.
func (r *reader) readRefinement(n *html.Node) {
	link, _, ok := r.links.SearchFor(markup.Attr(n, "href"))
	if title := serp.Line(n); ok && title != "" && len(r.found.Refinements) < maxTitles {
		r.found.Refinements = append(r.found.Refinements, earshot.Refinement{Title: title, Link: link})
	}
}

// Parameters of links to searches in a notice about the spelling: one leads to the other spelling,
// one insists on the visitor's own spelling.
const (
	otherSpelling = "spell=1"
	ownSpelling   = "nfpr=1"
)

// readSpelling reads the link to a search with another spelling. The results are for that spelling
// already if the notice also has a link that insists on the visitor's own. If the visitor insisted
// before, all links do, and the notice only suggests.
func (r *reader) readSpelling(n *html.Node, address string) bool {
	link, query, ok := r.links.SearchFor(address)
	if !ok || query == "" || r.found.Spelling != nil {
		return false
	}
	found := earshot.Spelling{Query: query, Type: "suggested", Link: link}
	insists := func(n *html.Node) bool { return strings.Contains(markup.Attr(n, "href"), ownSpelling) }
	notice := n
	for range 2 {
		if notice.Parent != nil {
			notice = notice.Parent
		}
	}
	if !insists(n) && markup.Find(notice, insists) != nil {
		found.Type = "corrected"
	}
	r.found.Spelling = &found
	return true
}
