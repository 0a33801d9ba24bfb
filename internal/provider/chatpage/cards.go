package chatpage

import (
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
	products := f["product-card"]
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
	for _, image := range f["product-image"] {
		if link, ok := r.destination(image, "src"); ok {
			product.Images = append(product.Images, link)
		}
	}
	for _, offer := range f["product-offer"] {
		product.Offers = append(product.Offers, r.offer(offer))
	}
	return product, product.Title != ""
}

func (r *turnReader) image(n *html.Node) {
	if link := r.first(n, atom.Img, "src"); link != "" {
		r.answer.Images = answer.AddNew(r.answer.Images, link)
	}
}

// fields are the elements in a card by their names.
type fields map[string][]*html.Node

func (r *turnReader) fields(card *html.Node) fields {
	f := fields{}
	for n := range card.Descendants() {
		if n.Type == html.ElementNode && len(n.Attr) > 0 {
			if name := markup.Attr(n, r.page.layout.Field); name != "" {
				f[name] = append(f[name], n)
			}
		}
	}
	return f
}

// text is what the first element of the name says.
func (f fields) text(name string) string {
	if len(f[name]) == 0 {
		return ""
	}
	return webtext.Line(markup.Text(f[name][0]))
}

// texts are what the elements of the name say.
func (f fields) texts(name string) []string {
	var texts []string
	for _, n := range f[name] {
		if text := webtext.Line(markup.Text(n)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// link is where the attribute of the first element of the name leads, "" where
// that is no web address.
func (r *turnReader) link(f fields, name, key string) string {
	if len(f[name]) == 0 {
		return ""
	}
	link, _ := r.destination(f[name][0], key)
	return link
}

// first is where the first element of the kind leads, the card itself included.
func (r *turnReader) first(card *html.Node, kind atom.Atom, key string) string {
	found := card
	if card.DataAtom != kind {
		for n := range card.Descendants() {
			if n.DataAtom == kind {
				found = n
				break
			}
		}
	}
	link, _ := r.destination(found, key)
	return link
}

func (r *turnReader) destination(n *html.Node, key string) (string, bool) {
	return webtext.Destination(markup.Attr(n, key), r.base, r.page.layout.Own)
}

// dateIn is the first date in the element.
func dateIn(n *html.Node) string {
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.Time {
			return webtext.Line(markup.Attr(inner, "datetime"))
		}
	}
	return ""
}
