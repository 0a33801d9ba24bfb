package answer

import (
	"slices"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// Things reads products, places, videos and similar objects from JSON. Interfaces use different names for
// the same field; the readers try all known names in turn.
type Things struct {
	Country string   // where the question was asked from; decides what an ambiguous currency sign means
	Own     []string // utm_source values that the engine adds to its links
}

// Product returns the product that an object describes. ok is false if the object has no title.
func (t Things) Product(o loosejson.Object) (product earshot.Product, ok bool) {
	product = earshot.Product{
		Title:       o.Text("title", "name"),
		ID:          o.Text("id", "product_id", "productId"),
		Description: o.Text("description", "snippet"),
		Price:       webtext.Price(o.Amount("price", "current_price", "price_string"), t.Country),
		OldPrice:    webtext.Price(o.Amount("list_price", "original_price", "old_price", "originalPrice"), t.Country),
		Merchant:    o.Text("merchant", "merchants", "merchant_name", "merchantName", "seller", "store"),
		Rating:      o.Number("rating", "stars"),
		Reviews:     o.Count("num_reviews", "review_count", "reviews", "rating_count", "reviewCount"),
		Images:      t.images(o),
	}
	product.URL, _ = o.Destination(t.Own, "url", "link", "product_url", "productUrl")
	if tag := o.Text("featured_tag", "tag"); tag != "" {
		product.Tags = []string{tag}
	}
	for _, item := range o.Objects("offers") {
		product.Offers = append(product.Offers, t.offer(item))
	}
	return product, product.Title != ""
}

// Products returns the products among the objects.
func (t Things) Products(list []loosejson.Object) []earshot.Product {
	var products []earshot.Product
	for _, o := range list {
		if product, ok := t.Product(o); ok {
			products = append(products, product)
		}
	}
	return products
}

func (t Things) offer(o loosejson.Object) earshot.Offer {
	offer := earshot.Offer{
		Merchant:     o.Text("merchant_name", "merchant", "merchantName", "seller", "store"),
		Title:        o.Text("title"),
		Price:        webtext.Price(o.Amount("price"), t.Country),
		OldPrice:     webtext.Price(o.Amount("list_price", "original_price", "originalPrice"), t.Country),
		Shipping:     o.Text("shipping", "delivery"),
		Condition:    o.Text("condition"),
		Available:    o.Flag("available"),
		Installments: o.Text("installments"),
	}
	offer.URL, _ = o.Destination(t.Own, "url", "link")
	return offer
}

// images returns the images of a product, from a list field or else from a field with a single
// image.
func (t Things) images(o loosejson.Object) []string {
	var links []string
	for _, field := range []string{"image_urls", "images", "imageUrls"} {
		for _, address := range o.Texts(field, "url") {
			if link, ok := webtext.Destination(address, nil, t.Own); ok {
				links = append(links, link)
			}
		}
	}
	if link, ok := o.Destination(t.Own, "image_url", "imageUrl", "image", "thumbnail"); ok && len(links) == 0 {
		links = append(links, link)
	}
	return links
}

// AddPlace appends the place that an object describes, if the place has a name.
func (t Things) AddPlace(list []earshot.Place, o loosejson.Object) []earshot.Place {
	coordinates := o
	if inner := o.Object("coordinates"); inner != nil {
		coordinates = inner
	}
	place := earshot.Place{
		Position:   len(list) + 1,
		Name:       o.Text("name", "title"),
		Address:    o.Text("address", "formatted_address"),
		Category:   o.Text("category", "type"),
		Rating:     o.Number("rating"),
		Reviews:    o.Count("review_count", "num_reviews", "reviews"),
		PriceLevel: o.Text("price_level", "price"),
		Phone:      o.Text("phone", "phone_number"),
		Hours:      o.Text("hours"),
		Latitude:   coordinates.Number("latitude", "lat"),
		Longitude:  coordinates.Number("longitude", "lng", "lon"),
	}
	place.Website, _ = o.Destination(t.Own, "website_url", "website", "url")
	place.Link, _ = o.Destination(t.Own, "map_url", "maps_url")
	if place.Name == "" {
		return list
	}
	return append(list, place)
}

// AddVideo appends the video that an object describes, if it has a URL that is not in the list yet.
func (t Things) AddVideo(list []earshot.Video, o loosejson.Object) []earshot.Video {
	link, ok := o.Destination(t.Own, "url", "link")
	if !ok || slices.ContainsFunc(list, func(v earshot.Video) bool { return v.URL == link }) {
		return list
	}
	thumbnail, _ := o.Destination(t.Own, "thumbnail_url", "thumbnail", "image")
	return append(list, earshot.Video{
		Position:  len(list) + 1,
		Title:     o.Text("title", "name"),
		URL:       link,
		Platform:  o.Text("platform", "source"),
		Channel:   o.Text("channel", "author"),
		Duration:  o.Text("duration"),
		Date:      o.Date("date", "published_date"),
		Thumbnail: thumbnail,
	})
}

// AddNew appends the texts that are neither empty nor in the list yet.
func AddNew(list earshot.List[string], texts ...string) earshot.List[string] {
	for _, text := range texts {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// maxQueries limits the queries of an answer; research that takes minutes has up to a hundred.
const maxQueries = 500

// AddQueries appends the queries that are neither empty nor in the list yet, up to maxQueries.
func AddQueries(list earshot.List[string], queries ...string) earshot.List[string] {
	room := max(0, maxQueries-len(list))
	return AddNew(list, queries[:min(room, len(queries))]...)
}

// AddEntity appends an entity unless the list has it. An entity without a kind gets the type
// "other".
func AddEntity(list earshot.List[earshot.Entity], name, kind string) earshot.List[earshot.Entity] {
	entity := earshot.Entity{Name: name, Type: kind}
	if kind == "" {
		entity.Type = "other"
	}
	if name == "" || slices.Contains(list, entity) {
		return list
	}
	return append(list, entity)
}

// NumberProducts sets the positions of all products of an answer: first the products on cards, then
// the products in the text.
func NumberProducts(a *earshot.Answer) {
	position := 0
	for _, card := range a.ShoppingCards {
		for i := range card.Products {
			position++
			card.Products[i].Position = position
		}
	}
	for i := range a.InlineProducts {
		position++
		a.InlineProducts[i].Position = position
	}
}
