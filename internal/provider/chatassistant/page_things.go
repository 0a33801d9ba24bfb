package chatassistant

import (
	"math"
	"strconv"

	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/answer"
)

// things notes what the turn shows besides text: entities, products, places,
// videos, images and ads.
func (r *pageReader) things(turn *goquery.Selection) {
	for _, e := range turn.Find(inEntity).EachIter() {
		if name := answer.Line(e.Text()); name != "" {
			r.answer.Entities = addEntity(r.answer.Entities, name, e.AttrOr("data-entity-type", ""))
		}
	}
	for _, carousel := range turn.Find(inCarousel).EachIter() {
		r.shoppingCard(carousel)
	}
	for _, e := range turn.Find(inInlineProduct).EachIter() {
		if product, ok := r.product(e); ok {
			r.answer.InlineProducts = append(r.answer.InlineProducts, product)
		}
	}
	for _, e := range turn.Find(inPlaceCard).EachIter() {
		r.place(e)
	}
	for _, e := range turn.Find(inVideoCard).EachIter() {
		r.video(e)
	}
	for _, e := range turn.Find(inImage).EachIter() {
		if link, ok := r.destination(e, "src"); ok {
			r.answer.Images = append(r.answer.Images, link)
		}
	}
	for _, e := range turn.Find(inAd).EachIter() {
		r.ad(e)
	}
}

func (r *pageReader) shoppingCard(carousel *goquery.Selection) {
	card := earshot.ShoppingCard{
		Title: part(carousel, "carousel-title"),
		Tags:  lines(carousel.Find(`[data-testid="carousel-tag"]`)),
	}
	for _, e := range carousel.Find(inProductCard).EachIter() {
		if product, ok := r.product(e); ok {
			card.Products = append(card.Products, product)
		}
	}
	if len(card.Products) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
	}
}

func (r *pageReader) product(e *goquery.Selection) (earshot.Product, bool) {
	product := earshot.Product{
		Title:       part(e, "product-title"),
		ID:          e.AttrOr("data-product-id", ""),
		Description: part(e, "product-description"),
		Price:       answer.Price(part(e, "product-price"), r.country),
		OldPrice:    answer.Price(part(e, "product-list-price"), r.country),
		Merchant:    part(e, "product-merchant"),
		Rating:      answer.Decimal(part(e, "product-rating")),
		Reviews:     answer.Count(part(e, "product-reviews")),
		Tags:        lines(e.Find(`[data-testid="product-tag"]`)),
	}
	product.URL, _ = r.destination(e.Find(`[data-testid="product-link"]`), "href")
	for _, image := range e.Find(`[data-testid="product-image"]`).EachIter() {
		if link, ok := r.destination(image, "src"); ok {
			product.Images = append(product.Images, link)
		}
	}
	for _, offer := range e.Find(`[data-testid="product-offer"]`).EachIter() {
		product.Offers = append(product.Offers, r.offer(offer))
	}
	return product, product.Title != ""
}

func (r *pageReader) offer(e *goquery.Selection) earshot.Offer {
	offer := earshot.Offer{
		Merchant:  part(e, "offer-merchant"),
		Price:     answer.Price(part(e, "offer-price"), r.country),
		Shipping:  part(e, "offer-shipping"),
		Condition: part(e, "offer-condition"),
	}
	offer.URL, _ = r.destination(e.Find("a[href]"), "href")
	if available, ok := e.Attr("data-available"); ok {
		yes := available == "true"
		offer.Available = &yes
	}
	return offer
}

func (r *pageReader) place(e *goquery.Selection) {
	place := earshot.Place{
		Position:   len(r.answer.Places) + 1,
		Name:       part(e, "place-name"),
		Address:    part(e, "place-address"),
		Category:   part(e, "place-category"),
		Rating:     answer.Decimal(part(e, "place-rating")),
		Reviews:    answer.Count(part(e, "place-reviews")),
		PriceLevel: part(e, "place-price-level"),
		Phone:      part(e, "place-phone"),
		Hours:      part(e, "place-hours"),
		Latitude:   coordinate(e, "data-latitude"),
		Longitude:  coordinate(e, "data-longitude"),
	}
	place.Website, _ = r.destination(e.Find(`[data-testid="place-website"]`), "href")
	if place.Name != "" {
		r.answer.Places = append(r.answer.Places, place)
	}
}

func (r *pageReader) video(e *goquery.Selection) {
	link, ok := r.destination(e, "href")
	if !ok {
		return
	}
	thumbnail, _ := r.destination(e.Find("img"), "src")
	r.answer.Videos = append(r.answer.Videos, earshot.Video{
		Position:  len(r.answer.Videos) + 1,
		Title:     part(e, "video-title"),
		URL:       link,
		Platform:  part(e, "video-platform"),
		Channel:   part(e, "video-channel"),
		Duration:  part(e, "video-duration"),
		Date:      e.Find("time").AttrOr("datetime", ""),
		Thumbnail: thumbnail,
	})
}

func (r *pageReader) ad(e *goquery.Selection) {
	link, ok := r.destination(e.Find("a[href]"), "href")
	if !ok {
		return
	}
	image, _ := r.destination(e.Find("img"), "src")
	r.answer.Ads = append(r.answer.Ads, newAd(earshot.Ad{
		Position:    len(r.answer.Ads) + 1,
		Title:       part(e, "ad-title"),
		URL:         link,
		Description: part(e, "ad-description"),
		Brand:       part(e, "ad-brand"),
		Price:       answer.Price(part(e, "ad-price"), r.country),
		Merchant:    part(e, "ad-merchant"),
		ImageURL:    image,
	}))
}

// pages notes the sources that the page lists rather than cites. A list without
// marks of our knowing still gives its links, each with all its text as label.
func (r *pageReader) pages(lists *goquery.Selection) {
	for _, a := range lists.Find("a[href]").EachIter() {
		link, ok := r.destination(a, "href")
		if !ok {
			continue
		}
		source := earshot.Source{
			URL:           link,
			Label:         part(a, "source-title"),
			Description:   part(a, "source-snippet"),
			DatePublished: a.Find("time").AttrOr("datetime", ""),
		}
		if source.Label == "" {
			source.Label = answer.Line(a.Find("img[alt]").Last().AttrOr("alt", ""))
		}
		if source.Label == "" {
			source.Label = answer.Line(answer.PlainText(a.Nodes[0]))
		}
		r.sources.Add(source)
	}
}

// destination is where the attribute of the first of the elements leads.
func (r *pageReader) destination(e *goquery.Selection, attribute string) (string, bool) {
	return answer.Destination(e.AttrOr(attribute, ""), r.base, ownSources)
}

// part is the text of the element in e that has the test id.
func part(e *goquery.Selection, id string) string {
	return answer.Line(e.Find(`[data-testid="` + id + `"]`).First().Text())
}

func coordinate(e *goquery.Selection, attribute string) *float64 {
	degrees, err := strconv.ParseFloat(e.AttrOr(attribute, ""), 64)
	if err != nil || !(math.Abs(degrees) <= 180) { // NaN compares as false
		return nil
	}
	return &degrees
}
