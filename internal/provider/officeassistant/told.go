package officeassistant

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
)

// told is a reply: pieces of text, and citations where they stand between them,
// or a text that points at a list of pages by their numbers.
type told struct {
	pieces  []piece
	text    string
	listed  []*answer.Citation // nil where a number has no page
	related []string
	queries []string
	images  []string

	replaced int
}

// piece is text, or a citation. Pieces of one part of a reply have its name.
type piece struct {
	part     string
	text     string
	citation *answer.Citation
}

// say adds text to a part.
func (t *told) say(part, text string) { t.pieces = append(t.pieces, piece{part: part, text: text}) }

// maxReplaced is how often parts may be replaced; real ones are once, if at all.
const maxReplaced = 100

// replace puts text in the place of all that a part has said.
func (t *told) replace(part, text string) {
	if t.replaced++; t.replaced > maxReplaced {
		return
	}
	first := slices.IndexFunc(t.pieces, func(p piece) bool { return p.part == part && p.citation == nil })
	if first < 0 {
		t.say(part, text)
		return
	}
	t.pieces[first].text = text
	rest := slices.DeleteFunc(t.pieces[first+1:], func(p piece) bool { return p.part == part && p.citation == nil })
	t.pieces = t.pieces[:first+1+len(rest)]
}

// cite adds the page that an object describes.
func (t *told) cite(o answer.Object) {
	link, ok := o.Destination(ownSources, "url")
	if !ok {
		return
	}
	t.pieces = append(t.pieces, piece{citation: &answer.Citation{
		Source: earshot.Source{URL: link, Label: o.Text("title")},
		Label:  cmp.Or(o.Text("publisher"), answer.Domain(link)),
	}})
}

// answer is what was told.
func (t *told) answer(want answer.Want) *earshot.Answer {
	a := &earshot.Answer{}
	var sources answer.Sources
	written := t.numbered(t.text, &sources)
	if len(t.pieces) > 0 {
		written = t.joined(&sources)
	}
	for _, link := range answer.ProseLinks(written.Text) {
		if target, ok := answer.Destination(link.URL, nil, ownSources); ok {
			sources.Add(earshot.Source{URL: target, Label: answer.Flatten(link.Label)})
		}
	}
	written.Fill(a, want.Markdown)
	t.finish(a, &sources)
	return a
}

// joined are the pieces as one text. Citations that follow each other are one
// chip.
func (t *told) joined(sources *answer.Sources) answer.Replacement {
	var text, markdown strings.Builder
	var citations []answer.Citation
	write := func(shown answer.Replacement) {
		text.WriteString(shown.Text)
		markdown.WriteString(shown.Markdown)
	}
	for _, p := range append(t.pieces, piece{}) {
		if p.citation != nil {
			citations = append(citations, *p.citation)
			continue
		}
		if len(citations) > 0 {
			write(sources.Cite(citations))
			citations = nil
		}
		if text.Len()+len(p.text) <= answer.MaxText {
			write(answer.Replacement{Text: p.text, Markdown: p.text})
		}
	}
	return answer.Replacement{Text: text.String(), Markdown: markdown.String()}
}

// finish writes everything but the text into the answer.
func (t *told) finish(a *earshot.Answer, sources *answer.Sources) {
	for _, page := range t.listed {
		if page != nil {
			sources.Add(page.Source)
		}
	}
	a.SearchQueries = answer.AddNew(nil, t.queries...)
	a.RelatedQueries = answer.AddNew(nil, t.related...)
	for _, image := range t.images {
		if link, ok := answer.Destination(image, nil, ownSources); ok && !slices.Contains(a.Images, link) {
			a.Images = append(a.Images, link)
		}
	}
	sources.Fill(a)
}
