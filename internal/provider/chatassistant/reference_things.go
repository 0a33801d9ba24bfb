package chatassistant

import (
	"cmp"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

func (r *messageReader) entity(reference loosejson.Object) mdtext.Replacement {
	name := reference.Text("name", "alt")
	if name == "" {
		return mdtext.Removed
	}
	r.answer.Entities = answer.AddEntity(r.answer.Entities, name, reference.Text("category", "entity_type"))
	name = mdtext.Escape(name)
	return mdtext.Replacement{Text: name, Markdown: name}
}

// inlineProduct adds a product that the text names.
func (r *messageReader) inlineProduct(reference loosejson.Object) mdtext.Replacement {
	r.addSources(citeMap(reference))
	product, ok := r.things.Product(reference.Object("product"))
	if !ok {
		if alt := reference.Text("alt"); alt != "" {
			alt = mdtext.Escape(alt)
			return mdtext.Replacement{Text: alt, Markdown: alt}
		}
		return mdtext.Removed
	}
	r.answer.InlineProducts = append(r.answer.InlineProducts, product)
	title := mdtext.Escape(product.Title)
	return mdtext.Replacement{Text: title, Markdown: "**" + title + "**"}
}

func (r *messageReader) shoppingCard(reference loosejson.Object) {
	card := earshot.ShoppingCard{
		Title:    reference.Text("title"),
		Tags:     reference.Texts("tags", "title"),
		Products: r.things.Products(reference.Objects("products")),
	}
	if len(card.Products) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
	}
}

// places adds the businesses on a map, or the fallback that is shown instead of them.
func (r *messageReader) places(reference loosejson.Object) {
	list := reference.Objects("businesses")
	if len(list) == 0 {
		list = reference.Objects("business_fallbacks")
	}
	for _, o := range list {
		place := maps.Clone(o)
		place["address"] = o.Text("address", "location")
		place["category"] = o.Text("category")
		place["price_level"] = o.Text("price_str", "price_level", "price")
		place["map_url"] = cmp.Or(o.Text("map_url"), o.Text("provider_url"))
		if categories := o.Texts("categories", "title"); place["category"] == "" && len(categories) > 0 {
			place["category"] = categories[0]
		}
		r.answer.Places = r.things.AddPlace(r.answer.Places, place)
	}
}

// maxThings limits the recorded images and videos of an answer; real answers have a few
// dozen.
const maxThings = 500

func (r *messageReader) video(o loosejson.Object) {
	if len(r.answer.Videos) == maxThings {
		return
	}
	video := maps.Clone(o)
	video["platform"] = o.Text("platform", "video_site", "source")
	r.answer.Videos = r.things.AddVideo(r.answer.Videos, video)
}

// images adds images. If an image has a URL of its own, the field url is the page that it is on.
func (r *messageReader) images(list []loosejson.Object) {
	for _, o := range list {
		if result := o.Object("image_result"); result != nil {
			o = result
		}
		link, ok := o.Destination(ownSources, "content_url", "thumbnail_url", "url")
		if ok && len(r.answer.Images) < maxThings && !slices.Contains(r.answer.Images, link) {
			r.answer.Images = append(r.answer.Images, link)
		}
	}
}

// addAds adds the ads in a list of ads or of units with several ads. The assistant shows them within
// its answer; an ad with a price is for a product.
func addAds(a *earshot.Answer, list []loosejson.Object, country string) {
	for _, o := range slices.Concat(list, adCards(list)) {
		ad := earshot.Ad{
			Position:    len(a.Ads) + 1,
			Block:       "answer",
			Type:        "text",
			Title:       o.Text("title"),
			Description: o.Text("description", "body"),
			Brand:       o.Text("brand"),
			Price:       webtext.Price(o.Amount("price"), country),
			Merchant:    o.Text("merchant"),
		}
		link, ok := o.Destination(ownSources, "url")
		if !ok || len(a.Ads) == maxThings {
			continue
		}
		ad.URL, ad.Domain = link, webtext.Domain(link)
		ad.ImageURL, _ = o.Destination(ownSources, "image_url")
		if ad.Price != nil {
			ad.Type = "shopping"
		}
		a.Ads = append(a.Ads, ad)
	}
}

// adCards returns the cards of units of ads (2026) in the form of single ads. A unit has the cards of
// one advertiser, or a list of units.
func adCards(units []loosejson.Object) []loosejson.Object {
	var cards []loosejson.Object
	for _, unit := range units {
		for _, inner := range append(unit.Objects("ads"), unit) {
			for _, card := range inner.Objects("carousel_cards") {
				single := maps.Clone(card)
				single["brand"] = inner.Object("advertiser_brand").Text("name")
				single["url"] = card.Object("target").Text("value")
				cards = append(cards, single)
			}
		}
	}
	return cards
}
