package chatassistant

import (
	"bytes"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

// ownSources are the utm_source values that the assistant adds to its links.
var ownSources = []string{"chat.lab.test", "chatgpt.com"}

// Read reads a document: a page, an event stream, a conversation, or an answer of the official API.
// It recognises the kind by the beginning of the document and returns everything that it finds. The
// error is an *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	body := rawdoc.Trimmed(document)
	var found *earshot.Answer
	var err error
	switch {
	case responses.Recognises(body):
		found, err = answer.FromAPI(responses.Read(body, want))
	case rawdoc.IsPage(body):
		found, err = readPage(body, want)
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		found, err = readConversation(body, want)
	case rawdoc.IsStream(body):
		found, err = readStream(body, want)
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "the document is neither a page nor a stream")
	}
	if found, err = answer.NotEmpty(found, err); err != nil {
		return nil, err
	}
	answer.NumberProducts(found)
	return found, nil
}
