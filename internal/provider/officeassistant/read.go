package officeassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
)

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"office.lab.test", "copilot.com"}

// Read reads a document: the events of the interface, a page that shows the answer, or an
// answer of an official API. It gives everything that it finds. The error is an
// *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	switch body := rawdoc.Trimmed(document); {
	case responses.Recognises(body):
		return answer.FromAPI(responses.Read(body, want))
	case recognisesEvents(body):
		return readEvents(body, want)
	default:
		return page.Read(document, want)
	}
}

// page is where things stand: turns by whom they are from, the rest by roles
// and test ids. A citation is one or more superscript numbers, each a link to an
// item of the reference list below the text. The assistant has two faces: one for
// everybody, which marks what is said by its kind, and one for work, which has
// test ids.
var page = chatpage.New(chatpage.Layout{
	User:    "[data-author=user] [data-content=user-message] [data-testid=chatQuestion]",
	Turn:    "[data-author=assistant] [data-content=ai-message] [data-testid=copilot-message-div] [data-testid=markdown-reply] .fai-CopilotMessage",
	Message: "[data-testid=message-text] [data-content=ai-message] [data-testid=markdown-reply] .fai-CopilotMessage__content",
	Ignored: "[data-testid=message-item-reactions]",

	// Lab only: no capture shows these.
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
