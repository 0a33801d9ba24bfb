package chatpage

import (
	"cmp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// cards are the card types by their name in the attribute Layout.Field. The parts of a card have
// names in the same attribute, such as "product-title". These names are the lab's; all of its sites
// use the same ones. Captured pages do not have these names: if a captured page shows a card that
// we recognise, the function that prepares the page adds them.
var cards = map[string]part{
	"entity":           partEntity,
	"product-carousel": partCarousel,
	"product-card":     partProduct,
	"inline-product":   partInlineProduct,
	"place-card":       partPlace,
	"video-card":       partVideo,
	"answer-image":     partImage,
	"ad-card":          partAd,
}

// card records the content of a card and reports whether the element is a card. All cards except
// entities and inline products are removed from the text.
func (r *turnReader) card(n *html.Node, is part) bool {
	const inText = partEntity | partInlineProduct
	const beside = partCarousel | partProduct | partPlace | partVideo | partImage | partAd
	if is&(inText|beside) == 0 {
		return false
	}
	if is&beside != 0 {
		r.removed = append(r.removed, n)
	}
	switch {
	case is&partEntity != 0:
		r.answer.Entities = answer.AddEntity(r.answer.Entities, webtext.Line(markup.Text(n)), markup.Attr(n, "data-entity-type"))
	case is&partInlineProduct != 0:
		if product, ok := r.product(n); ok {
			r.answer.InlineProducts = append(r.answer.InlineProducts, product)
		}
	case is&(partCarousel|partProduct) != 0:
		r.shoppingCard(n, is)
	case is&partPlace != 0:
		r.place(n)
	case is&partVideo != 0:
		r.video(n)
	case is&partImage != 0:
		r.image(n)
	case is&partAd != 0:
		r.ad(n)
	}
	return true
}

// shoppingCard adds a carousel or a single product.
func (r *turnReader) shoppingCard(n *html.Node, is part) {
	f := r.fields(n)
	card := earshot.ShoppingCard{Title: f.text("carousel-title"), Tags: f.texts("carousel-tag")}
	products := f.all("product-card")
	if is&partProduct != 0 {
		products = []*html.Node{n}
	}
	for _, e := range products {
		if product, ok := r.product(e); ok && !r.takeProduct(e, product) {
			card.Products = append(card.Products, product)
		}
	}
	if len(card.Products) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
	}
}

func (r *turnReader) product(n *html.Node) (earshot.Product, bool) {
	f := r.fields(n)
	product := earshot.Product{
		Title:       f.text("product-title"),
		ID:          markup.Attr(n, "data-product-id"),
		URL:         r.link(f, "product-link"),
		Description: f.text("product-description"),
		Price:       webtext.Price(f.text("product-price"), r.want.Country),
		OldPrice:    webtext.Price(f.text("product-list-price"), r.want.Country),
		Merchant:    f.text("product-merchant"),
		Rating:      webtext.Decimal(f.text("product-rating")),
		Reviews:     webtext.Count(f.text("product-reviews")),
		Tags:        f.texts("product-tag"),
	}
	for _, image := range f.all("product-image") {
		if link, ok := r.destination(image, "src"); ok {
			product.Images = append(product.Images, link)
		}
	}
	for _, offer := range f.all("product-offer") {
		product.Offers = append(product.Offers, r.offer(offer))
	}
	return product, product.Title != ""
}

func (r *turnReader) image(n *html.Node) {
	if link := r.first(n, atom.Img, "src"); link != "" {
		r.answer.Images = answer.AddNew(r.answer.Images, link)
	}
}

// fields are the named elements of a card, in order. A card has about a dozen.
type fields []field

type field struct {
	name string
	node *html.Node
}

func (r *turnReader) fields(card *html.Node) fields {
	var f fields
	for n := range card.Descendants() {
		if name := markup.Attr(n, r.page.layout.Field); name != "" {
			f = append(f, field{name, n})
		}
	}
	return f
}

// all returns the elements with the name.
func (f fields) all(name string) []*html.Node {
	var all []*html.Node
	for _, field := range f {
		if field.name == name {
			all = append(all, field.node)
		}
	}
	return all
}

// first returns the first element with the name, or nil.
func (f fields) first(name string) *html.Node {
	for _, field := range f {
		if field.name == name {
			return field.node
		}
	}
	return nil
}

// text returns the text of the first element with the name.
func (f fields) text(name string) string {
	n := f.first(name)
	if n == nil {
		return ""
	}
	return webtext.Line(markup.Text(n))
}

// texts returns the texts of all elements with the name.
func (f fields) texts(name string) []string {
	var texts []string
	for _, n := range f.all(name) {
		if text := webtext.Line(markup.Text(n)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// link returns the destination of the first element with the name, or "" if it is not a web
// address.
func (r *turnReader) link(f fields, name string) string {
	n := f.first(name)
	if n == nil {
		return ""
	}
	link, _ := r.destination(n, "href")
	return link
}

// first returns the destination in an attribute of the first element of the kind, which may be the
// card itself.
func (r *turnReader) first(card *html.Node, kind atom.Atom, key string) string {
	found := card
	if card.DataAtom != kind {
		found = cmp.Or(markup.Any(card, func(n *html.Node) bool { return n.DataAtom == kind }), card)
	}
	link, _ := r.destination(found, key)
	return link
}

func (r *turnReader) destination(n *html.Node, key string) (string, bool) {
	return webtext.Destination(markup.Attr(n, key), r.base, r.page.layout.Own)
}

// dateIn returns the first date in the element.
func dateIn(n *html.Node) string {
	date := markup.Any(n, func(n *html.Node) bool { return n.DataAtom == atom.Time })
	if date == nil {
		return ""
	}
	return webtext.Line(markup.Attr(date, "datetime"))
}
