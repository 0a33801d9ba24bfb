package chatassistant

import (
	"bytes"

	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

// reading is everything that a document holds, asked for or not, but Markdown
// only where it is wanted.
type reading struct {
	answer *earshot.Answer
	page   bool // it was a page rather than messages
}

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"chat.lab.test", "chatgpt.com"}

// Parse reads everything that a stored document holds: a page, an event stream or
// a conversation. country is where it was asked from, which tells
// currencies apart. The error is an *upstream.Failure.
func Parse(document []byte, country string) (*earshot.Answer, error) {
	return Read(document, answer.Want{Country: country, Markdown: true})
}

// Read is Parse for what is wanted.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	found, err := parse(document, want)
	if err != nil {
		return nil, err
	}
	return found.answer, nil
}

// parse tells the shape by how the document begins and reads it.
func parse(document []byte, want answer.Want) (*reading, error) {
	body := rawdoc.Trimmed(document)
	var found reading
	var err error
	switch {
	case responses.Recognises(body):
		found.answer, err = answer.FromAPI(responses.Read(body, want))
	case bytes.HasPrefix(body, []byte("<")):
		found.page = true
		found.answer, err = page.ReadPrepared(body, want, func(shown *goquery.Document) { markCards(shown, want.Country) })
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		found.answer, err = readConversation(body, want)
	case rawdoc.IsStream(body):
		found.answer, err = readStream(body, want)
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "neither a page nor a stream")
	}
	if err != nil {
		return nil, err
	}
	if found.answer.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	answer.NumberProducts(found.answer)
	return &found, nil
}
