package websearch

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"unicode"

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

// adBlock is the block that an ad belongs to: the area's, but above the first result it
// is the top, whatever the page says.
func (r *reader) adBlock(at area) string {
	if at.ads == blockMiddle && len(r.titles) == 0 {
		return blockTop
	}
	return at.ads
}

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
	ad.Domain = r.adDomain(ad.URL)
	ad.Brand = adBrand(link)
	ad.Description = longest(serp.LinesBut(n, func(n *html.Node) bool {
		return n.DataAtom == atom.A || markup.Attr(n, "role") == "button" || markup.Attr(n, "role") == "text"
	}))
	for _, a := range markup.FindAll(n, func(n *html.Node) bool { return n == link || markup.IsLink(n) }) {
		name := serp.Line(a)
		if a == link || name == "" {
			continue
		}
		if to, redirect, ok := r.adLink(a); ok && r.links.Leads(to) {
			ad.Sitelinks = append(ad.Sitelinks, earshot.Sitelink{Title: name, URL: to, RedirectLink: redirect})
		}
	}
	r.found.ads = append(r.found.ads, ad)
	r.note(earshot.BlockAds)
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
// destination in a parameter or beside it. Where it has none, the link stays as it is:
// asking the engine would count as a click, which somebody pays.
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
	return destination, "", isClick(destination)
}

// isClick tells whether a link of the engine counts a click on an ad.
func isClick(address string) bool {
	if !strings.Contains(address, "/aclk") {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(u.Path, "/aclk")
}

// adDomain is the domain of an ad, "" where its link does not tell where it leads.
func (r *reader) adDomain(address string) string {
	if !r.links.Leads(address) {
		return ""
	}
	return webtext.Domain(address)
}

// adBrand is the name that an ad's site gives itself, where it is no address. It
// is the last line: the first may say that this is an ad.
func adBrand(link *html.Node) string {
	heading := serp.Title(link)
	lines := serp.LinesBut(link, func(n *html.Node) bool { return n == heading || markup.Attr(n, "role") == "text" })
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	if isAddress(last) || strings.HasSuffix(last, "·") || !strings.ContainsFunc(last, unicode.IsLetter) { // a label, or a phone number
		return ""
	}
	return last
}

// readShoppingAd reads an ad for a product: a link with everything in it, or one
// of several in a unit that has it. Those of one offer are one ad.
func (r *reader) readShoppingAd(n *html.Node, block, offer string) bool {
	to, redirect, ok := r.adLink(n)
	if !ok {
		return false
	}
	p := r.productIn(n)
	r.fillFromLabel(&p, webtext.Line(markup.Attr(n, "aria-label")))
	if p.Price == nil && r.looks < maxLooks {
		r.looks++
		if whole := r.productIn(unitOf(n)); whole.Price != nil {
			p.Price, p.OldPrice, p.Merchant = whole.Price, whole.OldPrice, cmp.Or(p.Merchant, whole.Merchant)
			p.Title = cmp.Or(p.Title, whole.Title)
		}
	}
	if p.Title == "" {
		return r.offers[offer] != nil // another link of it, which shows nothing
	}
	ad := earshot.Ad{
		Block: block, Type: adShopping, Title: p.Title, URL: to, RedirectLink: redirect, Domain: r.adDomain(to),
		Price: p.Price, OldPrice: p.OldPrice, Merchant: p.Merchant, ImageURL: r.pictures.Of(n),
	}
	if known := r.offers[cmp.Or(offer, to)]; known != nil {
		known.join(ad)
		return true
	}
	if len(r.offers) >= maxTitles {
		return false
	}
	r.offers[cmp.Or(offer, to)] = &offered{at: len(r.found.ads), ads: &r.found.ads, complete: p.Price != nil}
	r.found.ads = append(r.found.ads, ad)
	r.note(earshot.BlockShoppingAds)
	return true
}

// offered is an ad for an offer that was read from one of its links.
type offered struct {
	at       int
	ads      *[]earshot.Ad
	complete bool // whether title and price come from one link
}

// join takes what another link of the same offer tells: it may show the whole
// title, the price, or who sells it.
func (o *offered) join(other earshot.Ad) {
	ad := &(*o.ads)[o.at]
	shortened := strings.Contains(ad.Title, "...")
	if shortened && !strings.Contains(other.Title, "...") && len(other.Title) > len(ad.Title)/2 || !shortened && !o.complete && other.Price != nil {
		ad.Title, o.complete = other.Title, true
	}
	ad.Price, ad.OldPrice = cmp.Or(ad.Price, other.Price), cmp.Or(ad.OldPrice, other.OldPrice)
	ad.Merchant, ad.ImageURL = cmp.Or(ad.Merchant, other.Merchant), cmp.Or(ad.ImageURL, other.ImageURL)
}

// labelled is what a link says to those who do not see it: "… for $39.95 from …".
var labelled = regexp.MustCompile(`^(.+) for (\S*\p{Sc}\S*|\S+ ?\p{Sc}) from (.+?)[.,]?$`)

// fillFromLabel takes what is missing of a product from the label of its link.
func (r *reader) fillFromLabel(p *earshot.Product, label string) {
	if !strings.Contains(label, " for ") {
		return
	}
	parts := labelled.FindStringSubmatch(label)
	if parts == nil {
		return
	}
	if p.Price == nil {
		p.Title, p.Price = parts[1], webtext.Price(parts[2], r.want.country)
	}
	p.Merchant = cmp.Or(p.Merchant, parts[3])
}

// isShoppingAd tells whether the element is marked as an ad for a product.
func isShoppingAd(n *html.Node) bool {
	return markup.HasAttr(n, "data-pla-slot-pos") || markup.HasAttr(n, "data-merchant-id")
}

// unitOf is the largest element around a link in which no other offer is.
func unitOf(link *html.Node) *html.Node {
	unit, offer := link, marksOf(link).offer
	isOther := func(n *html.Node) bool {
		if !isShoppingAd(n) || n == link {
			return false
		}
		return marksOf(n).offer != offer
	}
	for range 5 {
		if unit.Parent == nil || landmarks[markup.Attr(unit.Parent, "id")] || markup.Find(unit.Parent, isOther) != nil {
			break
		}
		unit = unit.Parent
	}
	return unit
}

// isSponsored tells whether the link is a card of a sponsored row: it leads
// straight to the page, and tells the engine on the way, or to the engine only.
func isSponsored(n *html.Node) bool {
	return strings.HasPrefix(markup.Attr(n, "data-arwt"), "/aclk") || isClick(markup.Attr(n, "href"))
}

// readSponsored reads a card of a sponsored row.
func (r *reader) readSponsored(n *html.Node, block string) bool {
	to, redirect, ok := r.adLink(n)
	leads := ok && r.links.Leads(to)
	if p := r.productIn(n); p.Price != nil && (leads || p.Merchant != "") {
		return r.readShoppingAd(n, block, "")
	}
	lines := serp.Lines(n)
	if !leads || len(lines) == 0 {
		return false
	}
	ad := earshot.Ad{Block: block, Type: adText, Title: lines[0], URL: to, RedirectLink: redirect, Domain: r.adDomain(to), ImageURL: r.pictures.Of(n)}
	if heading := serp.Title(n); heading != nil {
		ad.Title = serp.Line(heading)
	}
	if len(lines) > 1 {
		ad.Description = strings.Join(lines[1:], " ")
	}
	r.found.ads = append(r.found.ads, ad)
	r.note(earshot.BlockAds)
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
