package officeassistant

import (
	"bytes"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/responses"
	"earshot/internal/upstream"
)

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"office.lab.test", "copilot.com"}

// separator stands between the messages of the older interface.
const separator = '\x1e'

// Read reads a document: a page that shows the answer, the messages with which
// an interface tells it, or an answer of an official API. It gives everything
// that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := answer.Trimmed(document)
	if responses.Recognises(body) {
		return answer.FromAPI(responses.Read(body, want))
	}
	if answer.IsPage(body) || !bytes.HasPrefix(body, []byte("{")) && !bytes.HasPrefix(body, []byte("[")) {
		return page.Read(body, want)
	}
	var result *earshot.Answer
	err := answer.ReadJSON(body, func() error {
		told, err := toldBy(messagesIn(body))
		if err != nil {
			return err
		}
		result = told.answer(want)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if result.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	return result, nil
}

// messagesIn are the objects in a document: one, a list of them, or one after the
// other with a line's end or the separator between them.
func messagesIn(body []byte) []answer.Object {
	text := answer.ValidText(string(body))
	if value, whole := answer.DecodeJSON(text); whole {
		if one := answer.AsObject(value); one != nil {
			return []answer.Object{one}
		}
		return answer.AsObjects(value)
	}
	var messages []answer.Object
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == separator }) {
		value, _ := answer.DecodeJSON(part)
		if message := answer.AsObject(value); message != nil {
			messages = append(messages, message)
		}
	}
	return messages
}

// toldBy is the last reply in the messages, which are those of a stored
// conversation, or of a connection in the newer or the older form.
func toldBy(messages []answer.Object) (*told, error) {
	if len(messages) == 1 {
		if reply := lastReply(messages[0]); reply != nil {
			return storedReply(reply), nil
		}
	}
	var events connection
	var turns hub
	for _, message := range messages {
		events.take(message)
		turns.take(message)
	}
	if events.count > 0 {
		return &events.told, events.check()
	}
	if turns.count > 0 {
		return turns.reply()
	}
	return nil, upstream.Fail(earshot.ReasonUnreadable, "JSON, but no messages of an interface")
}
