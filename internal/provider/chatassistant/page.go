package chatassistant

import (
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"

	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/webtext"
)

// cardField is the attribute that tells what an element of the page shows.
const cardField = "data-testid"

// page is where things stand on the mobile page. Roles and test ids outlast
// classes, which change with every release; a class stands here only where there
// is nothing else. Pages that do not mark turns have messages only.
var page = chatpage.New(chatpage.Layout{
	User:    "[data-turn] [data-message-author-role]",
	Asked:   "[data-turn=user] [data-message-author-role=user]",
	Turn:    "[data-turn=assistant] [data-message-author-role=assistant]",
	Message: "[data-message-author-role=assistant]",
	Body:    ".markdown",
	Widget: "[role=tooltip] [data-testid$=-widget] [data-testid$=-widget-shell] [data-testid$=-carousel] [data-testid$=-list] " +
		"[data-testid$=-map] [data-testid$=-card]",

	Chip:    "[data-testid$=citation-pill]",
	Sources: "[data-testid=nav-list-widget] [data-testid=sources-list]",

	ModelName: "data-message-model-slug",

	// Lab only: no capture shows these.
	Queries:    "[data-testid=search-queries]",
	MapQueries: "[data-testid=map-search-queries]",
	Related:    "[data-testid=related-questions]",

	Field: cardField,
	Own:   ownSources,
})

// These find what the page shows of products and other things that it names. What
// is in a card is told by where it stands.
const (
	productMark  = `[data-testid^="` + productPrefix + `"]`
	carouselMark = `[data-testid="products-widget"]`
	entityMark   = `span.entity-underline[role="button"]`
)

// productPrefix stands before the product's id.
const productPrefix = "shopping-product-metadata-"

// markCards gives products and other named things on a page the names by which
// cards are read.
func markCards(page *goquery.Document, country string) {
	page.Find(entityMark).SetAttr(cardField, "entity")
	page.Find(carouselMark).SetAttr(cardField, "product-carousel")
	products := page.Find(productMark)
	products.Slice(0, min(products.Length(), maxThings)).Each(func(_ int, about *goquery.Selection) {
		id, _ := about.Attr(cardField)
		about.RemoveAttr(cardField)
		card := about.Parent()
		card.SetAttr(cardField, "product-card").SetAttr("data-product-id", strings.TrimPrefix(id, productPrefix))
		card.Find("img").First().SetAttr(cardField, "product-image")
		parts := about.Children()
		parts.First().SetAttr(cardField, "product-title")
		parts.Eq(1).Children().Each(func(i int, part *goquery.Selection) {
			text := webtext.Line(part.Text())
			if price := webtext.Price(text, country); i == 0 && price != nil && price.Value != nil {
				part.SetAttr(cardField, "product-price")
			} else if strings.ContainsFunc(text, unicode.IsLetter) {
				part.SetAttr(cardField, "product-merchant")
			}
		})
	})
}
