package officeassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
)

// ownSources are the utm_source values that the assistant adds to its links.
var ownSources = []string{"office.lab.test", "copilot.com"}

// Read reads a document: the events of the site, a page that shows the answer, or an answer of an
// official API. It returns everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	switch body := rawdoc.Trimmed(document); {
	case responses.Recognises(body):
		return answer.FromAPI(responses.Read(body, want))
	case recognisesEvents(body):
		return readEvents(body, want)
	default:
		return page.Read(document, want)
	}
}

// page is the layout of the site: turns by author, everything else by roles and test ids. A
// citation is one or more superscript numbers, each a link to an item of the reference list below
// the text. The site has two variants: the public one marks content by its kind, the one for work
// has test ids.
var page = chatpage.New(chatpage.Layout{
	User:    "[data-author=user] [data-content=user-message] [data-testid=chatQuestion]",
	Turn:    "[data-author=assistant] [data-content=ai-message] [data-testid=copilot-message-div] [data-testid=markdown-reply] .fai-CopilotMessage",
	Message: "[data-testid=message-text] [data-content=ai-message] [data-testid=markdown-reply] .fai-CopilotMessage__content",
	Ignored: "[data-testid=message-item-reactions]",

	// Only in the lab: no capture shows these.
	Aside:      "[data-testid=search-steps]",
	Chip:       "[data-testid=citation]",
	Sources:    "[role=doc-endnotes]",
	Model:      "[data-testid=model-name]",
	Queries:    "[data-testid=search-query]",
	MapQueries: "[data-testid=map-search-query]",
	Related:    "[data-testid=suggestion-chip]",

	Field: "data-testid",
	Own:   ownSources,
})
