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

// cards are what a page shows between or beside the text, by the name that
// Layout.Field gives them. What is in a card has names of the same kind, such as
// "product-title". The names are the lab's, one vocabulary for all of its sites.
// Captured pages have none of them: where one shows a card that we can tell, the
// function that prepares the page gives it these names.
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

// card notes what the element shows, and tells whether it is a card. All but
// entities and products within the text are taken out of the text.
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

// shoppingCard notes a carousel, or a product that stands alone.
func (r *turnReader) shoppingCard(n *html.Node, is part) {
	f := r.fields(n)
	card := earshot.ShoppingCard{Title: f.text("carousel-title"), Tags: f.texts("carousel-tag")}
	products := f.all("product-card")
	if is&partProduct != 0 {
		products = []*html.Node{n}
	}
	for _, e := range products {
		if product, ok := r.product(e); ok {
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
		URL:         r.link(f, "product-link", "href"),
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

// fields are the elements in a card that have names, in their order. A card has a dozen.
type fields []field

type field struct {
	name string
	node *html.Node
}

func (r *turnReader) fields(card *html.Node) fields { return r.appendFields(nil, card) }

func (r *turnReader) appendFields(f fields, n *html.Node) fields {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		if name := markup.Attr(child, r.page.layout.Field); name != "" {
			if f == nil {
				f = make(fields, 0, 4)
			}
			f = append(f, field{name, child})
		}
		f = r.appendFields(f, child)
	}
	return f
}

// all are the elements of the name.
func (f fields) all(name string) []*html.Node {
	var all []*html.Node
	for _, field := range f {
		if field.name == name {
			all = append(all, field.node)
		}
	}
	return all
}

// first is the first element of the name, nil where there is none.
func (f fields) first(name string) *html.Node {
	for _, field := range f {
		if field.name == name {
			return field.node
		}
	}
	return nil
}

// text is what the first element of the name says.
func (f fields) text(name string) string {
	n := f.first(name)
	if n == nil {
		return ""
	}
	return webtext.Line(markup.Text(n))
}

// texts are what the elements of the name say.
func (f fields) texts(name string) []string {
	var texts []string
	for _, n := range f.all(name) {
		if text := webtext.Line(markup.Text(n)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// link is where the attribute of the first element of the name leads, "" where
// that is no web address.
func (r *turnReader) link(f fields, name, key string) string {
	n := f.first(name)
	if n == nil {
		return ""
	}
	link, _ := r.destination(n, key)
	return link
}

// first is where the first element of the kind leads, the card itself included.
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

// dateIn is the first date in the element.
func dateIn(n *html.Node) string {
	date := markup.Any(n, func(n *html.Node) bool { return n.DataAtom == atom.Time })
	if date == nil {
		return ""
	}
	return webtext.Line(markup.Attr(date, "datetime"))
}
