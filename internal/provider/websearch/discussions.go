package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/search"
)

// discussion reads a thread in a forum: the engine marks it so, or its title is a
// link by its role, in a section with a heading, and shows a forum in the place of
// an address. Anything else with such a title is left out.
func (r *reader) discussion(t title, name, link, redirect string) {
	byRole := search.Find(t.heading, func(n *html.Node) bool { return search.Attr(n, "role") == "link" })
	if t.click != search.ClickThread && (t.section == "" || byRole == nil) {
		return
	}
	r.found.discussions = append(r.found.discussions, earshot.Discussion{
		Title:        name,
		Link:         link,
		Date:         lastSegment(t),
		RedirectLink: redirect,
	})
}

// lastSegment is what stands last below the title, which is when somebody wrote,
// if it has a number.
func lastSegment(t title) string {
	lines := search.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading })
	segments := strings.Split(strings.Join(lines, " "), "·")
	last := strings.TrimSpace(segments[len(segments)-1])
	if !search.MayBeDate(last) || len(segments) < 2 {
		return ""
	}
	return last
}
