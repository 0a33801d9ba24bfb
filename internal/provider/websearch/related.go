package websearch

import (
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/search"
)

// readRelated reads a proposal of another search, if the link is one: it leads to
// the engine's results and shows what for. Pictures in a carousel show nothing.
func (r *reader) readRelated(n *html.Node) bool {
	link, _, ok := r.links.SearchFor(search.Attr(n, "href"))
	shown := search.Line(n)
	if !ok || shown == "" || search.Attr(n, "role") == "button" {
		return false
	}
	r.found.related = append(r.found.related, earshot.RelatedSearch{Query: shown, Link: link})
	return true
}
