package socialassistant

import (
	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// ownSources are the names by which the assistant marks the links it gives.
var ownSources = []string{"social.lab.test", "grok.com", "grok"}

// Read reads a document: the stream of JSON lines, or a saved page. It gives
// everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := answer.Trimmed(document)
	if answer.IsPage(body) {
		return page.Read(body, want)
	}
	var result *earshot.Answer
	err := answer.ReadLines(body, func(lines []answer.Object) error {
		var s streamed
		for _, line := range lines {
			s.take(line)
		}
		if err := s.check(); err != nil {
			return err
		}
		result = s.answer(want)
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
