package websearch

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// By what a block of pictures and a picture of it are known.
const (
	imageBlock               = "iur"
	clickImage    serp.Click = 244
	clickSubImage serp.Click = 3837 // of a page that is about a thing
)

// isImage tells whether the element is a picture of a block of pictures.
func isImage(m marks, at area) bool {
	if at.side || at.sealed {
		return false
	}
	return m.click == clickImage || m.click == clickSubImage && m.page != ""
}

// readImage reads a picture: the page that it is on, its title and its site.
func (r *reader) readImage(n *html.Node) bool {
	address := markup.Attr(n, "data-lpage")
	link := markup.Find(n, func(n *html.Node) bool { return markup.IsLink(n) && r.leadsAway(n) })
	if link != nil && address == "" {
		address = markup.Attr(link, "href")
	}
	to, redirect, ok := r.links.Read(address)
	if !ok || !r.links.Leads(to) {
		return false
	}
	found := earshot.SearchImage{Link: to, RedirectLink: redirect, Thumbnail: r.pictures.Of(n)}
	lines := serp.Lines(n)
	if len(lines) > 2 && serp.IsShort(lines[0]) { // what stands on the picture is how old it is
		lines = lines[1:]
	}
	image := markup.Find(n, func(n *html.Node) bool { return n.DataAtom == atom.Img && markup.Attr(n, "alt") != "" })
	if image != nil {
		found.Title = webtext.Line(markup.Attr(image, "alt"))
	}
	if len(lines) > 1 {
		found.Title = lines[0]
	}
	if len(lines) > 0 {
		found.Source = lines[len(lines)-1]
	}
	if found.Title == "" && found.Source == "" {
		return false
	}
	if found.Title == "" {
		found.Title = found.Source
	}
	r.found.images = append(r.found.images, found)
	r.note(earshot.BlockImages)
	return true
}
