package websearch

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// isProduct reports whether the element is a product on a card: it opens the view of the product
// (since 2025), or it has the id of a product.
func isProduct(n *html.Node, m marks) bool {
	return n.Data == "product-viewer-entrypoint" || m.product != "" && m.product != "0" || m.offered && !m.shoppingAd
}

// readProduct adds a product to the card of its section.
func (r *reader) readProduct(n *html.Node) bool {
	p := r.productIn(n)
	if p.Title == "" || p.Price == nil && p.Rating == nil {
		return false
	}
	p.ID = productID(n)
	isOwn := func(n *html.Node) bool { // a link with other text leads to a review
		if !markup.IsLink(n) {
			return false
		}
		text := serp.Line(n)
		return text == "" || strings.Contains(text, p.Title)
	}
	if link := markup.Find(n, isOwn); link != nil {
		if to, redirect, ok := r.links.Read(markup.Attr(link, "href")); ok && r.links.Leads(to) {
			p.URL, p.RedirectLink = to, redirect
		}
	}
	section := r.section
	if last := len(r.parts) - 1; last >= 0 && r.parts[last].title == "" {
		section = "" // the heading belongs to an earlier part of the page
	}
	cards := r.found.ShoppingCards
	last := len(r.entries) - 1
	follows := len(cards) > 0 && r.carded == len(r.titles) && last >= 0 && r.entries[last].kind == earshot.BlockProducts
	if !follows || cards[len(cards)-1].Title != section {
		cards = append(cards, earshot.ShoppingCard{Title: section})
	}
	r.carded = len(r.titles)
	card := &cards[len(cards)-1]
	card.Products = append(card.Products, p)
	r.found.ShoppingCards = cards
	r.note(earshot.BlockProducts)
	return true
}

// productID returns the engine's id of a product or of one of its offers, or "".
func productID(n *html.Node) string {
	for _, key := range []string{"data-product-id", "data-gid", "data-oid"} {
		with := func(n *html.Node) bool { return markup.Attr(n, key) != "" }
		if with(n) {
			return webtext.Line(markup.Attr(n, key))
		}
		if id := markup.Find(n, with); id != nil {
			return webtext.Line(markup.Attr(id, key))
		}
	}
	return ""
}

// price matches a currency sign next to digits, or a text of only a currency code and digits.
var price = regexp.MustCompile(`\p{Sc}[\s\x{a0}\x{202f}]?[\d.,]|\d[\s\x{a0}\x{202f}]?(\p{Sc}|円|zł|kr|Kč|Ft|лв|₽|руб)|` +
	`^[A-Z]{2,3}[\s\x{a0}]?[\d.,]+$|^[\d.,\s\x{a0}\x{202f}]+[A-Z]{2,3}$`)

// isPrice reports whether a line is a price. A longer line only mentions a price.
func isPrice(line string) bool { return len(line) <= maxPriceLine && hasPrice(line) }

// hasPrice reports whether the text has a price. ASCII text without "$" and digits has none: "INC."
// is not a price.
func hasPrice(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r == '$' || r >= '0' && r <= '9' || r >= utf8.RuneSelf }) &&
		price.MatchString(text)
}

// maxPriceLine is the maximum length of a line with a price in bytes. The line may have a second
// price and say what the price is for.
const maxPriceLine = 80

// productIn reads the title, price, merchant and rating of a product. The title comes first, then
// the price, then the merchant.
func (r *reader) productIn(n *html.Node) earshot.Product {
	var p earshot.Product
	atPrice, named := false, false // whether the line before has a price, whether the merchant has an icon
	after := 0                     // lines after the price
	for _, line := range serp.TextLines(n, isLabelled) {
		if p.Title != "" && isPrice(line.Text) {
			atPrice = r.addPrices(&p, line, atPrice)
			continue
		}
		atPrice = false
		switch {
		case p.Price == nil && len(line.Text) > len(p.Title):
			p.Title = titleOf(line) // a shorter line is a label such as "price drop"
		case p.Price != nil:
			after++
			if icon := !named && after <= maxMerchantLines && hasIcon(line); icon || p.Merchant == "" {
				p.Merchant, named = merchantOf(line), icon
			}
		}
	}
	if tag := markup.Find(n, markup.Has("data-tag")); tag != nil {
		p.Tags = []string{serp.Line(tag)}
	}
	p.Rating, p.Reviews = ratingIn(n)
	if image := r.pictures.Of(n); image != "" {
		p.Images = []string{image}
	}
	return p
}

// maxMerchantLines is the number of lines after the price among which the merchant is. Others say
// that the product is used or how it is delivered.
const maxMerchantLines = 4

// titleOf returns the title in a line. A line can have shortened titles before the full title, for
// several sizes of the screen.
func titleOf(line serp.TextLine) string {
	last := len(line.Parts) - 1
	full := line.Part(last)
	for i := range last {
		if !strings.HasPrefix(full, uncut(line.Part(i))) {
			return line.Text
		}
	}
	return full
}

// moreStores matches the number of other stores after a merchant: ", 10+ stores", " + 5 others".
var moreStores = regexp.MustCompile(`(?:,[\s\x{a0}]*\d+\+|[\s\x{a0}]\+[\s\x{a0}]?\d+)(?:[\s\x{a0}].*)?$`)

// merchantOf returns the merchant in a line. The merchant is the first text; others say how many
// more stores have the product, such as "& more". The label of a shortened name ends with
// the full one.
func merchantOf(line serp.TextLine) string {
	name := moreStores.ReplaceAllString(line.Part(0), "")
	if short := uncut(name); short != name {
		label := webtext.Line(markup.Attr(line.Parts[0].Parent, "aria-label"))
		if at := strings.Index(label, short); at >= 0 {
			return label[at:]
		}
	}
	return name
}

// uncut returns a text without the dots that mark that its end is missing.
func uncut(text string) string {
	short, cut := strings.CutSuffix(text, "...")
	if !cut {
		short, _ = strings.CutSuffix(text, "…")
	}
	return strings.TrimSpace(short)
}

// hasIcon reports whether the line is next to an element with an image of the same name, the icon of
// a merchant.
func hasIcon(line serp.TextLine) bool {
	name, element := line.Part(0), line.Parts[0].Parent
	return element.Parent != nil && markup.Find(element.Parent, func(n *html.Node) bool {
		return n.DataAtom == atom.Img && markup.Attr(n, "alt") == name && n.Parent != element
	}) != nil
}

// addPrices adds the prices of a line to a product. A higher price next to the price is the old
// price; prices in other lines are for shipping or a minimum order. follows is whether the line
// follows the price. addPrices reports whether the next line follows the price.
func (r *reader) addPrices(p *earshot.Product, line serp.TextLine, follows bool) bool {
	for i := range line.Parts {
		text := line.Part(i)
		if len(text) > maxPrice || !hasPrice(text) || strings.HasPrefix(text, "+") { // shipping
			continue
		}
		found := webtext.Price(text, r.want.country)
		switch {
		case p.Price == nil:
			p.Price, follows = found, true
		case found.Raw == p.Price.Raw:
			follows = true
		case follows && p.OldPrice == nil && p.Price.Value != nil && found.Value != nil && *found.Value > *p.Price.Value:
			p.OldPrice = found
			p.OldPrice.Raw = wordsBefore.ReplaceAllString(found.Raw, "$1")
		}
	}
	return follows
}

// wordsBefore matches the words before an amount that begins with a currency sign: "Usually $50".
var wordsBefore = regexp.MustCompile(`^\pL[\pL ]+\pL:? (\p{Sc})`)

// maxPrice is the maximum length of a price in bytes. A longer text only mentions a price.
const maxPrice = 40
