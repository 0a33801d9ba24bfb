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
	if link := markup.Find(n, markup.IsLink); link != nil {
		if to, redirect, ok := r.links.Read(markup.Attr(link, "href")); ok && r.links.Leads(to) {
			p.URL, p.RedirectLink = to, redirect
		}
	}
	cards := r.found.ShoppingCards
	if len(cards) == 0 || cards[len(cards)-1].Title != r.section {
		cards = append(cards, earshot.ShoppingCard{Title: r.section})
	}
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
	for _, line := range serp.LinesBut(n, isRating) {
		switch {
		case p.Price == nil && p.Title != "" && isPrice(line):
			p.Price, p.OldPrice = r.pricesIn(n)
		case p.Price == nil && len(line) > len(p.Title):
			p.Title = line // a shorter line is a label such as "price drop"
		case p.Price != nil && p.Merchant == "" && !isPrice(line):
			p.Merchant = line
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

// pricesIn returns the price of a product, and the higher old price if it follows.
func (r *reader) pricesIn(n *html.Node) (now, before *earshot.Price) {
	for text := range n.Descendants() {
		if text.Type != html.TextNode || len(text.Data) > maxPrice || !hasPrice(text.Data) {
			continue
		}
		found := webtext.Price(text.Data, r.want.country)
		switch {
		case now == nil:
			now = found
		case now.Value != nil && found.Value != nil && *found.Value > *now.Value:
			return now, found
		default:
			return now, nil
		}
	}
	return now, nil
}

// maxPrice is the maximum length of a price in bytes. A longer text only mentions a price.
const maxPrice = 40

// isRating reports whether the element shows stars and has the rating as its label.
func isRating(n *html.Node) bool {
	return markup.Attr(n, "role") == "img" && markup.HasAttr(n, "aria-label")
}

// decimal matches a number with or without a fraction.
var decimal = regexp.MustCompile(`\d+(?:[.,]\d+)?`)

// ratingIn reads the stars and the number of reviews. The label has the stars as the first number,
// or as the second if only that has a fraction ("5 points of which 4.5").
func ratingIn(n *html.Node) (stars *float64, reviews *int) {
	rating := markup.Find(n, isRating)
	if rating == nil {
		return nil, nil
	}
	found := decimal.FindAllString(markup.Attr(rating, "aria-label"), 2)
	for i, text := range found {
		if i == 0 || strings.ContainsAny(text, ".,") && !strings.ContainsAny(found[0], ".,") {
			if value := webtext.Decimal(text); value != nil && *value <= 5 {
				stars = value
			}
		}
	}
	counted := markup.Find(n, func(n *html.Node) bool {
		if n.DataAtom != atom.Span {
			return false
		}
		text := serp.Line(n)
		return strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
	})
	if counted != nil {
		reviews = webtext.Count(strings.Trim(serp.Line(counted), "()"))
	}
	return stars, reviews
}
