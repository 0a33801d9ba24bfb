package genassistant

import (
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/webtext"
)

// Positions of fields in a message and in a reply.
const (
	modelField = 42 // of a message: the name of the model as the page shows it

	textField     = 1  // a list with the text
	stateField    = 8  // a list with the state of the reply
	richField     = 12 // images and other content that is not text
	cardTextField = 22 // a list with the text, if a card takes the text's place
	thoughtsField = 37

	webImages  = 1 // in the rich content
	madeImages = 7
)

// replyPrefix is the prefix of a reply's id.
const replyPrefix = "rc_"

// growing is the state of a reply that is not complete yet.
const growing = 1

// reply is the assistant's reply: the first of its drafts.
type reply struct{ list }

// findReply searches a message for a reply at any depth. Its position differs between a stream and
// a conversation that was loaded again, in which the newest reply comes first. Replies without text
// are skipped.
func findReply(value any) *reply {
	if items := asList(value); strings.HasPrefix(items.text(0), replyPrefix) && items.list(textField).text(0) != "" {
		return &reply{items}
	}
	for _, inner := range fields(value) {
		if found := findReply(inner); found != nil {
			return found
		}
	}
	return nil
}

func (r *reply) unfinished() bool { return r.list.list(stateField).number(0) == growing }

// answer returns the answer that the reply contains.
func (r *reply) answer(model string, want answer.Options) *earshot.Answer {
	w := &writer{answer: &earshot.Answer{Model: answer.ModelName(model)}, numbered: map[int]answer.Citation{}}
	rich := r.list.list(richField)
	for place, part := range r.list {
		switch place {
		case textField, thoughtsField:
		case richField:
			w.gatherRich(rich)
		default:
			w.gather(part)
		}
	}
	w.addImages(rich)
	w.text(r.text(), want.Markdown)
	w.finish()
	return w.answer
}

// card matches the link that replaces a text which is shown on a card.
var card = regexp.MustCompile(`^https?://googleusercontent\.com/card_content/[0-9]+`)

func (r *reply) text() string {
	said := r.list.list(textField).text(0)
	if instead := r.list.list(cardTextField).text(0); instead != "" && card.MatchString(said) {
		return instead
	}
	return said
}

// addImages adds the images of a reply: images from the web and generated images.
func (w *writer) addImages(rich list) {
	for _, image := range rich.list(webImages) {
		w.addImage(asList(image).below(0, 0).text(0))
	}
	for _, image := range rich.below(madeImages, 0) {
		w.addImage(asList(image).below(0, 3).text(3))
	}
}

func (w *writer) addImage(link string) {
	if target, ok := webtext.Destination(link, nil, ownSources); ok {
		w.answer.Images = answer.AddNew(w.answer.Images, target)
	}
}
