package chatassistant

// Where things stand on the mobile page. Roles and test ids outlast classes,
// which change with every release; a class stands here only where there is
// nothing else.
const (
	inTurn             = `[data-turn="assistant"]`
	inAssistantMessage = `[data-message-author-role="assistant"]`
	inConversation     = `[data-message-author-role], [data-turn]`
	inBody             = `.markdown`
	modelAttribute     = "data-message-model-slug"

	inChip     = `[data-testid$="citation-pill"]`
	inPageList = `[data-testid="nav-list-widget"], [data-testid="sources-list"]`

	inEntity        = `[data-testid="entity"]`
	inInlineProduct = `[data-testid="inline-product"]`
	inCarousel      = `[data-testid="product-carousel"]`
	inProductCard   = `[data-testid="product-card"]`
	inPlaceCard     = `[data-testid="place-card"]`
	inVideoCard     = `[data-testid="video-card"]`
	inImage         = `[data-testid="answer-image"]`
	inAd            = `[data-testid="ad-card"]`

	inQueries    = `[data-testid="search-queries"] li`
	inMapQueries = `[data-testid="map-search-queries"] li`
	inRelated    = `[data-testid="related-questions"] li`

	// inWidgets are the parts of the body that are shown between the text.
	inWidgets = `[data-testid$="-widget"], [data-testid$="-carousel"], [data-testid$="-list"], ` +
		`[data-testid$="-map"], [data-testid$="-card"], [role="tooltip"], ` + inImage
)
