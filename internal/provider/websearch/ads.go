package websearch

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Positions and types of ads.
const (
	blockTop    = "top"
	blockMiddle = "middle"
	blockBottom = "bottom"
	blockSide   = "side"

	adText     = "text"
	adShopping = "shopping"
)

// adBlock returns the block of an ad in the area. Ads above the first result always belong to the
// top block.
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
	ad.URL, ad.RedirectLink, ok = r.links.ReadAd(link)
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
		if to, redirect, ok := r.links.ReadAd(a); ok && r.links.Leads(to) {
			ad.Sitelinks = append(ad.Sitelinks, earshot.Sitelink{Title: name, URL: to, RedirectLink: redirect})
		}
	}
	r.found.Ads = append(r.found.Ads, ad)
	r.note(earshot.BlockAds)
	return true
}

// maxLinkedAds is the number of ads on a page after which no more ads are searched by their links.
// Real pages have up to 10 text ads.
const maxLinkedAds = 40

// boxOf returns the element with an ad that is known only by its link: the link's box with the text
// below it.
func boxOf(link *html.Node) *html.Node {
	box := link
	for range 2 {
		if box.Parent != nil && (box.Parent.DataAtom == atom.Div || box.Parent.DataAtom == atom.Li) {
			box = box.Parent
		}
	}
	return box
}

// isAdvertised reports whether the address is neither the engine's nor a counter of clicks.
func (r *reader) isAdvertised(address string) bool {
	return r.links.Leads(address) && !chatpage.CountsClick(address)
}

// adDomain returns the domain of an ad, or "" if its destination is unknown.
func (r *reader) adDomain(address string) string {
	if !r.isAdvertised(address) {
		return ""
	}
	return webtext.Domain(address)
}

// adBrand returns the name of an ad's site, or "" if the ad shows only an address. The name is in
// the last line, because the first line may be the label "ad".
func adBrand(link *html.Node) string {
	heading := serp.Title(link)
	last := lastOf(serp.LinesBut(link, func(n *html.Node) bool { return n == heading || markup.Attr(n, "role") == "text" }))
	if isAddress(last) || strings.HasSuffix(last, "·") || !strings.ContainsFunc(last, unicode.IsLetter) { // a label or a phone number
		return ""
	}
	return last
}

// readShoppingAd reads a product ad: a link with all its data, or one of several links in a unit
// with the data. All links with the same offer are one ad.
func (r *reader) readShoppingAd(n *html.Node, block, offer string) bool {
	to, redirect, ok := r.links.ReadAd(n)
	if !ok {
		return false
	}
	if offer != "" {
		offer += " " + markup.Attr(n, "data-merchant-id") // merchants number their offers themselves
	}
	p := r.productIn(n)
	r.fillFromLabel(&p, webtext.Line(markup.Attr(n, "aria-label")))
	known, unit := r.offers[offer], n
	if p.Price == nil && (known == nil || !known.complete) && r.looks < maxLooks {
		r.looks++
		unit = offerUnit(n)
		if whole := r.productIn(unit); whole.Price != nil {
			p.Price, p.OldPrice, p.Merchant = whole.Price, whole.OldPrice, cmp.Or(p.Merchant, whole.Merchant)
			p.Title = cmp.Or(p.Title, whole.Title)
		}
	}
	if p.Title == "" && known == nil {
		return false
	}
	if offer == "" { // ads in a row can lead to the same page
		offer = to + " " + p.Title
		known = r.offers[offer]
	}
	ad := earshot.Ad{
		Block: block, Type: adShopping, Title: imageName(unit, p.Title), URL: to, RedirectLink: redirect, Domain: r.adDomain(to),
		Price: p.Price, OldPrice: p.OldPrice, Merchant: p.Merchant, ImageURL: r.adImage(unit),
	}
	if known != nil {
		known.join(&r.found.Ads[known.at], ad)
		return true
	}
	if len(r.offers) >= maxTitles {
		return false
	}
	r.offers[offer] = &offered{at: len(r.found.Ads), complete: p.Price != nil}
	r.found.Ads = append(r.found.Ads, ad)
	r.note(earshot.BlockShoppingAds)
	return true
}

// imageName returns the name of an image in a product ad that is the full title, or the title.
func imageName(n *html.Node, title string) string {
	image := markup.Find(n, func(n *html.Node) bool {
		name := markup.Attr(n, "alt")
		return n.DataAtom == atom.Img && name != "" && strings.HasPrefix(name, uncut(title))
	})
	if image == nil {
		return title
	}
	return webtext.Line(markup.Attr(image, "alt"))
}

// adImage returns the image of a product ad. Some images are hidden until a visitor points at the ad.
func (r *reader) adImage(n *html.Node) string {
	if image := r.pictures.Of(n); image != "" {
		return image
	}
	hidden := markup.Any(n, func(n *html.Node) bool {
		return n.DataAtom == atom.Img && strings.HasPrefix(markup.Attr(n, "data-src"), "http")
	})
	if hidden == nil {
		return ""
	}
	return r.pictures.Of(hidden)
}

// offered is an ad that was read from one of the links of its offer.
type offered struct {
	at       int  // the index of the ad
	complete bool // whether title and price come from the same link
}

// join adds the data of another link of the same offer to the ad. That link may have the full title,
// the price, or the merchant.
func (o *offered) join(ad *earshot.Ad, other earshot.Ad) {
	if strings.HasPrefix(other.Title, uncut(ad.Title)) || !o.complete && other.Price != nil {
		ad.Title, o.complete = other.Title, true
	}
	ad.Price, ad.OldPrice = cmp.Or(ad.Price, other.Price), cmp.Or(ad.OldPrice, other.OldPrice)
	ad.Merchant, ad.ImageURL = cmp.Or(ad.Merchant, other.Merchant), cmp.Or(ad.ImageURL, other.ImageURL)
}

// labelled matches the label of a product link for screen readers: "… for $39.95 from …".
var labelled = regexp.MustCompile(`^(.+) for (\S*\p{Sc}\S*|\S+ ?\p{Sc}) from (.+?)[.,]?$`)

// fillFromLabel sets missing fields of a product from the label of its link.
func (r *reader) fillFromLabel(p *earshot.Product, label string) {
	parts := labelled.FindStringSubmatch(label)
	if parts == nil {
		return
	}
	if p.Price == nil {
		p.Title, p.Price = parts[1], webtext.Price(parts[2], r.want.country)
	}
	p.Merchant = cmp.Or(p.Merchant, parts[3])
}

// isShoppingAd reports whether the element is marked as a product ad. Until 2020 only the link over
// the whole ad had a mark, the id of an icon.
func isShoppingAd(n *html.Node) bool {
	return markup.HasAttr(n, "data-pla-slot-pos") || markup.HasAttr(n, "data-merchant-id") || n.DataAtom == atom.A && markup.HasAttr(n, "data-nt-icon-id")
}

// offerUnit returns the largest element around a link without another offer.
func offerUnit(link *html.Node) *html.Node {
	offer := marksOf(link).offer
	return unitOf(link, 5, func(n *html.Node) bool {
		return isShoppingAd(n) && n != link && (offer == "" || marksOf(n).offer != offer)
	})
}

// unitOf climbs at most the given number of levels from n and returns the largest element that
// contains no other unit.
func unitOf(n *html.Node, levels int, isOther func(*html.Node) bool) *html.Node {
	for range levels {
		if n.Parent == nil || landmarks[markup.Attr(n.Parent, "id")] || markup.Find(n.Parent, isOther) != nil {
			break
		}
		n = n.Parent
	}
	return n
}

// isSponsored reports whether the link is a card in a sponsored row: it leads to the advertiser and
// counts the click in another attribute, or it leads to the engine's click counter.
func isSponsored(n *html.Node) bool {
	return strings.HasPrefix(markup.Attr(n, "data-arwt"), "/aclk") || chatpage.CountsClick(markup.Attr(n, "href"))
}

// isCounted reports whether the link follows a hidden link that counts its clicks, as in text ads
// until 2020.
func isCounted(link *html.Node) bool {
	before := link.PrevSibling
	return before != nil && before.DataAtom == atom.A && markup.Hidden(before) && chatpage.CountsClick(markup.Attr(before, "href"))
}

// readSponsored reads a card in a sponsored row.
func (r *reader) readSponsored(n *html.Node, block string) bool {
	to, redirect, ok := r.links.ReadAd(n)
	leads := ok && r.isAdvertised(to)
	if last := len(r.blocks) - 1; last >= 0 && markup.Contains(r.blocks[last], n) {
		return false // a sitelink of the ad before
	}
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
	r.found.Ads = append(r.found.Ads, ad)
	r.note(earshot.BlockAds)
	return true
}

// longest returns the first of the longest lines, or "".
func longest(lines []string) string {
	found := ""
	for _, line := range lines {
		if len(line) > len(found) {
			found = line
		}
	}
	return found
}

// lastOf returns the last line, or "".
func lastOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}
