package serp

import (
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
)

// Redirects maps each destination on a page to the redirect link that led to it.
type Redirects map[string]string

// Unwrap replaces the links in a part of a page with their destinations, and returns the redirect
// links. Links to the engine itself lose their href, because the engine's own pages are not
// sources.
func (l Links) Unwrap(part *html.Node) Redirects {
	served := Redirects{}
	for _, a := range markup.All(part, markup.IsLink) {
		l.unwrap(a, served)
	}
	return served
}

func (l Links) unwrap(a *html.Node, served Redirects) {
	for _, key := range []string{"href", "data-arwt", "data-rw"} {
		if !chatpage.CountsClick(markup.Attr(a, key)) {
			continue
		}
		if to, _, ok := l.ReadAd(a); ok {
			markup.SetAttr(a, "href", to)
			markup.SetAttr(a, "rel", "sponsored")
			return
		}
	}
	destination, redirect, ok := l.Read(markup.Attr(a, "href"))
	switch {
	case !ok, redirect == "" && l.isOwn(destination):
		markup.RemoveAttr(a, "href")
	default:
		markup.SetAttr(a, "href", destination)
		served.add(destination, redirect)
	}
}

// isOwn reports whether a destination is one of the engine's own pages or its policies.
func (l Links) isOwn(destination string) bool {
	u, ok := l.engine.absolute(destination)
	return ok && (l.engine.isMain(u.Hostname()) || u.Hostname() == "policies."+l.engine.Host)
}

func (s Redirects) add(destination, redirect string) {
	if redirect != "" && s[destination] == "" {
		s[destination] = redirect
	}
}

// Mark sets the redirect links in an answer that was read from the page.
func (s Redirects) Mark(a *earshot.Answer) {
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

// markPlace sets the redirect link of a place. A website has no field for its redirect link, so it
// becomes the place's link.
func (s Redirects) markPlace(p *earshot.Place) {
	if s[p.Website] != "" && p.Link == "" {
		p.Link = p.Website
	}
	p.RedirectLink = s[p.Link]
}

// MarkProducts sets the redirect links of products and their offers.
func (s Redirects) MarkProducts(products []earshot.Product) {
	for i := range products {
		p := &products[i]
		p.RedirectLink = s[p.URL]
		for j := range p.Offers {
			p.Offers[j].RedirectLink = s[p.Offers[j].URL]
		}
	}
}
