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
func readMessages(envelopes []object, want answer.Want) *earshot.Answer {
	r := &messageReader{want: want, answer: &earshot.Answer{}}
	for _, envelope := range lastTurn(envelopes) {
		r.read(envelope.object("message"))
	}
	return r.finish()
}

// lastTurn is what comes after the user's last message.
func lastTurn(envelopes []object) []object {
	for i, envelope := range slices.Backward(envelopes) {
		m := envelope.object("message")
		if m.object("author").text("role") == "user" && !hidden(m) {
			return envelopes[i+1:]
		}
	}
	return envelopes
}

func hidden(message object) bool {
	yes := message.object("metadata").flag("is_visually_hidden_from_conversation")
	return yes != nil && *yes
}

// messageReader collects an answer over the messages of a turn.
type messageReader struct {
	want     answer.Want
	answer   *earshot.Answer
	sources  answer.Sources
	texts    []string
	markdown []string
	results  []object // search results, cited or not
}

func (r *messageReader) read(m object) {
	metadata := m.object("metadata")
	r.queries(metadata)
	if strings.HasPrefix(m.text("recipient"), "web") {
		r.toolCall(m.object("content"))
		return
	}
	for _, group := range metadata.objects("search_result_groups") {
		r.results = append(r.results, group.objects("entries")...)
	}
	if !shown(m) {
		return
	}
	if model := metadata.text("model_slug"); model != "" {
		r.answer.Model = &model
	}
	r.text(contentText(m.object("content")), metadata.objects("content_references"))
	r.ads(metadata.objects("ads"))
}

// shown tells whether the message is one that the user sees as the answer.
func shown(m object) bool {
	recipient, channel := m.text("recipient"), m.text("channel")
	return m.object("author").text("role") == "assistant" && !hidden(m) &&
		(recipient == "all" || recipient == "") &&
		(channel == "final" || channel == "")
}

// contentText is the text of a message's content, as much of it as an answer
// may have. Other kinds have none.
func contentText(content object) string {
	if kind := content.text("content_type"); kind != "text" && kind != "multimodal_text" {
		return ""
	}
	parts, _ := content["parts"].([]any)
	var texts []string
	for _, part := range parts {
		if text := asText(part); text != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, "\n\n")
	return strings.ToValidUTF8(text[:min(len(text), answer.MaxText)], "")
}

// queries notes what the message says was searched for.
func (r *messageReader) queries(metadata object) {
	r.answer.SearchQueries = addNew(r.answer.SearchQueries, metadata.object("search_model_queries").texts("queries", "q")...)
	r.answer.SearchQueries = addNew(r.answer.SearchQueries, metadata.texts("search_queries", "q")...)
}

// searchCall is how older assistants ask their search tool.
var searchCall = regexp.MustCompile(`search\("((?:[^"\\]|\\.)*)"`)

// toolCall notes what the assistant asked its search tool for.
func (r *messageReader) toolCall(content object) {
	code := asText(content["text"])
	if code == "" {
		code = contentText(content)
	}
	value, ok := decodeJSON(code)
	if !ok {
		for _, call := range searchCall.FindAllStringSubmatch(code, -1) {
			r.answer.SearchQueries = addNew(r.answer.SearchQueries, answer.Line(call[1]))
		}
		return
	}
	call := asObject(value)
	r.answer.SearchQueries = addNew(r.answer.SearchQueries, call.texts("search_query", "q")...)
	r.answer.MapSearchQueries = addNew(r.answer.MapSearchQueries, call.texts("business_query", "q")...)
}

// addNew appends those texts that the list does not have.
func addNew(list earshot.List[string], texts ...string) earshot.List[string] {
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
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
