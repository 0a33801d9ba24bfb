package genassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/rawdoc"
)

// ownSources are the utm_source values that the assistant adds to its links.
var ownSources = []string{"gemini", "gemini.google.com"}

// Read reads a document: the stream, a page that shows the answer, or an answer of the official
// API. It returns everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
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

// page is the layout of the site. Its custom element names are more stable than its classes, so the
// layout uses a class only if there is nothing else. A chip shows only the name of its first
// source. The footnotes before the chip say which sources it cites: each is a number on the list of
// sources.
var page = chatpage.New(chatpage.Layout{
	User:    "user-query",
	Turn:    "model-response response-container", // a shared page has only the second one
	Message: "message-content",
	Body:    ".markdown",
	Aside:   "model-thoughts thinking-overlay",
	Ignored: ".cdk-visually-hidden .code-block-decoration [hide-from-message-actions] immersive-entry-chip mat-icon",

	// In a page that was saved from a browser, the sources of a chip follow its paragraph, because
	// a carousel cannot be inside a paragraph.
	Chip:       "sources-carousel-inline sources-carousel",
	Note:       "source-footnote",
	NoteNumber: "data-turn-source-index",
	Sources:    "sources-list",

	Model:   "[data-test-id=logo-pill-label-container]",
	Related: "suggestion-chips",
	Image:   "single-image generated-image",
	Formula: "data-math",

	// Only in the lab: no capture shows these.
	Queries:    "[data-test-id=search-queries]",
	MapQueries: "[data-test-id=map-search-queries]",

	Field: "data-test-id",
})
