package websearch

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Where an ad stands, and its kinds.
const (
	blockTop    = "top"
	blockMiddle = "middle"
	blockBottom = "bottom"
	blockSide   = "side"

	adText     = "text"
	adShopping = "shopping"
)

// readTextAd reads an ad that looks like a result.
func (r *reader) readTextAd(n *html.Node, block string) bool {
	link := markup.Find(n, func(n *html.Node) bool { return markup.IsLink(n) && serp.Title(n) != nil })
	if link == nil {
		return false
	}
	ad := earshot.Ad{Block: block, Type: adText, Title: serp.Line(serp.Title(link))}
	var ok bool
	ad.URL, ad.RedirectLink, ok = r.adLink(link)
	if !ok || ad.Title == "" {
		return false
	}
	ad.Domain = webtext.Domain(ad.URL)
	ad.Brand = adBrand(link)
	ad.Description = longest(serp.LinesBut(n, func(n *html.Node) bool {
		return n.DataAtom == atom.A || markup.Attr(n, "role") == "button" || markup.Attr(n, "role") == "text"
	}))
	for _, a := range markup.FindAll(n, func(n *html.Node) bool { return n == link || markup.IsLink(n) }) {
		name := serp.Line(a)
		if a == link || name == "" {
			continue
		}
		if to, _, ok := r.adLink(a); ok {
			ad.Sitelinks = append(ad.Sitelinks, earshot.Sitelink{Title: name, URL: to})
		}
	}
	r.found.ads = append(r.found.ads, ad)
	return true
}

// maxLinkedAds is how many ads a page may have for further ones to be looked for by
// their links; real ones have up to 10 that look like results.
const maxLinkedAds = 40

// boxOf is what holds an ad that is known by its link only: the link's box, and
// the text below it.
func boxOf(link *html.Node) *html.Node {
	box := link
	for range 2 {
		if box.Parent != nil && box.Parent.DataAtom == atom.Div {
			box = box.Parent
		}
	}
	return box
}

// adLink is where an ad leads. A link that only counts the click has the
// destination in a parameter or beside it, if anywhere.
func (r *reader) adLink(a *html.Node) (destination, redirect string, ok bool) {
	destination, redirect, ok = r.links.Read(markup.Attr(a, "href"))
	if !ok || r.links.Leads(destination) {
		return destination, redirect, ok
	}
	candidates := []string{}
	if u, err := url.Parse(destination); err == nil {
		candidates = append(candidates, u.Query().Get("adurl"))
	}
	page, _, _ := strings.Cut(markup.Attr(a, "data-pcu"), ",")
	candidates = append(candidates, page)
	if domain := markup.Attr(a, "data-dtld"); domain != "" {
		candidates = append(candidates, "https://"+domain+"/")
	}
	for _, candidate := range candidates {
		if to, ok := webtext.Destination(candidate, nil, nil); ok && r.links.Leads(to) {
			return to, "", true
		}
	}
	return "", "", false
}

// adBrand is the name that an ad's site gives itself, where it is no address. It
// is the last line: the first may say that this is an ad.
func adBrand(link *html.Node) string {
	heading := serp.Title(link)
	lines := serp.LinesBut(link, func(n *html.Node) bool { return n == heading || markup.Attr(n, "role") == "text" })
	if len(lines) == 0 || isAddress(lines[len(lines)-1]) {
		return ""
	}
	return lines[len(lines)-1]
}

// readShoppingAd reads an ad for a product: a link with everything in it.
func (r *reader) readShoppingAd(n *html.Node, block string) bool {
	to, redirect, ok := r.adLink(n)
	p := r.productIn(n)
	if !ok || p.Title == "" {
		return false
	}
	ad := earshot.Ad{
		Block: block, Type: adShopping, Title: p.Title, URL: to, RedirectLink: redirect, Domain: webtext.Domain(to),
		Price: p.Price, OldPrice: p.OldPrice, Merchant: p.Merchant,
	}
	if len(p.Images) > 0 {
		ad.ImageURL = p.Images[0]
	}
	r.found.ads = append(r.found.ads, ad)
	return true
}

// longest is the longest of the lines.
func longest(lines []string) string {
	found := ""
	for _, line := range lines {
		if len(line) > len(found) {
			found = line
		}
	}
	return found
}
