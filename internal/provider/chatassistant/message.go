package chatassistant

import (
	"regexp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
)

// readMessages puts the answer together from the messages that follow the last
// of the user's. Each is an object with the message inside.
func readMessages(envelopes []answer.Object, want answer.Want) *earshot.Answer {
	r := &messageReader{
		want:   want,
		things: answer.Things{Country: want.Country, Own: ownSources},
		answer: &earshot.Answer{},
	}
	for _, envelope := range lastTurn(envelopes) {
		r.read(envelope.Object("message"))
	}
	return r.finish()
}

// lastTurn is what comes after the user's last message.
func lastTurn(envelopes []answer.Object) []answer.Object {
	for i, envelope := range slices.Backward(envelopes) {
		m := envelope.Object("message")
		if m.Object("author").Text("role") == "user" && !hidden(m) {
			return envelopes[i+1:]
		}
	}
	return envelopes
}

func hidden(message answer.Object) bool {
	return message.Object("metadata").Is("is_visually_hidden_from_conversation")
}

// messageReader collects an answer over the messages of a turn.
type messageReader struct {
	want     answer.Want
	things   answer.Things
	answer   *earshot.Answer
	sources  answer.Sources
	texts    []string
	markdown []string
	results  []answer.Object // search results, cited or not
}

func (r *messageReader) read(m answer.Object) {
	metadata := m.Object("metadata")
	r.queries(metadata)
	if strings.HasPrefix(m.Text("recipient"), "web") {
		r.toolCall(m.Object("content"))
		return
	}
	for _, group := range metadata.Objects("search_result_groups") {
		r.results = append(r.results, group.Objects("entries")...)
	}
	if !shown(m) {
		return
	}
	if model := metadata.Text("model_slug"); model != "" {
		r.answer.Model = &model
	}
	r.text(contentText(m.Object("content")), metadata.Objects("content_references"))
	r.ads(metadata.Objects("ads"))
}

// shown tells whether the message is one that the user sees as the answer.
func shown(m answer.Object) bool {
	recipient, channel := m.Text("recipient"), m.Text("channel")
	return m.Object("author").Text("role") == "assistant" && !hidden(m) &&
		(recipient == "all" || recipient == "") &&
		(channel == "final" || channel == "")
}

// contentText is the text of a message's content, as much of it as an answer
// may have. Other kinds have none.
func contentText(content answer.Object) string {
	if kind := content.Text("content_type"); kind != "text" && kind != "multimodal_text" {
		return ""
	}
	parts, _ := content["parts"].([]any)
	var texts []string
	for _, part := range parts {
		if text := answer.AsText(part); text != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, "\n\n")
	return strings.ToValidUTF8(text[:min(len(text), answer.MaxText)], "")
}

// queries notes what the message says was searched for.
func (r *messageReader) queries(metadata answer.Object) {
	r.answer.SearchQueries = answer.AddNew(r.answer.SearchQueries, metadata.Object("search_model_queries").Texts("queries", "q")...)
	r.answer.SearchQueries = answer.AddNew(r.answer.SearchQueries, metadata.Texts("search_queries", "q")...)
}

// searchCall is how older assistants ask their search tool.
var searchCall = regexp.MustCompile(`search\("((?:[^"\\]|\\.)*)"`)

// toolCall notes what the assistant asked its search tool for.
func (r *messageReader) toolCall(content answer.Object) {
	code := answer.AsText(content["text"])
	if code == "" {
		code = contentText(content)
	}
	value, ok := answer.DecodeJSON(code)
	if !ok {
		for _, call := range searchCall.FindAllStringSubmatch(code, -1) {
			r.answer.SearchQueries = answer.AddNew(r.answer.SearchQueries, answer.Line(call[1]))
		}
		return
	}
	call := answer.AsObject(value)
	r.answer.SearchQueries = answer.AddNew(r.answer.SearchQueries, call.Texts("search_query", "q")...)
	r.answer.MapSearchQueries = answer.AddNew(r.answer.MapSearchQueries, call.Texts("business_query", "q")...)
}

// finish gives the answer once all messages are read. Search results lend their
// descriptions to the pages that the answer cites; where it cites none, they
// are the sources.
func (r *messageReader) finish() *earshot.Answer {
	cited := !r.sources.Empty()
	for _, result := range r.results {
		if page, ok := webPage(result); ok && (!cited || r.sources.Known(page.URL)) {
			r.sources.Add(page)
		}
	}
	r.sources.Fill(r.answer)
	r.answer.Text = strings.Join(r.texts, "\n\n")
	r.answer.Markdown = strings.Join(r.markdown, "\n\n")
	return r.answer
}
