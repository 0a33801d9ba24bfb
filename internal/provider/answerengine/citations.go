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

// A citation in the text is the number of a result in brackets. It may have several numbers, the
// kind of result before the number, or the result's address after the bracket. Consecutive
// citations are one chip.
const marker = `\[(?:\^|[a-z_]{3,30}:)?[0-9]{1,3}(?:, ?(?:[a-z_]{3,30}:)?[0-9]{1,3})*\](?:\(<?https?://[^\s()<>]*>?\))?`

// markerSecond are the characters that can follow the opening bracket of a citation.
const markerSecond = "0123456789^abcdefghijklmnopqrstuvwxyz"

// named matches a citation with a kind of result. Ordinary text does not contain this form.
var named = regexp.MustCompile(`^\[[a-z_]+:[0-9]`)

var chip = regexp.MustCompile(`^` + marker + `(?:[ \t]?` + marker + `)*`)

// maxCitations limits the pages of one chip; real chips have up to ten.
const maxCitations = 40

// text reads the answer's text. It removes the citations, which become pills.
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

// chip returns the replacement for the citations at the start of rest, and their length. Numbers
// that refer to no page are not citations, unless they have a kind: then they refer to a file or a
// memory.
func (r *reader) chip(rest string) (shown mdtext.Replacement, length int) {
	if len(rest) < 3 || !strings.ContainsRune(markerSecond, rune(rest[1])) {
		return shown, 0 // cheap check that rules out most brackets
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

// numbers returns the numbers in consecutive citations, at most maxCitations.
func numbers(run string) []int {
	var found []int
	brackets := strings.FieldsFunc(run, func(c rune) bool { return strings.ContainsRune("[] \t,^:", c) })
	for _, word := range brackets[:min(len(brackets), maxCitations)] {
		if number, err := strconv.Atoi(word); err == nil { // skips kinds and addresses
			found = append(found, number)
		}
	}
	return found
}

// webPage returns the page that a result describes, with the label of its chip. The URL is "" if
// the result has none.
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
