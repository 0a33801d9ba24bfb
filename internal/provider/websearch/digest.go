package websearch

import (
	"slices"
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
	item.Title, item.Subtitle = digestTitle(markup.Attr(n, "data-attrid"), lines)
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

// digestTitle returns the title of a featured result and its other text. The site precedes the title
// of a page, and so can the date of a video. A post has no title; its longest line is its text.
func digestTitle(name string, lines []string) (title, rest string) {
	at := min(1, len(lines)-1)
	last := len(lines) - 1
	switch {
	case strings.Contains(name, "Social"):
		at = slices.Index(lines, longest(lines))
	case strings.Contains(name, "Video") && last > 1 && serp.MayBeDate(lines[1]) && (inYear.MatchString(lines[1]) || !serp.MayBeDate(lines[last])):
		at = 2
	}
	title = lines[at]
	return title, strings.Join(slices.Delete(lines, at, at+1), " · ")
}
