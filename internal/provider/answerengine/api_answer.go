package answerengine

import (
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/webtext"
)

// Limits on what is read of an answer. Real answers have up to about fifty pages.
const (
	maxPages = 1000
	maxLink  = 4 << 10 // bytes
	maxLinks = 1 << 20 // total bytes of the links of all chips
)

// text returns the text including its citations. It prefers the whole message to the deltas, unless
// the message is older than the deltas.
func (c *completion) text() string {
	text := c.pieces.String()
	if len(c.message) >= len(text) {
		text = c.message
	}
	return answer.WithoutThoughts(text)
}

// answer returns the complete answer.
func (c *completion) answer(want answer.Options) *earshot.Answer {
	r := &reader{
		answer: &earshot.Answer{Model: answer.ModelName(c.model), SearchQueries: c.queries},
		things: answer.Things{Country: want.Country, Own: ownSources},
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

// apiChips is like chip, but if the answer has pages, it also removes numbers that refer to none of
// them.
func (r *reader) apiChips() func(rest string) (mdtext.Replacement, int) {
	links := 0
	return func(rest string) (shown mdtext.Replacement, length int) {
		if links < maxLinks {
			shown, length = r.chip(rest)
		}
		if length == 0 && len(r.pages) > 0 {
			return mdtext.Removed, len(chip.FindString(rest))
		}
		links += len(shown.Markdown)
		return shown, length
	}
}

// results returns the pages that the search found.
func (c *completion) results() []answer.Citation { return describedPages(c.found) }

// pages returns the pages that numbers in the text refer to: the pages that the answer cites, or
// else the search results, or else the annotated pages.
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
	for _, about := range vendorapi.Pages(c.cited[:min(len(c.cited), maxPages)]) {
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

// describedPage returns the page that a result describes. The page has no URL if the result has
// none or one that is too long.
func describedPage(result loosejson.Object) answer.Citation {
	page := webPage(result)
	if len(page.Source.URL) > maxLink {
		return answer.Citation{}
	}
	return page
}
