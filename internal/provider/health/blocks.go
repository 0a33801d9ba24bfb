package health

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/store"
)

// Blocks is a field that is filled by each block of a page that was understood.
const Blocks = "blocks"

// unknownMark begins the fields that count blocks which nobody understood, by
// their headings.
const unknownMark = "block: "

// Headings come from pages, and anybody may put anything into them.
const (
	maxHeadings = 20 // different ones of a provider in an hour, on a node
	maxHeading  = 80 // characters
	minWord     = 4  // characters of a word that gives away what was asked
)

// blocks counts the blocks of a page's layout, and notes the headings of those
// that nobody understood.
func (w *Watch) blocks(d Document, layout json.RawMessage, counts map[string]store.FieldCount, now time.Time) {
	var blocks []earshot.LayoutBlock
	if json.Unmarshal(layout, &blocks) != nil {
		return
	}
	for _, block := range blocks {
		counts[Blocks] = sum(counts[Blocks], one(block.Type != earshot.BlockUnknown))
		if block.Type != earshot.BlockUnknown {
			continue
		}
		if heading := headingOf(block.Title, d.Asked); heading != "" && w.keeps(d, heading, now) {
			counts[unknownMark+heading] = sum(counts[unknownMark+heading], one(false))
		}
	}
}

// headingOf is a heading as it is kept, "" where it repeats what was asked: it is
// shown to everybody.
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

// keeps tells whether a heading is one of those that are kept of this hour.
func (w *Watch) keeps(d Document, heading string, now time.Time) bool {
	hour := store.FieldHour{Hour: hourOf(now), Provider: d.key()}
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
	if !known[heading] && len(known) == maxHeadings {
		return false
	}
	known[heading] = true
	return true
}
