package chatassistant

import (
	"slices"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// cardField is the attribute that says what an element shows.
const cardField = "data-testid"

// page is the layout of the mobile page. Roles and test ids are more stable than classes, which
// change with every release, so the layout uses a class only if there is nothing else. Pages that
// do not mark turns have only messages.
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

	// Only in the lab: no capture shows these.
	Queries:    "[data-testid=search-queries]",
	MapQueries: "[data-testid=map-search-queries]",
	Related:    "[data-testid=related-questions]",

	Field: cardField,
	Own:   ownSources,
})

// productPrefix precedes the product's id.
const productPrefix = "shopping-product-metadata-"

// markCards adds the card names that chatpage reads to products and entities on a page. The parts of
// a product card are recognised by their position.
func markCards(page *goquery.Document, country string) {
	var products []*html.Node
	for n := range page.Nodes[0].Descendants() {
		switch name := markup.Attr(n, cardField); {
		case strings.HasPrefix(name, productPrefix):
			products = append(products, n)
		case name == "products-widget":
			markup.SetAttr(n, cardField, "product-carousel")
		case isEntity(n):
			markup.SetAttr(n, cardField, "entity")
		}
	}
	for _, about := range products[:min(len(products), maxThings)] {
		markProduct(about, country)
	}
}

// isEntity reports whether the element is an entity, a name that the user can open for details.
func isEntity(n *html.Node) bool {
	return n.DataAtom == atom.Span && markup.Attr(n, "role") == "button" &&
		slices.Contains(strings.Fields(markup.Attr(n, "class")), "entity-underline")
}

// markProduct names the parts of a product card; about is the element with the card's text.
func markProduct(about *html.Node, country string) {
	card := about.Parent
	id := strings.TrimPrefix(markup.Attr(about, cardField), productPrefix)
	markup.RemoveAttr(about, cardField)
	markup.SetAttr(card, cardField, "product-card")
	markup.SetAttr(card, "data-product-id", id)
	if image := markup.Any(card, func(n *html.Node) bool { return n.DataAtom == atom.Img }); image != nil {
		markup.SetAttr(image, cardField, "product-image")
	}
	parts := goquery.NewDocumentFromNode(about).Children()
	parts.First().SetAttr(cardField, "product-title")
	parts.Eq(1).Children().Each(func(i int, part *goquery.Selection) {
		text := webtext.Line(part.Text())
		if price := webtext.Price(text, country); i == 0 && price != nil && price.Value != nil {
			part.SetAttr(cardField, "product-price")
		} else if strings.ContainsFunc(text, unicode.IsLetter) {
			part.SetAttr(cardField, "product-merchant")
		}
	})
}
