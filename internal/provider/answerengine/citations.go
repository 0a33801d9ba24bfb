package answerengine

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// A citation stands in the text as the number of a result in brackets, at times
// with several numbers, the kind of the result before it or its address behind
// it. Those that follow each other are one chip.
const marker = `\[(?:\^|[a-z_]{3,30}:)?[0-9]{1,3}(?:, ?[0-9]{1,3})*\](?:\(<?https?://[^\s()<>]*>?\))?`

// markerSecond are the characters that can follow a citation's bracket.
const markerSecond = "0123456789^abcdefghijklmnopqrstuvwxyz"

// named is a citation that tells the kind of its result, which nobody writes
// otherwise.
var named = regexp.MustCompile(`^\[[a-z_]+:[0-9]`)

var chip = regexp.MustCompile(`^` + marker + `(?:[ \t]?` + marker + `)*`)

// maxCitations is how many pages one chip may name; real ones have up to ten.
const maxCitations = 40

// text takes the answer's text. Citations leave it and become pills.
func (r *reader) text(markdown string, wantMarkdown bool) {
	for _, page := range r.pages {
		if page.Source.URL != "" {
			r.sources.Add(page.Source)
		}
	}
	written := mdtext.Rewrite(markdown, "[", r.chip)
	for _, link := range mdtext.ProseLinks(written.Text) {
		if target, ok := webtext.Destination(link.URL, nil, ownSources); ok {
			r.sources.Add(earshot.Source{URL: target, Label: mdtext.Flatten(link.Label)})
		}
	}
	written.Fill(r.answer, wantMarkdown)
}

// chip notes the pages that a run of numbers stands for. Numbers that stand for
// none are no citation, unless they tell the kind of what they stand for: that is
// no page then, but a file or a memory.
func (r *reader) chip(rest string) (shown mdtext.Replacement, length int) {
	if len(rest) < 3 || !strings.ContainsRune(markerSecond, rune(rest[1])) {
		return shown, 0 // most brackets, without a closer look
	}
	run := chip.FindString(rest)
	var citations []answer.Citation
	for _, number := range numbers(run) {
		if number >= 1 && number <= len(r.pages) && r.pages[number-1].Source.URL != "" {
			citations = append(citations, r.pages[number-1])
		}
	}
	if len(citations) == 0 && !named.MatchString(run) {
		return shown, 0
	}
	return r.sources.Cite(citations), len(run)
}

// numbers are those in the brackets of a run, as many as a chip may name.
func numbers(run string) []int {
	var found []int
	brackets := strings.FieldsFunc(run, func(c rune) bool { return strings.ContainsRune("[] \t,^:", c) })
	for _, word := range brackets[:min(len(brackets), maxCitations)] {
		if number, err := strconv.Atoi(word); err == nil { // words are kinds and addresses
			found = append(found, number)
		}
	}
	return found
}

// webPage is the page that a result describes, without an address when it has
// none, and what a chip calls it.
func webPage(result loosejson.Object) answer.Citation {
	about := result.Object("meta_data")
	link, _ := result.Destination(ownSources, "url")
	return answer.Citation{
		Source: earshot.Source{
			URL:           link,
			Label:         result.Text("name", "title"),
			Description:   cmp.Or(result.Text("snippet"), about.Text("description")),
			DatePublished: cmp.Or(about.Date("published_date"), result.Date("timestamp", "date"), about.Date("date")),
		},
		Label: cmp.Or(about.Text("citation_domain_name", "domain_name"), webtext.Domain(link)),
	}
}
