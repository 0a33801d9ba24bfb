package genassistant

import (
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/webtext"
)

// Where things stand in a message and in a reply.
const (
	modelField = 42 // of a message: the name of the model as the page shows it

	textField     = 1  // the text, in a list
	stateField    = 8  // whether the reply is whole, in a list
	richField     = 12 // pictures and whatever else is not text
	cardTextField = 22 // the text, in a list, where a card stands in its place
	thoughtsField = 37

	webImages  = 1 // of the rich content
	madeImages = 7
)

// replyPrefix begins the id of a reply.
const replyPrefix = "rc_"

// growing is the state of a reply that is not whole yet.
const growing = 1

// reply is what the assistant says: the first of its drafts.
type reply struct{ list }

// findReply looks for a reply in a message, however it is wrapped: in a stream it
// stands elsewhere than in a conversation that is read again, where the newest
// comes first. Replies without text are passed over.
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

// answer is what the reply says.
func (r *reply) answer(model string, want answer.Want) *earshot.Answer {
	w := &writer{answer: &earshot.Answer{}, numbered: map[int]answer.Citation{}}
	if model != "" {
		w.answer.Model = &model
	}
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
	w.images(rich)
	w.text(r.text(), want.Markdown)
	w.finish()
	return w.answer
}

// card is what stands for the text where a card holds it.
var card = regexp.MustCompile(`^https?://googleusercontent\.com/card_content/[0-9]+`)

func (r *reply) text() string {
	said := r.list.list(textField).text(0)
	if instead := r.list.list(cardTextField).text(0); instead != "" && card.MatchString(said) {
		return instead
	}
	return said
}

// images notes the pictures of a reply: those that were found, and those that the
// assistant made.
func (w *writer) images(rich list) {
	for _, image := range rich.list(webImages) {
		w.image(asList(image).below(0, 0).text(0))
	}
	for _, image := range rich.below(madeImages, 0) {
		w.image(asList(image).below(0, 3).text(3))
	}
}

func (w *writer) image(link string) {
	if target, ok := webtext.Destination(link, nil, ownSources); ok {
		w.answer.Images = answer.AddNew(w.answer.Images, target)
	}
}
