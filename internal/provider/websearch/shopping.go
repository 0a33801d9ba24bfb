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

// isProduct tells whether the element is a product on a card: an entrance to the
// product's own view (2025 on), or one that says which product it is.
func isProduct(n *html.Node, m marks) bool {
	return n.Data == "product-viewer-entrypoint" || m.product != "" && m.product != "0" || m.offered && !m.shoppingAd
}

// readProduct reads a product onto the card of its section.
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
	cards := r.found.cards
	if len(cards) == 0 || cards[len(cards)-1].Title != r.section {
		cards = append(cards, earshot.ShoppingCard{Title: r.section})
	}
	card := &cards[len(cards)-1]
	card.Products = append(card.Products, p)
	r.found.cards = cards
	r.note(earshot.BlockProducts)
	return true
}

// productID is how the engine numbers a product, or one offer of it; "" where it
// does not tell.
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

// price is what a line with a price in it looks like: the sign of a currency beside
// digits, or nothing but its letters and digits.
var price = regexp.MustCompile(`\p{Sc}[\s\x{a0}\x{202f}]?[\d.,]|\d[\s\x{a0}\x{202f}]?(\p{Sc}|円|zł|kr|Kč|Ft|лв|₽|руб)|` +
	`^[A-Z]{2,3}[\s\x{a0}]?[\d.,]+$|^[\d.,\s\x{a0}\x{202f}]+[A-Z]{2,3}$`)

// isPrice tells whether a line is a price; a longer one only mentions it.
func isPrice(line string) bool { return len(line) <= maxPriceLine && hasPrice(line) }

// hasPrice tells whether there is a price in the text. Most text is ASCII, and has neither a
// sign nor letters that could stand for one: the expression is slow to tell.
func hasPrice(text string) bool {
	digit := false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			return price.MatchString(text)
		case c == '$':
			if i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				return true
			}
			digit = true
		case c >= '0' && c <= '9':
			digit = true
		}
	}
	if !digit {
		return false
	}
	first, last := text[0], text[len(text)-1]
	return (strings.Contains(text, "$") || strings.Contains(text, "kr") || strings.Contains(text, "Ft") ||
		first >= 'A' && first <= 'Z' || last >= 'A' && last <= 'Z') && price.MatchString(text)
}

// maxPriceLine is how long a line with a price may be, in bytes: there may be
// another price, and what it is for.
const maxPriceLine = 80

// productIn reads title, price, merchant and rating out of what a product shows:
// its title first, then its price, then who sells it.
func (r *reader) productIn(n *html.Node) earshot.Product {
	var p earshot.Product
	for _, line := range serp.LinesBut(n, isRating) {
		switch {
		case p.Price == nil && p.Title != "" && isPrice(line):
			p.Price, p.OldPrice = r.pricesIn(n)
		case p.Price == nil && len(line) > len(p.Title):
			p.Title = line // what is shorter is a label such as "price drop"
		case p.Price != nil && p.Merchant == "" && !isPrice(line):
			p.Merchant = line
		}
	}
	if tag := markup.Find(n, func(n *html.Node) bool { return markup.HasAttr(n, "data-tag") }); tag != nil {
		p.Tags = []string{serp.Line(tag)}
	}
	p.Rating, p.Reviews = ratingIn(n)
	if image := r.pictures.Of(n); image != "" {
		p.Images = []string{image}
	}
	return p
}

// pricesIn are the price of a product and the higher one that it had before,
// which stands behind it.
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

// maxPrice is how long a price may be, in bytes; longer text only mentions one.
const maxPrice = 40

// isRating tells whether the element shows stars, which it says in words too.
func isRating(n *html.Node) bool {
	return markup.Attr(n, "role") == "img" && markup.HasAttr(n, "aria-label")
}

// numbersIn are the first numbers in a text, with a fraction or without.
func numbersIn(text string, most int) (numbers []string) {
	digits := func(from int) int {
		for from < len(text) && text[from] >= '0' && text[from] <= '9' {
			from++
		}
		return from
	}
	for i := 0; i < len(text) && len(numbers) < most; i++ {
		end := digits(i)
		if end == i {
			continue
		}
		if end < len(text) && (text[end] == '.' || text[end] == ',') && digits(end+1) > end+1 {
			end = digits(end + 1)
		}
		numbers = append(numbers, text[i:end])
		i = end - 1
	}
	return numbers
}

// ratingIn reads stars and reviews. In words, the stars are the number with a
// fraction where there is one ("5 points of which 4.5"), else the first.
func ratingIn(n *html.Node) (stars *float64, reviews *int) {
	rating := markup.Find(n, isRating)
	if rating == nil {
		return nil, nil
	}
	found := numbersIn(markup.Attr(rating, "aria-label"), 4)
	for i, text := range found {
		if i == 0 || strings.ContainsAny(text, ".,") && !strings.ContainsAny(found[0], ".,") && i == 1 {
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
