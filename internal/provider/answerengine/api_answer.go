package answerengine

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// Limits on what is noted of an answer; real ones have up to some fifty pages.
const (
	maxPages = 1000
	maxLink  = 4 << 10 // bytes
	maxLinks = 1 << 20 // bytes of what all chips link to
)

// text is the text, with the citations in it. The whole message is preferred to
// its pieces, unless it is of an earlier moment.
func (c *completion) text() string {
	text := c.pieces.String()
	if len(c.message) >= len(text) {
		text = c.message
	}
	return withoutThoughts(text)
}

// withoutThoughts is the text without the thoughts that models which reason put
// before it.
func withoutThoughts(text string) string {
	thoughts, ok := strings.CutPrefix(strings.TrimLeft(text, " \r\n\t"), "<think>")
	if !ok {
		return text
	}
	_, said, _ := strings.Cut(thoughts, "</think>")
	return said
}

// answer is what was said.
func (c *completion) answer(want answer.Want) *earshot.Answer {
	r := &reader{
		answer: &earshot.Answer{SearchQueries: c.queries},
		things: answer.Things{Country: want.Country, Own: ownSources},
	}
	if c.model != "" {
		r.answer.Model = &c.model
	}
	r.pages = c.pages()
	for _, page := range slices.Concat(c.results(), r.pages) {
		if page.Source.URL != "" {
			r.sources.Add(page.Source)
		}
	}
	mdtext.Rewrite(c.text(), "[", r.apiChips()).Fill(r.answer, want.Markdown)
	r.answer.RelatedQueries = answer.AddNew(nil, c.fields.Texts("related_questions", "question")...)
	for _, link := range slices.Concat(c.fields.Texts("images", "image_url"), c.fields.Texts("images", "url")) {
		if target, ok := webtext.Destination(link, nil, ownSources); ok {
			r.answer.Images = answer.AddNew(r.answer.Images, target)
		}
	}
	for _, video := range c.fields.Objects("videos") {
		r.answer.Videos = r.things.AddVideo(r.answer.Videos, video)
	}
	r.sources.Fill(r.answer)
	return r.answer
}

// apiChips is chip, but takes numbers for citations even where they stand for no
// page, when others stand for one.
func (r *reader) apiChips() func(rest string) (mdtext.Replacement, int) {
	links := 0
	return func(rest string) (shown mdtext.Replacement, length int) {
		if links < maxLinks {
			shown, length = r.chip(rest)
		}
		if length == 0 && len(r.pages) > 0 {
			return mdtext.Gone, len(chip.FindString(rest))
		}
		links += len(shown.Markdown)
		return shown, length
	}
}

// results are the pages that the search found.
func (c *completion) results() []answer.Citation { return describedPages(c.found) }

// pages are those that the numbers in the text count: the addresses that the
// answer says it cites, or else what was found.
func (c *completion) pages() []answer.Citation {
	if len(c.cited) == 0 && len(c.found) > 0 {
		return c.results()
	}
	if len(c.cited) == 0 {
		return describedPages(c.notes)
	}
	known := map[string]answer.Citation{}
	for _, page := range slices.Concat(describedPages(c.notes), c.results()) {
		known[page.Source.URL] = page
	}
	var pages []answer.Citation
	for _, item := range c.cited[:min(len(c.cited), maxPages)] {
		about := loosejson.AsObject(item)
		if address := loosejson.AsText(item); address != "" {
			about = loosejson.Object{"url": address}
		}
		page := describedPage(about)
		if full, ok := known[page.Source.URL]; ok {
			page = full
		}
		pages = append(pages, page)
	}
	return pages
}

func describedPages(results []loosejson.Object) []answer.Citation {
	var pages []answer.Citation
	for _, result := range results[:min(len(results), maxPages)] {
		pages = append(pages, describedPage(result))
	}
	return pages
}

// describedPage is the page that a result describes, without an address when it
// has none that is fit to be followed.
func describedPage(result loosejson.Object) answer.Citation {
	page := webPage(result)
	if len(page.Source.URL) > maxLink {
		return answer.Citation{}
	}
	return page
}
