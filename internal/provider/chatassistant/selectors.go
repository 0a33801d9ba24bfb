package chatassistant

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Where things stand on the mobile page. Roles and test ids outlast classes,
// which change with every release; a class stands here only where there is
// nothing else.
const (
	turnAttribute   = "data-turn"
	authorAttribute = "data-message-author-role"
	assistant       = "assistant" // the value of both where the assistant speaks
	modelAttribute  = "data-message-model-slug"
	bodyClass       = "markdown" // the text of a message

	idAttribute = "data-testid"

	idEntity        = "entity"
	idInlineProduct = "inline-product"
	idCarousel      = "product-carousel"
	idProductCard   = "product-card"
	idPlaceCard     = "place-card"
	idVideoCard     = "video-card"
	idImage         = "answer-image"
	idAd            = "ad-card"

	idQueries    = "search-queries"
	idMapQueries = "map-search-queries"
	idRelated    = "related-questions"

	idPageWidget = "nav-list-widget"
	idPageList   = "sources-list"
)

// isChip tells whether an element of the id shows what the text cites.
func isChip(id string) bool { return strings.HasSuffix(id, "citation-pill") }

// widgetEndings are those of the ids of widgets.
var widgetEndings = []string{"-widget", "-carousel", "-list", "-map", "-card"}

// isWidget tells whether the element, which has the id, is shown in or between
// the text without being part of it.
func isWidget(n *html.Node, id string) bool {
	return id == idImage || attribute(n, "role") == "tooltip" ||
		slices.ContainsFunc(widgetEndings, func(ending string) bool { return strings.HasSuffix(id, ending) })
}
