package chatassistant

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// readMessages reads the answer from the messages after the user's last one. Each envelope has the
// message in its field "message".
func readMessages(envelopes []loosejson.Object, want answer.Options) *earshot.Answer {
	r := &messageReader{
		want:   want,
		things: answer.Things{Country: want.Country, Own: ownSources},
		answer: &earshot.Answer{},
		pages:  map[string]loosejson.Object{},
	}
	turn := lastTurn(envelopes)
	r.channel = slices.ContainsFunc(turn, func(envelope loosejson.Object) bool {
		m := envelope.Object("message")
		return m.Text("channel") == finalChannel && isShown(m) && contentText(m.Object("content")) != ""
	})
	for _, envelope := range turn {
		r.read(envelope.Object("message"))
	}
	return r.finish()
}

// finalChannel is the channel on which newer models answer. On other channels they describe how
// they work.
const finalChannel = "final"

// lastTurn returns the messages after the user's last message.
func lastTurn(envelopes []loosejson.Object) []loosejson.Object {
	for i, envelope := range slices.Backward(envelopes) {
		m := envelope.Object("message")
		if m.Object("author").Text("role") == "user" && !isHidden(m) {
			return envelopes[i+1:]
		}
	}
	return envelopes
}

func isHidden(message loosejson.Object) bool {
	return message.Object("metadata").Is("is_visually_hidden_from_conversation")
}

// messageReader collects an answer from the messages of a turn.
type messageReader struct {
	want     answer.Options
	things   answer.Things
	answer   *earshot.Answer
	channel  bool // a message is on the final channel, so others do not count
	sources  answer.Sources
	texts    []string
	markdown []string
	size     int                         // bytes of text so far
	results  []loosejson.Object          // search results, cited or not
	pages    map[string]loosejson.Object // results by the names that marks in the text use
}

func (r *messageReader) read(m loosejson.Object) {
	metadata, content := m.Object("metadata"), m.Object("content")
	r.addQueries(m)
	r.addResults(metadata, content)
	if !isShown(m) || r.channel && m.Text("channel") != finalChannel {
		return
	}
	r.answer.Model = cmp.Or(answer.ModelName(metadata.Text("model_slug", "resolved_model_slug")), r.answer.Model)
	if text := contentText(content); r.size+len(text) <= webtext.MaxText {
		r.size += len(text)
		r.text(text, references(metadata))
	}
	addAds(r.answer, metadata.Objects("ads"), r.want.Country)
}

// isShown reports whether the user sees the message as part of the answer.
func isShown(m loosejson.Object) bool {
	recipient, channel := m.Text("recipient"), m.Text("channel")
	return m.Object("author").Text("role") == "assistant" && !isHidden(m) &&
		(recipient == "all" || recipient == "") &&
		(channel == finalChannel || channel == "") &&
		!m.Object("metadata").Is("is_thinking_preamble_message")
}

// contentText returns the text of a message's content, up to the maximum length of an answer. Only
// text content has one.
func contentText(content loosejson.Object) string {
	if kind := content.Text("content_type"); kind != "text" && kind != "multimodal_text" {
		return ""
	}
	parts, _ := content["parts"].([]any)
	var text strings.Builder
	for _, part := range parts {
		said := partText(part)
		if said == "" {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		room := webtext.MaxText - text.Len()
		if room <= 0 {
			break
		}
		text.WriteString(said[:min(len(said), room)])
	}
	return strings.ToValidUTF8(text.String(), "")
}

// partText returns the text of a part of a message, or the transcript of what the assistant said.
func partText(part any) string {
	o := loosejson.AsObject(part)
	switch kind := o.Text("content_type"); {
	case o == nil:
		return loosejson.AsText(part)
	case kind == "text", kind == "audio_transcription" && o.Text("direction") != "in":
		return loosejson.AsText(o["text"])
	default:
		return ""
	}
}

// finish returns the answer after all messages were read. Search results add descriptions to the
// pages that the answer cites. If it cites none, the search results are the sources.
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
