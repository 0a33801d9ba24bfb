package officeassistant

import (
	"cmp"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// recognisesEvents reports whether the document is a message of the site, one event per line.
func recognisesEvents(document []byte) bool { return rawdoc.FirstPiece(document).Text("event") != "" }

// readEvents reads the events of a message. The text comes in pieces; a citation follows the text
// that it supports.
func readEvents(document []byte, want answer.Options) (*earshot.Answer, error) {
	m := message{answer: &earshot.Answer{}}
	err := rawdoc.ReadPieces(document, func(p rawdoc.Pieces) error {
		for _, event := range p.Objects {
			m.take(event)
		}
		return m.check()
	})
	if err != nil {
		return nil, err
	}
	m.sources.Write(m.blocks).Fill(m.answer, want.Markdown)
	for _, source := range m.found {
		m.sources.Add(source)
	}
	m.sources.Fill(m.answer)
	return answer.NotEmpty(m.answer, nil)
}

// message is what the events have said so far.
type message struct {
	answer  *earshot.Answer
	blocks  []answer.Block
	citing  bool             // the last event was a citation
	found   []earshot.Source // search results
	sources answer.Sources
	ended   bool
	refused bool
	problem string // the error that an event reports
}

// take applies one event.
func (m *message) take(event loosejson.Object) {
	name := event.Text("event")
	if name == "citation" {
		m.cite(event)
	}
	m.citing = name == "citation"
	switch name {
	case "appendText", "replaceText":
		if name == "replaceText" {
			m.blocks = nil
		}
		m.blocks = append(m.blocks, answer.Block{Text: loosejson.AsText(event["text"])})
	case "suggestedFollowups":
		m.answer.RelatedQueries = answer.AddNew(m.answer.RelatedQueries, event.Texts("suggestions", "text")...)
	case "challenge":
		m.refused = true
	case "error":
		m.problem = webtext.Line(event.Text("errorCode") + " " + event.Text("message"))
	case "done":
		m.ended = true
	default:
		m.takeLabEvent(name, event)
	}
}

// takeLabEvent applies an event that only the lab's assistant sends. No recording shows these events.
func (m *message) takeLabEvent(name string, event loosejson.Object) {
	switch name {
	case "startMessage":
		m.answer.Model = cmp.Or(answer.ModelName(event.Text("model")), m.answer.Model)
	case "searchQuery":
		if event.Text("vertical") == "maps" {
			m.answer.MapSearchQueries = answer.AddNew(m.answer.MapSearchQueries, event.Text("query"))
		} else {
			m.answer.SearchQueries = answer.AddNew(m.answer.SearchQueries, event.Text("query"))
		}
	case "searchResults":
		for _, result := range event.Objects("results") {
			if source, ok := sourceOf(result); ok {
				m.found = append(m.found, source)
			}
		}
	case "image":
		if link, ok := event.Destination(ownSources, "url"); ok {
			m.answer.Images = answer.AddNew(m.answer.Images, link)
		}
	}
}

// cite adds a citation. Citations without text between them are one chip.
func (m *message) cite(event loosejson.Object) {
	source, ok := sourceOf(event)
	if !ok {
		return
	}
	if !m.citing || len(m.blocks) == 0 {
		m.blocks = append(m.blocks, answer.Block{})
	}
	last := &m.blocks[len(m.blocks)-1]
	last.Citations = append(last.Citations, answer.Citation{Source: source, Label: event.Text("publisher")})
}

func sourceOf(o loosejson.Object) (earshot.Source, bool) {
	link, ok := o.Destination(ownSources, "url")
	return earshot.Source{URL: link, Label: o.Text("title"), Description: o.Text("snippet"), DatePublished: o.Date("publishedDate")}, ok
}

// check returns an error if the message is not complete.
func (m *message) check() error {
	switch {
	case m.ended:
		return nil
	case m.refused:
		return upstream.Fail(earshot.ReasonBlocked, "the site asks for a challenge")
	case m.problem != "":
		return upstream.Fail(earshot.ReasonUnavailable, "the events report %q", m.problem)
	default:
		return upstream.Fail(earshot.ReasonUnavailable, "the events are cut off before the answer is complete")
	}
}
