package labsite

import (
	"strconv"

	"earshot/internal/upstream/lab/world"
)

// The methods in this file write products, places, videos and ads in the form of the page.

func (m *markup) cards(cards []world.Card) {
	for _, card := range cards {
		m.fill(`<div data-testid="product-carousel"><div data-testid="carousel-title">{}</div>`, card.Title)
		m.each(`<span data-testid="carousel-tag">{}</span>`, card.Tags)
		m.fill("\n")
		for i := range card.Products {
			p := &card.Products[i]
			m.fill(`<div data-testid="product-card" data-product-id="{}"><div data-testid="product-title">{}</div>`, p.ID, p.Title)
			m.productFacts(p)
			m.fill("</div>\n")
		}
		m.fill("</div>\n")
	}
}

// inlineProduct writes a product that the text names, with details to unfold.
func (m *markup) inlineProduct(name string, p *world.Product) {
	m.fill(`<span data-testid="inline-product" data-product-id="{}"><strong data-testid="product-title">{}</strong><span role="tooltip" class="product-card" hidden>`, p.ID, name)
	m.productFacts(p)
	m.fill(`</span></span>`)
}

// productFacts writes a product's details without block elements, because they may be inside a
// paragraph.
func (m *markup) productFacts(p *world.Product) {
	if p.URL != "" {
		m.fill(`<a data-testid="product-link" href="{}" target="_blank" rel="noopener">{}</a>`, tracked(p.URL), p.Merchant)
	}
	m.fill(`<span data-testid="product-price">{}</span>`, p.Price)
	m.optional(`<s data-testid="product-list-price">{}</s>`, p.OldPrice)
	m.fill(`<span data-testid="product-merchant">{}</span>
<span data-testid="product-rating">{}</span><span data-testid="product-reviews">({})</span>
<span data-testid="product-description">{}</span>`, p.Merchant, p.Rating.StarsShown, p.Rating.ReviewsShown, p.Description)
	m.optional(`<span data-testid="product-tag">{}</span>`, p.Tag)
	m.each(`<img data-testid="product-image" alt="" src="{}">`, p.Images)
	m.fill(`<span data-testid="product-offers">`)
	for _, o := range p.Offers {
		m.fill(`<span data-testid="product-offer" data-available="{}"><a href="{}" target="_blank" rel="noopener"><span data-testid="offer-merchant">{}</span></a>`+
			`<span data-testid="offer-price">{}</span><span data-testid="offer-shipping">{}</span><span data-testid="offer-condition">{}</span></span>`,
			strconv.FormatBool(o.Available), tracked(o.URL), o.Merchant, o.Price, o.Shipping, o.Condition)
	}
	m.fill(`</span>`)
}

func (m *markup) places(places []world.Place) {
	if len(places) == 0 {
		return
	}
	m.fill(`<div data-testid="places-map">
`)
	for i := range places {
		p := &places[i]
		m.fill(`<div data-testid="place-card" data-latitude="{}" data-longitude="{}"><a data-testid="place-website" href="{}"><span data-testid="place-name">{}</span></a>`,
			degrees(p.Latitude), degrees(p.Longitude), tracked(p.Website), p.Name)
		m.fill(`<span data-testid="place-category">{}</span><span data-testid="place-price-level">{}</span>`+
			`<span data-testid="place-rating">{}</span><span data-testid="place-reviews">({})</span>`,
			p.Category, p.PriceLevel, p.Rating.StarsShown, p.Rating.ReviewsShown)
		m.fill(`<address data-testid="place-address">{}</address><span data-testid="place-phone">{}</span><span data-testid="place-hours">{}</span></div>
`, p.Address, p.Phone, p.Hours)
	}
	m.fill("</div>\n")
}

func degrees(angle float64) string { return strconv.FormatFloat(angle, 'f', -1, 64) }

func (m *markup) videos(videos []world.Video) {
	if len(videos) == 0 {
		return
	}
	m.fill(`<div data-testid="video-list">
`)
	for _, v := range videos {
		m.fill(`<a data-testid="video-card" href="{}"><img alt="" src="{}"><span data-testid="video-title">{}</span><span data-testid="video-platform">{}</span>`+
			`<span data-testid="video-channel">{}</span><span data-testid="video-duration">{}</span><time datetime="{}">{}</time></a>
`, tracked(v.URL), v.Thumbnail, v.Title, v.Platform, v.Channel, v.Duration, v.Date, v.Date)
	}
	m.fill("</div>\n")
}

func (m *markup) ads(ads []world.Ad) {
	for _, a := range ads {
		kind := "text"
		if a.Price != "" {
			kind = "shopping"
		}
		m.fill(`<aside data-testid="ad-card" data-ad-type="{}"><span data-testid="ad-brand">{}</span>`+
			`<a href="{}" target="_blank" rel="sponsored noopener"><span data-testid="ad-title">{}</span></a><p data-testid="ad-description">{}</p>`,
			kind, a.Brand, tracked(a.URL), a.Title, a.Description)
		if a.Price != "" {
			m.fill(`<img alt="" src="{}"><span data-testid="ad-price">{}</span><span data-testid="ad-merchant">{}</span>`, a.Image, a.Price, a.Merchant)
		}
		m.fill("</aside>\n")
	}
}
