package health

import (
	"encoding/json"
	"strings"
	"unicode"

	"earshot"
	"earshot/internal/store/outbound"
)

// Blocks is the field that counts the blocks of pages; a recognised block counts as filled.
const Blocks = "blocks"

// unknownPrefix is the prefix of the fields that count unrecognised blocks by heading.
const unknownPrefix = "block: "

// Limits on headings, which come from pages and can contain anything.
const (
	maxHeadings = 200 // distinct headings of a provider per day
	maxHeading  = 80  // characters
	minWord     = 4   // characters of a word that could reveal the query
)

// countBlocks counts the blocks of a page's layout, and unrecognised blocks also by heading.
func countBlocks(layout json.RawMessage, asked string, counts map[string]outbound.FieldCount) {
	var blocks []earshot.LayoutBlock
	if json.Unmarshal(layout, &blocks) != nil {
		return
	}
	for _, block := range blocks {
		counts[Blocks] = sum(counts[Blocks], observation(block.Type != earshot.BlockUnknown))
		if block.Type != earshot.BlockUnknown {
			continue
		}
		if heading := headingOf(block.Title, asked); heading != "" {
			counts[unknownPrefix+heading] = sum(counts[unknownPrefix+heading], observation(false))
		}
	}
}

// headingOf returns a heading in the form that is stored. It returns "" if the heading repeats a
// word of the query, because everybody can see the headings.
func headingOf(title, asked string) string {
	title = strings.Join(strings.FieldsFunc(title, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if runes := []rune(title); len(runes) > maxHeading {
		title = string(runes[:maxHeading])
	}
	asked = strings.ToLower(asked)
	for _, word := range strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len([]rune(word)) >= minWord && strings.Contains(asked, word) {
			return ""
		}
	}
	return title
}
