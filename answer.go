package earshot

import "encoding/json"

// The answers of assistants. Positions count from 1. URLs are destinations; redirectLink
// is set only where the engine served a redirect instead of the destination.

// Answer is the answer of an assistant, or the AI overview of a search page. Lists that
// are always present are empty when there is nothing to list.
type Answer struct {
	Surface Surface `json:"surface"`
	// The vendor that answered, such as `cloro`. Absent unless `surface` is `vendor`, or an aggregator passed the question on.
	Via      string    `json:"via,omitempty"`
	Location *Location `json:"location,omitempty"`
	Text     string    `json:"text"`
	// `null` when the provider does not report a model.
	Model         *string            `json:"model"`
	Sources       List[Source]       `json:"sources"`
	CitationPills List[CitationPill] `json:"citationPills"`
	// The web searches that the assistant made. For chatassistant, only with `include.searchQueries`.
	SearchQueries List[string] `json:"searchQueries"`
	// The map searches that the assistant made. For chatassistant, only with `include.searchQueries`.
	MapSearchQueries List[string] `json:"mapSearchQueries"`
	// Follow-up questions that the provider suggests.
	RelatedQueries List[string] `json:"relatedQueries"`
	Entities       List[Entity] `json:"entities"`
	Places         []Place      `json:"places,omitempty"`
	Videos         []Video      `json:"videos,omitempty"`
	// Image URLs.
	Images []string `json:"images,omitempty" schema:"uri"`
	// For chatassistant, only with `include.shopping`.
	ShoppingCards []ShoppingCard `json:"shoppingCards,omitempty"`
	// Products named in the text. For chatassistant, only with `include.shopping`.
	InlineProducts []Product `json:"inlineProducts,omitempty"`
	// Only with `include.expandProducts`; empty when the provider shows no offers.
	ProductResults []Product `json:"productResults,omitzero" schema:"maxItems=6"`
	// For chatassistant, only with `include.ads`.
	Ads      []Ad   `json:"ads,omitempty"`
	Markdown string `json:"markdown,omitempty"`
	// The URL of the stored page; only with `include.html`. When the answer came as a stream, the page was rendered from the stream.
	HTML string `json:"html,omitempty" schema:"uri"`
	// The provider's raw response: one element for each event of a stream, or a single payload.
	RawResponse []json.RawMessage `json:"rawResponse,omitempty"`
}

// Source is a page that an answer cites.
type Source struct {
	Position      int    `json:"position" schema:"min=1"`
	URL           string `json:"url" schema:"uri"`
	Label         string `json:"label"`
	Domain        string `json:"domain"`
	Description   string `json:"description,omitempty"`
	DatePublished string `json:"datePublished,omitempty"`
	RedirectLink  string `json:"redirectLink,omitempty" schema:"redirectLink"`
	Post          *Post  `json:"post,omitempty"`
}

// Post is the author and text of a source that is a post in a social network.
type Post struct {
	Author   string `json:"author"`
	Text     string `json:"text,omitempty"`
	Platform string `json:"platform"`
}

// CitationPill is one source of one citation chip in an answer. Pills of the same chip
// share their `citationPillId`; `position` is the position of the source in `sources`.
type CitationPill struct {
	CitationPillID string `json:"citationPillId"`
	Position       int    `json:"position" schema:"min=1"`
	Label          string `json:"label"`
	URL            string `json:"url" schema:"uri"`
	Domain         string `json:"domain"`
	Description    string `json:"description,omitempty"`
	RedirectLink   string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Entity is something that the answer names, such as a brand, a product or a place.
type Entity struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Price is a price as displayed and, if the text can be parsed, as a number.
type Price struct {
	Raw      string   `json:"raw"`
	Value    *float64 `json:"value,omitempty"`
	Currency string   `json:"currency,omitempty"` // ISO 4217
}

// ShoppingCard is a titled group of products.
type ShoppingCard struct {
	Title    string        `json:"title,omitempty"`
	Tags     []string      `json:"tags,omitempty"`
	Products List[Product] `json:"products"`
}

// Product is a product for sale that an answer or a page shows. `position` counts over
// the whole answer.
type Product struct {
	Position       int             `json:"position" schema:"min=1"`
	Title          string          `json:"title"`
	ID             string          `json:"id,omitempty"`
	URL            string          `json:"url,omitempty" schema:"uri"`
	RedirectLink   string          `json:"redirectLink,omitempty" schema:"redirectLink"`
	Description    string          `json:"description,omitempty"`
	Price          *Price          `json:"price,omitempty"`
	OldPrice       *Price          `json:"oldPrice,omitempty"`
	Merchant       string          `json:"merchant,omitempty"`
	Rating         *float64        `json:"rating,omitempty"`
	Reviews        *int            `json:"reviews,omitempty" schema:"min=0"`
	Images         []string        `json:"images,omitempty" schema:"uri"`
	Tags           []string        `json:"tags,omitempty"`
	Offers         []Offer         `json:"offers,omitempty"`
	Specifications []Specification `json:"specifications,omitempty"`
}

// Specification is one technical detail of a product.
type Specification struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Offer is one merchant's price for a product.
type Offer struct {
	Merchant     string `json:"merchant"`
	Title        string `json:"title,omitempty"`
	URL          string `json:"url,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
	Price        *Price `json:"price,omitempty"`
	OldPrice     *Price `json:"oldPrice,omitempty"`
	Shipping     string `json:"shipping,omitempty"`
	Condition    string `json:"condition,omitempty"`
	Available    *bool  `json:"available,omitempty"`
	Installments string `json:"installments,omitempty"`
}

// Place is a business or a sight with an address.
type Place struct {
	Position     int      `json:"position" schema:"min=1"`
	Name         string   `json:"name"`
	Address      string   `json:"address,omitempty"`
	Category     string   `json:"category,omitempty"`
	Rating       *float64 `json:"rating,omitempty"`
	Reviews      *int     `json:"reviews,omitempty" schema:"min=0"`
	PriceLevel   string   `json:"priceLevel,omitempty"`
	Phone        string   `json:"phone,omitempty"`
	Website      string   `json:"website,omitempty" schema:"uri"`
	Link         string   `json:"link,omitempty" schema:"uri"`
	Hours        string   `json:"hours,omitempty"`
	Latitude     *float64 `json:"latitude,omitempty" schema:"min=-90,max=90"`
	Longitude    *float64 `json:"longitude,omitempty" schema:"min=-180,max=180"`
	RedirectLink string   `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Ad is a paid placement. `block` is its place on the page, `type` its kind.
type Ad struct {
	Position     int        `json:"position" schema:"min=1"`
	Block        string     `json:"block" schema:"enum=top|middle|bottom|side|answer"`
	Type         string     `json:"type" schema:"enum=text|shopping"`
	Title        string     `json:"title"`
	URL          string     `json:"url" schema:"uri"`
	Domain       string     `json:"domain"`
	Description  string     `json:"description,omitempty"`
	Brand        string     `json:"brand,omitempty"`
	Price        *Price     `json:"price,omitempty"`
	OldPrice     *Price     `json:"oldPrice,omitempty"`
	Merchant     string     `json:"merchant,omitempty"`
	ImageURL     string     `json:"imageUrl,omitempty" schema:"uri"`
	Sitelinks    []Sitelink `json:"sitelinks,omitempty"`
	RedirectLink string     `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Sitelink is an additional link under an ad.
type Sitelink struct {
	Title        string `json:"title"`
	URL          string `json:"url" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Video is a video that an answer or a page shows.
type Video struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	URL          string `json:"url" schema:"uri"`
	Platform     string `json:"platform,omitempty"`
	Channel      string `json:"channel,omitempty"`
	Duration     string `json:"duration,omitempty"`
	Date         string `json:"date,omitempty"`
	Thumbnail    string `json:"thumbnail,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}
