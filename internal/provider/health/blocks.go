package health

import (
	"encoding/json"
	"strings"
	"time"
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
	maxHeadings = 20 // distinct headings of a provider per hour and node
	maxHeading  = 80 // characters
	minWord     = 4  // characters of a word that could reveal the query
)

// blocks counts the blocks of a page's layout and records the headings of unrecognised blocks.
func (w *Watch) blocks(d Document, layout json.RawMessage, counts map[string]outbound.FieldCount, now time.Time) {
	var blocks []earshot.LayoutBlock
	if json.Unmarshal(layout, &blocks) != nil {
		return
	}
	for _, block := range blocks {
		counts[Blocks] = sum(counts[Blocks], observation(block.Type != earshot.BlockUnknown))
		if block.Type != earshot.BlockUnknown {
			continue
		}
		if heading := headingOf(block.Title, d.Asked); heading != "" && w.keepsHeading(d, heading, now) {
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

// keepsHeading reports whether a heading is within this hour's limit of distinct headings.
func (w *Watch) keepsHeading(d Document, heading string, now time.Time) bool {
	hour := outbound.FieldHour{Hour: HourOf(now), Provider: d.key()}
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.headings[hour]
	if known == nil {
		for old := range w.headings {
			if old.Hour < hour.Hour {
				delete(w.headings, old)
			}
		}
		known = map[string]bool{}
		w.headings[hour] = known
	}
	if !known[heading] && len(known) == maxHeadings || w.sight(d.key(), outbound.SightedBlock, heading, maxKnownBlocks, now) != heading {
		return false
	}
	known[heading] = true
	return true
}
