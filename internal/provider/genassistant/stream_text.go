package genassistant

import (
	"cmp"
	"html"
	"regexp"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// Marks in the text: citations, placeholders of images and other parts of the page, and elements
// that the page shows as buttons.
var (
	citeMark   = regexp.MustCompile(`^\[cite:\s*([0-9][0-9,\s]*)\]`)
	pictured   = regexp.MustCompile(`^\[Image of [^\[\]\n]*\]`)
	partMark   = regexp.MustCompile(`^https?://googleusercontent\.com/[a-z_]+/[0-9]+`)
	buttonMark = regexp.MustCompile(`^</?(?:FollowUp|Elicitation|ElicitationsGroup)\b[^<>]*>`)
	buttonSays = regexp.MustCompile(`\b(query|label)="([^"<>]*)"`)
)

const (
	markStarts = "[h<"
	citeStart  = "[cite_start]"
	partStart  = "://googleusercontent.com/"
)

// text reads the reply's text. It removes the marks; citations become pills.
func (w *writer) text(markdown string, wantMarkdown bool) {
	written := mdtext.Rewrite(markdown, markStarts, w.replaceMark)
	for _, link := range mdtext.ProseLinks(written.Text) {
		if target, ok := webtext.Destination(link.URL, nil, ownSources); ok && !isAsset(target) {
			w.sources.Add(earshot.Source{URL: target, Label: mdtext.Flatten(link.Label)})
		}
	}
	written.Fill(w.answer, wantMarkdown)
}

// replaceMark returns the replacement for the mark at the start of text, and the mark's length.
func (w *writer) replaceMark(text string) (shown mdtext.Replacement, length int) {
	switch text[0] {
	case 'h':
		if head := text[:min(len(text), len("https"+partStart))]; strings.Contains(head, partStart) {
			return mdtext.Removed, len(partMark.FindString(text))
		}
	case '<':
		mark := buttonMark.FindString(text)
		w.addButton(mark)
		return mdtext.Removed, len(mark)
	case '[':
		if strings.HasPrefix(text, citeStart) {
			return mdtext.Replacement{}, len(citeStart)
		}
		if mark := citeMark.FindString(text); mark != "" {
			return w.cite(markNumbers(mark)), len(mark)
		}
		return mdtext.Removed, len(pictured.FindString(text))
	}
	return shown, 0
}

// cite records a chip for the known sources among the numbers.
func (w *writer) cite(numbers []int) mdtext.Replacement {
	var citations []answer.Citation
	for _, number := range numbers {
		if citation, ok := w.numbered[number]; ok {
			citations = append(citations, citation)
		}
	}
	return w.sources.Cite(citations)
}

// maxCitations limits the sources of one mark; real marks have up to ten.
const maxCitations = 40

// markNumbers returns the numbers in a mark, at most maxCitations.
func markNumbers(mark string) []int {
	found := citeMark.FindStringSubmatch(strings.TrimSpace(mark))
	if found == nil {
		return nil
	}
	words := strings.FieldsFunc(found[1], func(c rune) bool { return c < '0' || c > '9' })
	var numbers []int
	for _, word := range words[:min(len(words), maxCitations)] {
		if number, err := strconv.Atoi(word); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// addButton adds the question of a button to the related queries.
func (w *writer) addButton(mark string) {
	said := map[string]string{}
	for _, attribute := range buttonSays.FindAllStringSubmatch(mark, -1) {
		said[attribute[1]] = webtext.Line(html.UnescapeString(attribute[2]))
	}
	w.answer.RelatedQueries = answer.AddNew(w.answer.RelatedQueries, cmp.Or(said["query"], said["label"]))
}
