package genassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/rawdoc"
)

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"gemini", "gemini.google.com"}

// Read reads a document: the stream, a page that shows the answer, or an answer
// of the official API. It gives everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := rawdoc.Trimmed(document)
	switch {
	case recognisesAPI(body):
		return answer.FromAPI(readAPI(body, want))
	case isStream(body):
		return readStream(body, want)
	default:
		return page.Read(body, want)
	}
}

// page is where things stand. The interface is made of elements with names of
// their own, which outlast its classes; a class stands here only where there is
// nothing else. A chip shows the name of its first source only: which sources
// it stands for is told by the footnotes before it, which are numbers on the
// list of sources.
var page = chatpage.New(chatpage.Layout{
	User:    "user-query",
	Turn:    "model-response response-container", // a shared page has only the latter
	Message: "message-content",
	Body:    ".markdown",
	Aside:   "model-thoughts thinking-overlay",
	Ignored: ".cdk-visually-hidden .code-block-decoration [hide-from-message-actions] immersive-entry-chip mat-icon",

	// A page that was saved from a browser has the sources of a chip after its
	// paragraph, as a carousel cannot stand within one.
	Chip:       "sources-carousel-inline sources-carousel",
	Note:       "source-footnote",
	NoteNumber: "data-turn-source-index",
	Sources:    "sources-list",

	Model:   "[data-test-id=logo-pill-label-container]",
	Related: "suggestion-chips",
	Image:   "single-image generated-image",
	Formula: "data-math",

	// Lab only: no capture shows these.
	Queries:    "[data-test-id=search-queries]",
	MapQueries: "[data-test-id=map-search-queries]",

	Field: "data-test-id",
})
