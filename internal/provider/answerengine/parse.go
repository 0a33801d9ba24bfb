package answerengine

import (
	"bytes"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

// ownSources are the utm_source values that the engine adds to its links.
var ownSources = []string{"engine.lab.test", "perplexity", "perplexity.ai"}

// Read reads a document: the event stream, a stored entry, a saved page, or an answer of the
// official API. It returns everything that it finds. The error is an *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	switch body := rawdoc.Trimmed(document); {
	case rawdoc.IsPage(body):
		return readPage(body, want)
	case responses.Recognises(body):
		return answer.FromAPI(readAgent(body, want))
	case isProblem(rawdoc.FirstPiece(body)):
		return nil, vendorapi.RefusalObject(0, nil, rawdoc.FirstPiece(body))
	case rawdoc.IsStream(body):
		return answer.NotEmpty(readStream(body, want))
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		return answer.NotEmpty(readStored(body, want))
	default:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "the document is neither a stream nor an entry")
	}
}

// isProblem reports whether an object is an error of the official API, whose codes are numbers.
func isProblem(o loosejson.Object) bool {
	return o.Object("error") != nil || o.Text("type") == "error" && o.Text("message") != ""
}

// readStream reads the last entry of a stream.
func readStream(document []byte, want answer.Options) (*earshot.Answer, error) {
	var result *earshot.Answer
	err := rawdoc.ReadPieces(document, func(p rawdoc.Pieces) (err error) {
		result, err = readEvents(p.Objects, p.Done, want)
		return err
	})
	return result, err
}

// readEvents reads the last entry that the events describe. ended says that the stream has its end
// mark.
func readEvents(events []loosejson.Object, ended bool, want answer.Options) (*earshot.Answer, error) {
	entry := newAssembly()
	for _, event := range events {
		entry = entry.event(event)
	}
	entry.ended = entry.ended || ended
	if err := entry.check(); err != nil {
		return nil, err
	}
	return entry.answer(want), nil
}
