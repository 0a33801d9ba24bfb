package officeassistant

import (
	"regexp"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// recognisesEvents reports whether the document is a message of the interface, one event
// a line.
func recognisesEvents(document []byte) bool { return rawdoc.FirstPiece(document).Text("event") != "" }

// readEvents reads the events of a message. What is said comes in pieces of text; a
// citation stands behind the text that it backs.
func readEvents(document []byte, want answer.Want) (*earshot.Answer, error) {
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
	mdtext.Rewrite(m.text.String(), chipMark, m.chip).Fill(m.answer, want.Markdown)
	for _, source := range m.found {
		m.sources.Add(source)
	}
	m.sources.Fill(m.answer)
	if m.answer.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	return m.answer, nil
}

// message is what the events so far have told.
type message struct {
	answer  *earshot.Answer
	text    strings.Builder
	chips   [][]answer.Citation // of citations, in the order of the text
	citing  bool                // the last event was a citation
	found   []earshot.Source    // by searching
	sources answer.Sources
	ended   bool
	refused bool
	trouble string // what an event calls an error
}

// chipMark stands around the number of a chip in the text, which has none of its own.
const chipMark = "\x1a"

// take does what one event says.
func (m *message) take(event loosejson.Object) {
	name := event.Text("event")
	if name == "citation" {
		m.cite(event)
	}
	m.citing = name == "citation"
	switch name {
	case "appendText", "replaceText":
		if name == "replaceText" {
			m.text.Reset()
		}
		m.text.WriteString(strings.ReplaceAll(loosejson.AsText(event["text"]), chipMark, ""))
	case "suggestedFollowups":
		m.answer.RelatedQueries = answer.AddNew(m.answer.RelatedQueries, event.Texts("suggestions", "text")...)
	case "challenge":
		m.refused = true
	case "error":
		m.trouble = webtext.Line(event.Text("errorCode") + " " + event.Text("message"))
	case "done":
		m.ended = true
	default:
		m.takeOfLab(name, event)
	}
}

// takeOfLab does what events say that only the lab's assistant has: no recording shows
// them.
func (m *message) takeOfLab(name string, event loosejson.Object) {
	switch name {
	case "startMessage":
		if model := event.Text("model"); model != "" {
			m.answer.Model = &model
		}
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

// cite notes a citation. Those without text between them are one chip.
func (m *message) cite(event loosejson.Object) {
	source, ok := sourceOf(event)
	if !ok {
		return
	}
	if !m.citing || len(m.chips) == 0 {
		m.chips = append(m.chips, nil)
		m.text.WriteString(chipMark + strconv.Itoa(len(m.chips)) + chipMark)
	}
	last := &m.chips[len(m.chips)-1]
	*last = append(*last, answer.Citation{Source: source, Label: event.Text("publisher")})
}

func sourceOf(o loosejson.Object) (earshot.Source, bool) {
	link, ok := o.Destination(ownSources, "url")
	return earshot.Source{URL: link, Label: o.Text("title"), Description: o.Text("snippet"), DatePublished: o.Date("publishedDate")}, ok
}

var chipNumber = regexp.MustCompile(`^\x1a([0-9]+)\x1a`)

// chip gives what stands for the chip that the text begins with, and the length of its
// mark.
func (m *message) chip(text string) (shown mdtext.Replacement, length int) {
	mark := chipNumber.FindStringSubmatch(text)
	if mark == nil {
		return shown, 0
	}
	number, _ := strconv.Atoi(mark[1]) // as cite wrote it
	return m.sources.Cite(m.chips[number-1]), len(mark[0])
}

// check returns an error where the message ended without a complete answer.
func (m *message) check() error {
	switch {
	case m.ended:
		return nil
	case m.refused:
		return upstream.Fail(earshot.ReasonBlocked, "the events ask for a challenge")
	case m.trouble != "":
		return upstream.Fail(earshot.ReasonUnavailable, "the events report %q", m.trouble)
	default:
		return upstream.Fail(earshot.ReasonUnavailable, "the events end before the answer is whole")
	}
}
