package answerengine

import (
	"bytes"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
)

// ownSources are the utm_source values that the engine adds to its links.
var ownSources = []string{"engine.lab.test", "perplexity", "perplexity.ai"}

// Read reads a document: the event stream, a stored entry, a saved page, or an answer of the
// official API. It returns everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	body := rawdoc.Trimmed(document)
	var result *earshot.Answer
	var err error
	switch {
	case rawdoc.IsPage(body):
		return readPage(body, want)
	case recognisesAPI(body):
		return answer.FromAPI(readAPI(body, want))
	case rawdoc.IsStream(body):
		result, err = readStream(body, want)
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		result, err = readStored(body, want)
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "the document is neither a stream nor an entry")
	}
	return answer.NotEmpty(result, err)
}

// readStream reads the last entry of a stream.
func readStream(document []byte, want answer.Want) (*earshot.Answer, error) {
	var result *earshot.Answer
	err := rawdoc.ReadEvents(document, func(events []rawdoc.Event) error {
		entry := newAssembly()
		for _, event := range events {
			entry = entry.take(event)
		}
		if err := entry.check(); err != nil {
			return err
		}
		result = entry.answer(want)
		return nil
	})
	return result, err
}
