package officeassistant

import "earshot/internal/provider/answer"

// page is where things stand: turns by whom they are from, the rest by roles
// and test ids. A citation is one or more superscript numbers, each a link to an
// item of the reference list below the text.
var page = answer.NewPage(answer.Layout{
	User:    "[data-author=user]",
	Turn:    "[data-author=assistant]",
	Message: "[data-testid=message-text]",
	Aside:   "[data-testid=search-steps]",

	Chip:    "[data-testid=citation]",
	Sources: "[role=doc-endnotes]",

	Model:      "[data-testid=model-name]",
	Queries:    "[data-testid=search-query]",
	MapQueries: "[data-testid=map-search-query]",
	Related:    "[data-testid=suggestion-chip]",

	Field: "data-testid",
	Own:   []string{"office.lab.test", "copilot.com"},
})
