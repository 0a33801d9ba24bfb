package officeassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
)

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"office.lab.test", "copilot.com"}

// Read reads a document: a page that shows the answer, or an answer of an official
// API. It gives everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	if body := rawdoc.Trimmed(document); responses.Recognises(body) {
		return answer.FromAPI(responses.Read(body, want))
	}
	return page.Read(document, want)
}
