package serp

import (
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
)

// Served tells which redirect link stood on a page for a destination.
type Served map[string]string

// Unwrap makes the links in a part of a page lead straight to where they lead,
// and tells which of them were redirects. Links to the engine itself lead
// nowhere afterwards: its own pages are no sources.
func (l Links) Unwrap(part *html.Node) Served {
	served := Served{}
	for _, a := range markup.All(part, markup.IsLink) {
		l.unwrap(a, served)
	}
	return served
}

func (l Links) unwrap(a *html.Node, served Served) {
	destination, redirect, ok := l.Read(markup.Attr(a, "href"))
	switch {
	case !ok, redirect == "" && l.isOwn(destination):
		markup.RemoveAttr(a, "href")
	default:
		markup.SetAttr(a, "href", destination)
		served.add(destination, redirect)
	}
}

// isOwn tells whether a destination is one of the engine's own pages, or what it says
// of itself: its policies stand under everything that it shows.
func (l Links) isOwn(destination string) bool {
	u, ok := l.engine.absolute(destination)
	return ok && (l.engine.isMain(u.Hostname()) || u.Hostname() == "policies."+l.engine.Host)
}

func (s Served) add(destination, redirect string) {
	if redirect != "" && s[destination] == "" {
		s[destination] = redirect
	}
}

// Mark puts the redirect links beside the destinations of an answer that was read
// from the page.
func (s Served) Mark(a *earshot.Answer) {
	for i := range a.Sources {
		a.Sources[i].RedirectLink = s[a.Sources[i].URL]
	}
	for i := range a.CitationPills {
		a.CitationPills[i].RedirectLink = s[a.CitationPills[i].URL]
	}
	for i := range a.Places {
		s.markPlace(&a.Places[i])
	}
	for i := range a.Videos {
		a.Videos[i].RedirectLink = s[a.Videos[i].URL]
	}
	for _, card := range a.ShoppingCards {
		s.MarkProducts(card.Products)
	}
	s.MarkProducts(a.InlineProducts)
}

// markPlace puts the redirect link beside a link to the place: a website alone has
// no room for one.
func (s Served) markPlace(p *earshot.Place) {
	if s[p.Website] != "" && p.Link == "" {
		p.Link = p.Website
	}
	p.RedirectLink = s[p.Link]
}

// MarkProducts does the same for products and their offers.
func (s Served) MarkProducts(products []earshot.Product) {
	for i := range products {
		p := &products[i]
		p.RedirectLink = s[p.URL]
		for j := range p.Offers {
			p.Offers[j].RedirectLink = s[p.Offers[j].URL]
		}
	}
}
