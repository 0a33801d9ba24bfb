package genassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
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
