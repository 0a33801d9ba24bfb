package analysis

import (
	"strings"

	"earshot/internal/track/mention"
	"earshot/internal/track/source"
)

// maxSentence is the largest length of a citing sentence in bytes.
const maxSentence = 400

// CitingSentence is a sentence that cites a page.
type CitingSentence struct {
	source.Page
	Text string
}

// Citing returns the sentences of a result that cite pages, in the order of the text. A
// sentence that cites several pages is listed for each of them.
func (p *Panel) Citing(stored []byte) (all []CitingSentence, err error) {
	answer, err := decodeAnswer(stored)
	if err != nil || answer == nil {
		return nil, err
	}
	text, _ := answer.text("")
	for _, s := range p.rules.Citing(text) {
		for _, address := range s.URLs {
			if page, err := source.Parse(address); err == nil {
				all = append(all, CitingSentence{page, excerpt(text.Body, s)})
			}
		}
	}
	return all, nil
}

// excerpt returns the beginning of a sentence.
func excerpt(body string, s mention.CitingSentence) string {
	if s.End-s.Start <= maxSentence {
		return body[s.Start:s.End]
	}
	return strings.ToValidUTF8(body[s.Start:s.Start+maxSentence], "") + "…"
}
