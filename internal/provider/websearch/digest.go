package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// digestName is the prefix of the names of the featured results of a panel: pages, videos, posts and
// news about the entity, next to images and facts.
const digestName = "VisualDigest"

// isDigest reports whether the name belongs to a featured result of a panel. Images are part of the
// panel itself.
func isDigest(name string) bool {
	kind, found := strings.CutPrefix(name, digestName)
	return found && strings.HasSuffix(kind, "Result") && !strings.Contains(kind, "Image")
}

// readDigest reads a featured result of a panel. All of them form one carousel, which is part of the
// panel in the layout.
func (r *reader) readDigest(n *html.Node) bool {
	link := n
	if !r.leadsAway(n) {
		link = markup.Find(n, r.leadsAway)
	}
	if link == nil {
		return false
	}
	var lines []string
	for _, line := range serp.Lines(n) {
		if hasWords(line) && !duration.MatchString(line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return false
	}
	item := earshot.CarouselItem{ImageURL: r.pictures.Of(n)}
	item.Link, item.RedirectLink, _ = r.links.Read(markup.Attr(link, "href"))
	item.Title, item.Subtitle = digestTitle(lines)
	if r.digest == 0 {
		r.rows = append(r.rows, placed[earshot.Carousel]{earshot.Carousel{Title: cutTitle(serp.Line(r.names[panelTitle]))}, r.at})
		r.digest = len(r.rows)
	}
	list := &r.rows[r.digest-1].thing
	if len(list.Items) < maxItems {
		list.Items = append(list.Items, item)
	}
	return true
}

// digestTitle returns the title of a featured result and its other text: the site before the title,
// and a description. A date can be between the site and the title.
func digestTitle(lines []string) (title, rest string) {
	at := min(1, len(lines)-1)
	if at+1 < len(lines) && serp.MayBeDate(lines[at]) && inYear.MatchString(lines[at]) {
		at++
	}
	others := append(append([]string{}, lines[:at]...), lines[at+1:]...)
	return lines[at], strings.Join(others, " · ")
}
