package chatpage

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
)

// cards are what a page shows between or beside the text, by the name that
// Layout.Field gives them. What is in a card has names of the same kind, such as
// "product-title": one vocabulary for all assistants, since the captures that
// there are show no cards; where a page calls things otherwise, it is the place
// to tell so.
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
		r.unsaid = append(r.unsaid, n)
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

func (r *turnReader) offer(n *html.Node) earshot.Offer {
	f := r.fields(n)
	offer := earshot.Offer{
		Merchant:  f.text("offer-merchant"),
		URL:       r.first(n, atom.A, "href"),
		Price:     webtext.Price(f.text("offer-price"), r.want.Country),
		Shipping:  f.text("offer-shipping"),
		Condition: f.text("offer-condition"),
	}
	if available := markup.Attr(n, "data-available"); available != "" {
		yes := available == "true"
		offer.Available = &yes
	}
	return offer
}

func (r *turnReader) place(n *html.Node) {
	f := r.fields(n)
	place := earshot.Place{
		Position:   len(r.answer.Places) + 1,
		Name:       f.text("place-name"),
		Address:    f.text("place-address"),
		Category:   f.text("place-category"),
		Rating:     webtext.Decimal(f.text("place-rating")),
		Reviews:    webtext.Count(f.text("place-reviews")),
		PriceLevel: f.text("place-price-level"),
		Phone:      f.text("place-phone"),
		Website:    r.link(f, "place-website", "href"),
		Hours:      f.text("place-hours"),
		Latitude:   coordinate(n, "data-latitude"),
		Longitude:  coordinate(n, "data-longitude"),
	}
	if place.Name != "" {
		r.answer.Places = append(r.answer.Places, place)
	}
}

func (r *turnReader) video(n *html.Node) {
	f := r.fields(n)
	link := r.first(n, atom.A, "href")
	if link == "" {
		return
	}
	r.answer.Videos = append(r.answer.Videos, earshot.Video{
		Position:  len(r.answer.Videos) + 1,
		Title:     f.text("video-title"),
		URL:       link,
		Platform:  f.text("video-platform"),
		Channel:   f.text("video-channel"),
		Duration:  f.text("video-duration"),
		Date:      dateIn(n),
		Thumbnail: r.first(n, atom.Img, "src"),
	})
}

func (r *turnReader) image(n *html.Node) {
	if link := r.first(n, atom.Img, "src"); link != "" && !slices.Contains(r.answer.Images, link) {
		r.answer.Images = append(r.answer.Images, link)
	}
}

// ad notes an ad. Assistants show ads within their answer, and those with a
// price are for a product.
func (r *turnReader) ad(n *html.Node) {
	f := r.fields(n)
	ad := earshot.Ad{
		Position:    len(r.answer.Ads) + 1,
		Block:       "answer",
		Type:        "text",
		Title:       f.text("ad-title"),
		URL:         r.first(n, atom.A, "href"),
		Description: f.text("ad-description"),
		Brand:       f.text("ad-brand"),
		Price:       webtext.Price(f.text("ad-price"), r.want.Country),
		Merchant:    f.text("ad-merchant"),
		ImageURL:    r.first(n, atom.Img, "src"),
	}
	if ad.URL == "" {
		return
	}
	ad.Domain = webtext.Domain(ad.URL)
	if ad.Price != nil {
		ad.Type = "shopping"
	}
	r.answer.Ads = append(r.answer.Ads, ad)
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

func coordinate(n *html.Node, key string) *float64 {
	degrees, err := strconv.ParseFloat(markup.Attr(n, key), 64)
	if err != nil || !(math.Abs(degrees) <= 180) { // NaN compares as false
		return nil
	}
	return &degrees
}

// ReadProducts reads the products on a piece of a page that shows nothing else,
// with their offers and specifications, once prepare has changed it as for
// ReadPrepared. The error is an *upstream.Failure.
func (p *Page) ReadProducts(document []byte, want answer.Want, prepare func(*goquery.Document)) ([]earshot.Product, error) {
	var products []earshot.Product
	err := rawdoc.ReadHTML(bytes.TrimSpace(document), func(page *goquery.Document) error {
		prepare(page)
		r := turnReader{page: p, want: want}
		for n := range page.Nodes[0].Descendants() {
			if n.Type != html.ElementNode || p.marks.of(n)&partProduct == 0 {
				continue
			}
			if err := markup.CheckSize(n); err != nil {
				return err
			}
			product, ok := r.product(n)
			if !ok {
				continue
			}
			product.Position = len(products) + 1
			product.Specifications = r.specifications(n)
			products = append(products, product)
		}
		return nil
	})
	return products, err
}

func (r *turnReader) specifications(product *html.Node) []earshot.Specification {
	var list []earshot.Specification
	for _, line := range r.fields(product)["specification"] {
		f := r.fields(line)
		spec := earshot.Specification{Name: f.text("specification-name"), Value: f.text("specification-value")}
		if spec.Name != "" && spec.Value != "" {
			list = append(list, spec)
		}
	}
	return list
}
