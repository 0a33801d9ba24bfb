package chatassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
)

// inlineProduct notes a product that the text names.
func (r *messageReader) inlineProduct(reference answer.Object) replacement {
	product, ok := r.things.Product(reference.Object("product"))
	if !ok {
		if alt := reference.Text("alt"); alt != "" {
			alt = answer.EscapeMarkdown(alt)
			return replacement{alt, alt}
		}
		return gone
	}
	r.answer.InlineProducts = append(r.answer.InlineProducts, product)
	title := answer.EscapeMarkdown(product.Title)
	return replacement{title, "**" + title + "**"}
}

func (r *messageReader) shoppingCard(reference answer.Object) {
	card := earshot.ShoppingCard{
		Title:    reference.Text("title"),
		Tags:     reference.Texts("tags", "title"),
		Products: r.things.Products(reference.Objects("products")),
	}
	if len(card.Products) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
	}
}

func (r *messageReader) places(list []answer.Object) {
	for _, o := range list {
		r.answer.Places = r.things.AddPlace(r.answer.Places, o)
	}
}

func (r *messageReader) videos(list []answer.Object) {
	for _, o := range list {
		r.answer.Videos = r.things.AddVideo(r.answer.Videos, o)
	}
}

func (r *messageReader) images(list []answer.Object) {
	for _, o := range list {
		if link, ok := o.Destination(ownSources, "content_url", "url"); ok {
			r.answer.Images = append(r.answer.Images, link)
		} else if link, ok := o.Object("image_result").Destination(ownSources, "content_url"); ok {
			r.answer.Images = append(r.answer.Images, link)
		}
	}
}

// ads notes ads. The assistant shows them within its answer, and those with a
// price are for a product.
func (r *messageReader) ads(list []answer.Object) {
	for _, o := range list {
		ad := earshot.Ad{
			Position:    len(r.answer.Ads) + 1,
			Block:       "answer",
			Type:        "text",
			Title:       o.Text("title"),
			Description: o.Text("description"),
			Brand:       o.Text("brand"),
			Price:       answer.Price(o.Amount("price"), r.want.Country),
			Merchant:    o.Text("merchant"),
		}
		link, ok := o.Destination(ownSources, "url")
		if !ok {
			continue
		}
		ad.URL, ad.Domain = link, answer.Domain(link)
		ad.ImageURL, _ = o.Destination(ownSources, "image_url")
		if ad.Price != nil {
			ad.Type = "shopping"
		}
		r.answer.Ads = append(r.answer.Ads, ad)
	}
}
