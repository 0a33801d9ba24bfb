package serp

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
)

// note is what the engine keeps beside a chip about one of its sources.
type note struct{ link, site, title, snippet string }

const (
	maxNote  = 32 << 10 // bytes; real ones have up to 3 KB
	maxNotes = 40       // for one chip; real ones have up to 10
)

// takeNotes takes the notes in these elements out of an answer, by the chip that they belong to.
// Redirects among their links are added to served.
func (l Links) takeNotes(elements []*html.Node, turn *html.Node, served Served) map[string][]note {
	notes := map[string][]note{}
	for _, element := range elements {
		if !isWithin(element, turn) {
			continue
		}
		for child := element.FirstChild; child != nil; child = child.NextSibling {
			if child.Type != html.CommentNode || len(child.Data) > maxNote {
				continue
			}
			chip, n, ok := readNote(child.Data)
			if !ok {
				continue
			}
			destination, redirect, ok := l.Read(n.link)
			n.link = destination
			if ok && len(notes[chip]) < maxNotes && !slices.Contains(notes[chip], n) {
				notes[chip] = append(notes[chip], n)
				served.add(destination, redirect)
			}
		}
	}
	for _, element := range elements {
		markup.Remove(element)
	}
	return notes
}

// readNote reads the comment that a note is: after a word, and a bar in some, JSON
// with the chip's id and a list of title, snippet, icon, home page, names and link.
// The parser has unescaped it.
func readNote(comment string) (chip string, n note, ok bool) {
	var notes []any
	if json.Unmarshal([]byte(comment[max(0, strings.IndexByte(comment, '[')):]), &notes) != nil || len(notes) == 0 {
		return "", note{}, false
	}
	told, _ := notes[0].([]any)
	if len(told) < 2 {
		return "", note{}, false
	}
	source, _ := told[1].([]any)
	if len(source) < 6 {
		return "", note{}, false
	}
	names, isList := source[4].([]any)
	if !isList && source[4] != nil || !texts(names...) || !texts(told[0], source[0], source[1], source[5]) {
		return "", note{}, false
	}
	chip, _ = told[0].(string)
	n.title, _ = source[0].(string)
	n.snippet, _ = source[1].(string)
	n.link, _ = source[5].(string)
	if len(names) > 0 {
		n.site, _ = names[0].(string)
	}
	return chip, n, n.link != ""
}

// texts tells whether each of the values is text or nothing.
func texts(values ...any) bool {
	for _, value := range values {
		if _, is := value.(string); !is && value != nil {
			return false
		}
	}
	return true
}

// dated finds the date that a snippet begins with.
var dated = regexp.MustCompile(`^(.{6,20}?) [—–-] `)

// dateLayouts are the ways in which the engine writes dates that we can read.
var dateLayouts = []string{time.DateOnly, "Jan 2, 2006", "2 Jan 2006", "2. Jan 2006"}

// snippetDate takes the date off a snippet. What does not look like one stays.
func snippetDate(text string) (date, snippet string) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, " - ") && !strings.Contains(text, " – ") && !strings.Contains(text, " — ") {
		return "", text
	}
	found := dated.FindStringSubmatch(text)
	if found == nil {
		return "", text
	}
	for _, layout := range dateLayouts {
		if day, err := time.Parse(layout, found[1]); err == nil {
			return day.Format(time.DateOnly), text[len(found[0]):]
		}
	}
	return "", text
}
