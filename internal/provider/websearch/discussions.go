package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/serp"
)

// discussion reads a thread in a forum: the engine marks it so, or its title is a
// link by its role, in a section with a heading, and shows a forum in the place of
// an address. Anything else with such a title is left out.
func (r *reader) discussion(t title, name, link, redirect string) {
	byRole := serp.Find(t.heading, func(n *html.Node) bool { return serp.Attr(n, "role") == "link" })
	if t.click != serp.ClickThread && (t.section == "" || byRole == nil) {
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
	lines := serp.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading })
	segments := strings.Split(strings.Join(lines, " "), "·")
	last := strings.TrimSpace(segments[len(segments)-1])
	if !serp.MayBeDate(last) || len(segments) < 2 {
		return ""
	}
	return last
}
