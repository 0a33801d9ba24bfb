package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/serp"
)

// readRelated reads a proposal of another search onto the list, if the link is
// one: it leads to the engine's results and shows what for. Pictures in a carousel
// show nothing.
func (r *reader) readRelated(n *html.Node, list *[]earshot.RelatedSearch) bool {
	link, _, ok := r.links.SearchFor(serp.Attr(n, "href"))
	shown := serp.Line(n)
	if !ok || shown == "" || serp.Attr(n, "role") == "button" {
		return false
	}
	*list = append(*list, earshot.RelatedSearch{Query: shown, Link: link})
	return true
}

// readNavigation reads the related searches in what else only leads around on the
// engine's site.
func (r *reader) readNavigation(n *html.Node) {
	for _, link := range serp.FindAll(n, serp.IsLink) {
		if serp.ClickOf(link) == serp.ClickRelated {
			r.readRelated(link, &r.found.related)
		}
	}
}

// readEcho reads a link to a search that shows just what is searched for. One that
// names a thing besides belongs to a panel.
func (r *reader) readEcho(n *html.Node) bool {
	link, text, ok := r.links.SearchFor(serp.Attr(n, "href"))
	return ok && len(r.echoes) < maxTitles && !strings.Contains(link, "stick=") &&
		strings.EqualFold(text, serp.Line(n)) && r.readRelated(n, &r.echoes)
}

// minEchoes is how many links must show what they search for to be taken for
// related searches.
const minEchoes = 4

// related takes other links to searches for related ones where the engine marks
// none as such: what stands below the results, or, on a page without any marks,
// what shows what it searches for.
func (r *reader) related() {
	switch {
	case len(r.found.related) > 0:
	case len(r.proposals) > 0:
		r.found.related = r.proposals
	case !r.coded && len(r.echoes) >= minEchoes:
		r.found.related = r.echoes
	}
}
