package chatassistant

import (
	"earshot/internal/provider/chatpage"
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

	ModelName:  "data-message-model-slug",
	Queries:    "[data-testid=search-queries]",
	MapQueries: "[data-testid=map-search-queries]",
	Related:    "[data-testid=related-questions]",

	Field: cardField,
	Own:   ownSources,
})
