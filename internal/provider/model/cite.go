package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/vendorapi/responses"
)

// cite fills in the text and its sources. An annotation with a range cites that range. Pages without
// a range are sources, and the numbers in the text cite them.
func (c *completion) cite(a *earshot.Answer, want answer.Options) {
	text := answer.WithoutThoughts(c.text.String())
	pages := slices.Concat(pagesIn(c.notes), pagesIn(c.found), pagesIn(vendorapi.Pages(c.cited)))
	var written mdtext.Replacement
	var sources answer.Sources
	if slices.ContainsFunc(c.notes, hasRange) {
		for _, note := range c.notes {
			if !hasRange(note) {
				delete(note, "start_index")
			}
		}
		written, sources = responses.Text(text, c.notes)
	} else {
		listed := c.numbered()
		for _, page := range listed {
			if page.URL != "" {
				sources.Add(page)
			}
		}
		written = mdtext.Rewrite(text, "[", func(rest string) (mdtext.Replacement, int) { return citeNumbers(&sources, listed, rest) })
	}
	for _, page := range pages {
		if page.URL != "" {
			sources.Add(page)
		}
	}
	written.Fill(a, want.Markdown)
	sources.Fill(a)
}

// hasRange reports whether an annotation cites a range of the text. Engines that do not know it send
// 0 and 0.
func hasRange(note loosejson.Object) bool {
	start, end := note.Count("start_index"), note.Count("end_index")
	return start != nil && end != nil && *end > *start
}

// numbered returns the pages that numbers in the text refer to.
func (c *completion) numbered() []earshot.Source {
	switch {
	case len(c.cited) > 0:
		return pagesIn(vendorapi.Pages(c.cited))
	case len(c.found) > 0:
		return pagesIn(c.found)
	default:
		return pagesIn(c.notes)
	}
}

// pagesIn returns the pages that objects describe. A page without a valid URL has the URL "", so that
// numbers still refer to the right page.
func pagesIn(list []loosejson.Object) []earshot.Source {
	pages := make([]earshot.Source, len(list))
	for i, about := range list {
		link, _ := about.Destination(responses.OwnSources(), "url")
		pages[i] = earshot.Source{URL: link, Label: about.Text("title"), Description: about.Text("snippet", "content"), DatePublished: about.Date("date")}
	}
	return pages
}

// numbers matches consecutive numbers in brackets.
var numbers = regexp.MustCompile(`^\[[0-9]{1,3}\](?:[ \t]?\[[0-9]{1,3}\])*`)

// citeNumbers returns the replacement for the numbers at the start of rest, and their length. Numbers
// that refer to no page, and the label of a link, are part of the text.
func citeNumbers(sources *answer.Sources, pages []earshot.Source, rest string) (shown mdtext.Replacement, length int) {
	if len(pages) == 0 {
		return shown, 0
	}
	run := numbers.FindString(rest)
	if strings.HasPrefix(rest[len(run):], "(") {
		return shown, 0
	}
	var citations []answer.Citation
	for _, digits := range strings.FieldsFunc(run, func(c rune) bool { return c < '0' || c > '9' }) {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= len(pages) && pages[n-1].URL != "" {
			citations = append(citations, answer.Citation{Source: pages[n-1], Label: pages[n-1].Label})
		}
	}
	if len(citations) == 0 {
		return shown, 0
	}
	return sources.Cite(citations), len(run)
}
