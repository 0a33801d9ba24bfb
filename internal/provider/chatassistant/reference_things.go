package chatassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
)

// inlineProduct notes a product that the text names.
func (r *messageReader) inlineProduct(reference object) replacement {
	product, ok := r.product(reference.object("product"))
	if !ok {
		if alt := reference.text("alt"); alt != "" {
			alt = answer.EscapeMarkdown(alt)
			return replacement{alt, alt}
		}
		return gone
	}
	r.answer.InlineProducts = append(r.answer.InlineProducts, product)
	title := answer.EscapeMarkdown(product.Title)
	return replacement{title, "**" + title + "**"}
}

func (r *messageReader) shoppingCard(reference object) {
	card := earshot.ShoppingCard{Title: reference.text("title"), Tags: reference.texts("tags", "title")}
	for _, item := range reference.objects("products") {
		if product, ok := r.product(item); ok {
			card.Products = append(card.Products, product)
		}
	}
	if len(card.Products) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
	}
}

func (r *messageReader) product(o object) (earshot.Product, bool) {
	product := earshot.Product{
		Title:       o.text("title", "name"),
		ID:          o.text("id", "product_id"),
		Description: o.text("description"),
		Price:       answer.Price(o.amount("price"), r.want.Country),
		OldPrice:    answer.Price(o.amount("list_price", "original_price"), r.want.Country),
		Merchant:    o.text("merchant", "merchants"),
		Rating:      o.number("rating"),
		Reviews:     o.count("num_reviews", "review_count"),
		Images:      r.links(o.texts("image_urls", "url")),
	}
	product.URL, _ = destination(o, "url")
	if tag := o.text("featured_tag"); tag != "" {
		product.Tags = []string{tag}
	}
	for _, item := range o.objects("offers") {
		product.Offers = append(product.Offers, r.offer(item))
	}
	return product, product.Title != ""
}

func (r *messageReader) offer(o object) earshot.Offer {
	offer := earshot.Offer{
		Merchant:     o.text("merchant_name", "merchant"),
		Title:        o.text("title"),
		Price:        answer.Price(o.amount("price"), r.want.Country),
		OldPrice:     answer.Price(o.amount("list_price"), r.want.Country),
		Shipping:     o.text("shipping", "delivery"),
		Condition:    o.text("condition"),
		Available:    o.flag("available"),
		Installments: o.text("installments"),
	}
	offer.URL, _ = destination(o, "url")
	return offer
}

func (r *messageReader) places(list []object) {
	for _, o := range list {
		place := earshot.Place{
			Position:   len(r.answer.Places) + 1,
			Name:       o.text("name", "title"),
			Address:    o.text("address"),
			Category:   o.text("category"),
			Rating:     o.number("rating"),
			Reviews:    o.count("review_count", "num_reviews"),
			PriceLevel: o.text("price_level"),
			Phone:      o.text("phone"),
			Hours:      o.text("hours"),
			Latitude:   o.number("latitude"),
			Longitude:  o.number("longitude"),
		}
		place.Website, _ = destination(o, "website_url", "url")
		if place.Name != "" {
			r.answer.Places = append(r.answer.Places, place)
		}
	}
}

func (r *messageReader) videos(list []object) {
	for _, o := range list {
		link, ok := destination(o, "url")
		if !ok {
			continue
		}
		thumbnail, _ := destination(o, "thumbnail_url")
		r.answer.Videos = append(r.answer.Videos, earshot.Video{
			Position:  len(r.answer.Videos) + 1,
			Title:     o.text("title"),
			URL:       link,
			Platform:  o.text("platform"),
			Channel:   o.text("channel"),
			Duration:  o.text("duration"),
			Date:      o.date("date"),
			Thumbnail: thumbnail,
		})
	}
}

func (r *messageReader) images(list []object) {
	for _, o := range list {
		if link, ok := destination(o, "content_url", "url"); ok {
			r.answer.Images = append(r.answer.Images, link)
		} else if link, ok := destination(o.object("image_result"), "content_url"); ok {
			r.answer.Images = append(r.answer.Images, link)
		}
	}
}

func (r *messageReader) ads(list []object) {
	for _, o := range list {
		link, ok := destination(o, "url")
		if !ok {
			continue
		}
		image, _ := destination(o, "image_url")
		r.answer.Ads = append(r.answer.Ads, newAd(earshot.Ad{
			Position:    len(r.answer.Ads) + 1,
			Title:       o.text("title"),
			URL:         link,
			Description: o.text("description"),
			Brand:       o.text("brand"),
			Price:       answer.Price(o.amount("price"), r.want.Country),
			Merchant:    o.text("merchant"),
			ImageURL:    image,
		}))
	}
}

// newAd fills in what follows from the rest: the assistant shows ads within its
// answer, and those with a price are for a product.
func newAd(ad earshot.Ad) earshot.Ad {
	ad.Block, ad.Type, ad.Domain = "answer", "text", answer.Domain(ad.URL)
	if ad.Price != nil {
		ad.Type = "shopping"
	}
	return ad
}

// links are those of the addresses that are web addresses.
func (r *messageReader) links(addresses []string) []string {
	var links []string
	for _, address := range addresses {
		if link, ok := answer.Destination(address, nil, ownSources); ok {
			links = append(links, link)
		}
	}
	return links
}
