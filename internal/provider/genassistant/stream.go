package genassistant

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// isStream reports whether the document is a stream of the site, with or without the guard that
// precedes everything that the site serves.
func isStream(document []byte) bool {
	if bytes.HasPrefix(document, []byte(rawdoc.ScriptGuard)) {
		return true
	}
	head := bytes.TrimLeft(document[:min(len(document), 200)], "0123456789 \r\n\t")
	return bytes.HasPrefix(head, []byte(`[["`+messageFrame+`"`)) || bytes.HasPrefix(head, []byte(`["`+messageFrame+`"`))
}

// readStream reads a stream of JSON values that alternate between the length of the next value and
// the value itself. Each message repeats the answer so far, so the last message with an answer
// counts.
func readStream(document []byte, want answer.Options) (*earshot.Answer, error) {
	body := bytes.TrimPrefix(document, []byte(rawdoc.ScriptGuard))
	var result *earshot.Answer
	err := rawdoc.ReadJSON(body, func() error {
		var s stream
		s.read([]byte(webtext.ValidText(string(body))))
		if err := s.check(); err != nil {
			return err
		}
		result = s.reply.answer(s.model, want)
		return nil
	})
	return answer.NotEmpty(result, err)
}

// stream is what the messages have said so far.
type stream struct {
	messages    int
	reply       *reply
	model       string
	emptyReply  bool // there was a reply without text
	ended       bool
	cut         bool
	errorNumber int // the site's error number
	failed      bool
}

// read reads all values of a stream.
func (s *stream) read(body []byte) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	for {
		var value any
		if err := dec.Decode(&value); err != nil {
			s.cut = !errors.Is(err, io.EOF)
			return
		}
		frames, _ := value.([]any)
		if asList(value).text(0) != "" { // a single frame
			frames = []any{value}
		}
		for _, frame := range frames {
			s.frame(asList(frame))
		}
	}
}

// Types of frames, by their first element. Other frames are ignored.
const (
	messageFrame = "wrb.fr"
	endFrame     = "e"
)

// frame reads one frame. A message contains its content as JSON in a string, or else an error.
func (s *stream) frame(frame list) {
	switch frame.text(0) {
	case endFrame:
		s.ended = true
	case messageFrame:
		s.messages++
		content, _ := loosejson.Decode(frame.text(2))
		message := asList(content)
		if reported := frame.list(5); message == nil && len(reported) > 0 {
			s.failed = true
			s.errorNumber = reported.below(2, 0, 1).number(0)
			return
		}
		s.emptyReply = s.emptyReply || strings.HasPrefix(message.below(4, 0).text(0), replyPrefix)
		if found := findReply(content); found != nil {
			s.reply = found
			if model := webtext.Line(message.text(modelField)); model != "" {
				s.model = model
			}
		}
	}
}

// refusals are the site's error numbers for too many questions, and for too many questions from our
// IP address.
var refusals = []int{1037, 1060}

// check returns an error if the stream has no complete answer.
func (s *stream) check() error {
	switch {
	case s.reply == nil && slices.Contains(refusals, s.errorNumber):
		return upstream.Fail(earshot.ReasonBlocked, "the stream reports %d", s.errorNumber)
	case s.reply == nil && s.failed:
		return upstream.Fail(earshot.ReasonUnavailable, "the stream reports %d", s.errorNumber)
	case s.messages == 0:
		return upstream.Fail(earshot.ReasonUnreadable, "the stream has no messages")
	case s.cut, s.reply != nil && !s.ended && s.reply.unfinished():
		return upstream.Fail(earshot.ReasonUnavailable, "the stream is cut off before the answer is complete")
	case s.reply == nil && s.emptyReply:
		return upstream.Fail(earshot.ReasonEmpty, "the answer has no text")
	case s.reply == nil:
		return upstream.Fail(earshot.ReasonUnreadable, "the stream has messages but no answer")
	default:
		return nil
	}
}
