package officeassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// connection is what the events of a connection have told so far.
type connection struct {
	told

	count     int
	ended     bool
	challenge bool
	trouble   string // what an event calls an error
}

// take does what one event says. How the assistant thinks is no text of its
// reply; what was sent to it is none either.
func (c *connection) take(event answer.Object) {
	kind := event.Text("event")
	if kind == "" {
		return
	}
	c.count++
	part, text := event.Text("partId"), answer.AsText(event["text"])
	switch kind {
	case "startMessage":
		*c = connection{count: c.count}
	case "appendText":
		c.say(part, text)
	case "replaceText":
		c.replace(part, text)
	case "citation":
		c.cite(event)
	case "imageGenerated":
		c.images = append(c.images, answer.AsText(event["url"]))
	case "suggestedFollowups":
		c.related = event.Texts("suggestions", "text")
	case "done":
		c.ended = true
	case "challenge":
		c.challenge = true
	case "error":
		c.trouble = event.Text("errorCode", "message")
	}
}

// check tells what is wrong with a connection that has come to its end.
func (c *connection) check() error {
	switch {
	case c.ended:
		return nil
	case c.trouble != "":
		return upstream.Fail(earshot.ReasonUnavailable, "the connection reports %q", c.trouble)
	case c.challenge && len(c.pieces) == 0:
		return upstream.Fail(earshot.ReasonBlocked, "the connection wants a challenge solved")
	default:
		return upstream.Fail(earshot.ReasonUnavailable, "the connection ends before the reply is whole")
	}
}

// lastReply is the newest of the assistant's messages in a stored conversation,
// nil where the object is none. Conversations are stored newest first, or with
// the time of each message.
func lastReply(conversation answer.Object) answer.Object {
	var newest answer.Object
	for _, field := range []string{"messages", "results"} {
		for _, message := range conversation.Objects(field) {
			author := message.Text("author")
			if inner := message.Object("author"); inner != nil {
				author = inner.Text("type")
			}
			if author == "ai" && (newest == nil || message.Text("createdAt") > newest.Text("createdAt")) {
				newest = message
			}
		}
	}
	return newest
}

// storedReply is a reply as a conversation keeps it: a list of text and citations
// in the order in which they were told.
func storedReply(message answer.Object) *told {
	var t told
	for _, content := range message.Objects("content") {
		switch content.Text("type") {
		case "text":
			t.say("", answer.AsText(content["text"]))
		case "citation":
			t.cite(content)
		case "image":
			t.images = append(t.images, answer.AsText(content["url"]))
		}
	}
	return &t
}
