package answerengine

import (
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// recognisesAPI reports whether the document is a chat completion of the Sonar API, or an error with
// a number as its code, judged by its first object.
func recognisesAPI(document []byte) bool {
	first := rawdoc.FirstPiece(document)
	_, chosen := first["choices"].([]any)
	return chosen || strings.HasPrefix(first.Text("object"), "chat.") || isProblem(first)
}

func isProblem(o loosejson.Object) bool {
	return o.Object("error") != nil || o.Text("type") == "error" && o.Text("message") != ""
}

// readAPI reads a chat completion of the Sonar API, streamed or whole. The API ended on 2026-09-27;
// stored answers are still read again. A whole answer is complete even without a finish reason.
func readAPI(document []byte, want answer.Options) (*earshot.Answer, error) {
	want.Explain.Document("response of the API")
	var c completion
	err := rawdoc.ReadPieces(document, func(p rawdoc.Pieces) error {
		for _, object := range p.Objects {
			if err := c.take(object); err != nil {
				return err
			}
		}
		c.ended = c.ended || p.Done || p.Alone && !strings.HasSuffix(p.Objects[0].Text("object"), ".chunk")
		return c.check()
	})
	if err != nil {
		return nil, err
	}
	return c.answer(want), nil
}

// completion is the answer of the API as far as it was read. Chunks of a stream may repeat earlier
// ones.
type completion struct {
	model  string
	finish string // the finish reason
	ended  bool

	message string // the text of the last object that has a whole message
	pieces  strings.Builder
	cited   []any              // the addresses that numbers in the text refer to, from 1
	found   []loosejson.Object // search results
	notes   []loosejson.Object // cited pages, as services that forward to the API list them
	fields  loosejson.Object   // the latest value of each other list
	queries earshot.List[string]
}

// lists are the lists of an answer other than its sources.
var lists = []string{"images", "videos", "related_questions"}

// take adds an object of the answer.
func (c *completion) take(object loosejson.Object) error {
	if isProblem(object) {
		return vendorapi.RefusalObject(0, nil, object)
	}
	if model := object.Text("model"); model != "" {
		c.model = model
	}
	if cited, _ := object["citations"].([]any); len(cited) > 0 {
		c.cited = cited
	}
	if found := object.Objects("search_results"); len(found) > 0 {
		c.found = found
	}
	for _, field := range lists {
		if list, _ := object[field].([]any); len(list) > 0 {
			if c.fields == nil {
				c.fields = loosejson.Object{}
			}
			c.fields[field] = list[:min(len(list), maxPages)]
		}
	}
	c.queries = answer.AddQueries(c.queries, object.Texts("search_queries", "query")...)
	for _, choice := range object.Objects("choices") {
		if choice.Int("index") == 0 {
			c.choice(choice)
			break
		}
	}
	c.ended = c.ended || object.Text("object") == "chat.completion.done"
	return nil
}

// choice adds the first choice, the only one that we request.
func (c *completion) choice(choice loosejson.Object) {
	message, delta := choice.Object("message"), choice.Object("delta")
	if text := vendorapi.MessageText(message); text != "" {
		c.message = text
	}
	if c.pieces.Len() < webtext.MaxText {
		c.pieces.WriteString(vendorapi.MessageText(delta))
	}
	for _, part := range []loosejson.Object{message, delta} {
		for _, note := range part.Objects("annotations") {
			if page := note.Object("url_citation"); page != nil && len(c.notes) < maxPages {
				c.notes = append(c.notes, page)
			}
		}
		for _, step := range part.Objects("reasoning_steps") {
			c.queries = answer.AddQueries(c.queries, step.Object("web_search").Texts("search_keywords", "query")...)
		}
	}
	if reason := choice.Text("finish_reason"); reason != "" {
		c.finish, c.ended = reason, true
	}
}

// check returns an error if the answer is not complete.
func (c *completion) check() error {
	said := strings.TrimSpace(c.text()) != ""
	switch {
	case c.finish == "content_filter" && !said:
		return vendorapi.Blocked("the API refused to answer: %s", c.finish)
	case c.finish == "length", c.finish == "error", !c.ended:
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is incomplete: %q", c.finish)
	case !said:
		return upstream.Fail(earshot.ReasonEmpty, "the answer has no text")
	default:
		return nil
	}
}
