package chatassistant

import (
	"cmp"
	"math"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
)

// thing notes what the element shows, where that is something besides text.
func (r *pageReader) thing(e element) {
	switch e.id {
	case idEntity:
		if name := textOf(e.Node); name != "" {
			r.answer.Entities = addEntity(r.answer.Entities, name, attribute(e.Node, "data-entity-type"))
		}
	case idCarousel:
		r.shoppingCard(e)
	case idInlineProduct:
		if product, ok := r.product(e); ok {
			r.answer.InlineProducts = append(r.answer.InlineProducts, product)
		}
	case idPlaceCard:
		r.place(e)
	case idVideoCard:
		r.video(e)
	case idImage:
		if link, ok := r.destination(e.Node, "src"); ok {
			r.answer.Images = append(r.answer.Images, link)
		}
	case idAd:
		r.ad(e)
	case idQueries:
		r.answer.SearchQueries = append(r.answer.SearchQueries, e.items(r.turn)...)
	case idMapQueries:
		r.answer.MapSearchQueries = append(r.answer.MapSearchQueries, e.items(r.turn)...)
	case idRelated:
		r.answer.RelatedQueries = append(r.answer.RelatedQueries, e.items(r.turn)...)
	case idPageWidget, idPageList:
		r.lists = append(r.lists, e.Node)
	}
}

func (r *pageReader) shoppingCard(carousel element) {
	card := earshot.ShoppingCard{
		Title: carousel.parts.text("carousel-title"),
		Tags:  carousel.parts.texts("carousel-tag"),
	}
	for e := range carousel.parts.all(idProductCard) {
		if product, ok := r.product(e); ok {
			card.Products = append(card.Products, product)
		}
	}
	if len(card.Products) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
	}
}

func (r *pageReader) product(e element) (earshot.Product, bool) {
	product := earshot.Product{
		Title:       e.parts.text("product-title"),
		ID:          attribute(e.Node, "data-product-id"),
		Description: e.parts.text("product-description"),
		Price:       r.price(e, "product-price"),
		OldPrice:    r.price(e, "product-list-price"),
		Merchant:    e.parts.text("product-merchant"),
		Rating:      answer.Decimal(e.parts.text("product-rating")),
		Reviews:     answer.Count(e.parts.text("product-reviews")),
		Tags:        e.parts.texts("product-tag"),
	}
	product.URL, _ = r.destination(e.parts.first("product-link"), "href")
	for image := range e.parts.all("product-image") {
		if link, ok := r.destination(image.Node, "src"); ok {
			product.Images = append(product.Images, link)
		}
	}
	for offer := range e.parts.all("product-offer") {
		product.Offers = append(product.Offers, r.offer(offer))
	}
	return product, product.Title != ""
}

func (r *pageReader) offer(e element) earshot.Offer {
	offer := earshot.Offer{
		Merchant:  e.parts.text("offer-merchant"),
		Price:     r.price(e, "offer-price"),
		Shipping:  e.parts.text("offer-shipping"),
		Condition: e.parts.text("offer-condition"),
	}
	offer.URL, _ = r.destination(firstInside(e.Node, atom.A), "href")
	if hasAttribute(e.Node, "data-available") {
		yes := attribute(e.Node, "data-available") == "true"
		offer.Available = &yes
	}
	return offer
}

func (r *pageReader) place(e element) {
	place := earshot.Place{
		Position:   len(r.answer.Places) + 1,
		Name:       e.parts.text("place-name"),
		Address:    e.parts.text("place-address"),
		Category:   e.parts.text("place-category"),
		Rating:     answer.Decimal(e.parts.text("place-rating")),
		Reviews:    answer.Count(e.parts.text("place-reviews")),
		PriceLevel: e.parts.text("place-price-level"),
		Phone:      e.parts.text("place-phone"),
		Hours:      e.parts.text("place-hours"),
		Latitude:   coordinate(e.Node, "data-latitude"),
		Longitude:  coordinate(e.Node, "data-longitude"),
	}
	place.Website, _ = r.destination(e.parts.first("place-website"), "href")
	if place.Name != "" {
		r.answer.Places = append(r.answer.Places, place)
	}
}

func (r *pageReader) video(e element) {
	link, ok := r.destination(e.Node, "href")
	if !ok {
		return
	}
	thumbnail, _ := r.destination(firstInside(e.Node, atom.Img), "src")
	r.answer.Videos = append(r.answer.Videos, earshot.Video{
		Position:  len(r.answer.Videos) + 1,
		Title:     e.parts.text("video-title"),
		URL:       link,
		Platform:  e.parts.text("video-platform"),
		Channel:   e.parts.text("video-channel"),
		Duration:  e.parts.text("video-duration"),
		Date:      attribute(firstInside(e.Node, atom.Time), "datetime"),
		Thumbnail: thumbnail,
	})
}

func (r *pageReader) ad(e element) {
	link, ok := r.destination(firstInside(e.Node, atom.A), "href")
	if !ok {
		return
	}
	image, _ := r.destination(firstInside(e.Node, atom.Img), "src")
	r.answer.Ads = append(r.answer.Ads, newAd(earshot.Ad{
		Position:    len(r.answer.Ads) + 1,
		Title:       e.parts.text("ad-title"),
		URL:         link,
		Description: e.parts.text("ad-description"),
		Brand:       e.parts.text("ad-brand"),
		Price:       r.price(e, "ad-price"),
		Merchant:    e.parts.text("ad-merchant"),
		ImageURL:    image,
	}))
}

// pages notes the sources that the page lists rather than cites. A list without
// marks of our knowing still gives its links, each with all its text as label.
func (r *pageReader) pages() {
	for _, list := range r.lists {
		for a := range inside(list, atom.A) {
			if link, ok := r.destination(a, "href"); ok {
				r.sources.Add(listedPage(a, link))
			}
		}
	}
}

// listedPage is the source that the link a tells of.
func listedPage(a *html.Node, link string) earshot.Source {
	parts := findElements(a, 4)
	source := earshot.Source{
		URL:           link,
		Label:         parts.text("source-title"),
		Description:   parts.text("source-snippet"),
		DatePublished: attribute(firstInside(a, atom.Time), "datetime"),
	}
	if source.Label == "" {
		source.Label = cmp.Or(pictured(a), answer.Line(answer.PlainText(a)))
	}
	return source
}

// pictured is what the last picture in n shows.
func pictured(n *html.Node) string {
	text := ""
	for image := range inside(n, atom.Img) {
		if hasAttribute(image, "alt") {
			text = attribute(image, "alt")
		}
	}
	return answer.Line(text)
}

// destination is where the attribute leads. n may be nil.
func (r *pageReader) destination(n *html.Node, key string) (string, bool) {
	return answer.Destination(attribute(n, key), r.base, ownSources)
}

func (r *pageReader) price(e element, id string) *earshot.Price {
	return answer.Price(e.parts.text(id), r.want.Country)
}

func coordinate(n *html.Node, key string) *float64 {
	degrees, err := strconv.ParseFloat(attribute(n, key), 64)
	if err != nil || !(math.Abs(degrees) <= 180) { // NaN compares as false
		return nil
	}
	return &degrees
}
