package chatassistant

import (
	"bytes"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// shape is which of the interface's documents was read.
type shape int

const (
	shapePage shape = iota
	shapeStream
	shapeConversation
)

// reading is everything that a document holds, asked for or not, but Markdown
// only where it is wanted.
type reading struct {
	shape  shape
	answer *earshot.Answer
}

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"chat.lab.test", "chatgpt.com"}

// Parse reads everything that a stored document holds: a mobile page, an event
// stream or a conversation. country is where it was asked from, which tells
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
	body := bytes.TrimSpace(bytes.TrimPrefix(document, []byte("\ufeff")))
	var found *reading
	var err error
	switch {
	case bytes.HasPrefix(body, []byte("<")):
		found, err = readPage(body, want)
	case bytes.HasPrefix(body, []byte("{")):
		found, err = readConversation(body, want)
	case isStream(body):
		found, err = readStream(body, want)
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "neither a page nor a stream")
	}
	if err != nil {
		return nil, err
	}
	if found.answer.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	numberProducts(found.answer)
	return found, nil
}

// numberProducts gives products their positions over the whole answer: those on
// cards first, then those in the text.
func numberProducts(a *earshot.Answer) {
	position := 0
	for _, card := range a.ShoppingCards {
		for i := range card.Products {
			position++
			card.Products[i].Position = position
		}
	}
	for i := range a.InlineProducts {
		position++
		a.InlineProducts[i].Position = position
	}
}
