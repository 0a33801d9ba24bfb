package websearch

import (
	"cmp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Kinds of clicks on images in a block of images.
const (
	clickImage    serp.Click = 244
	clickSubImage serp.Click = 3837 // on a page about one entity
)

// isImage reports whether the element is an image in a block of images.
func isImage(m marks, at area) bool {
	return !at.side && !at.sealed && (m.click == clickImage || m.click == clickSubImage && m.page != "")
}

// readImage reads an image: its page, title and site.
func (r *reader) readImage(n *html.Node) bool {
	address := markup.Attr(n, "data-lpage")
	if link := markup.Find(n, r.leadsAway); link != nil && address == "" {
		address = markup.Attr(link, "href")
	}
	to, redirect, ok := r.links.Read(address)
	if !ok || !r.links.Leads(to) {
		return false
	}
	found := earshot.SearchImage{Link: to, RedirectLink: redirect, Thumbnail: r.pictures.Of(n)}
	lines := serp.Lines(n)
	if len(lines) > 2 && serp.IsShort(lines[0]) { // the label on the image is its age
		lines = lines[1:]
	}
	image := markup.Find(n, func(n *html.Node) bool { return n.DataAtom == atom.Img && markup.Attr(n, "alt") != "" })
	if image != nil {
		found.Title = webtext.Line(markup.Attr(image, "alt"))
	}
	if len(lines) > 1 {
		found.Title = lines[0]
	}
	found.Source = lastOf(lines)
	found.Title = cmp.Or(found.Title, found.Source)
	if found.Title == "" {
		return false
	}
	r.found.Images = append(r.found.Images, found)
	r.note(earshot.BlockImages)
	return true
}
