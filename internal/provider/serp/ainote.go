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

// note describes one source of a chip.
type note struct{ link, site, title, snippet string }

const (
	maxNote  = 32 << 10 // bytes of a note; real notes have up to 3 KB
	maxNotes = 40       // notes of one chip; real chips have up to 10
)

// takeNotes removes the elements with notes from an answer and returns the notes by the id of their
// chip. It adds redirect links among them to served.
func (l Links) takeNotes(elements []*html.Node, turn *html.Node, served Redirects) map[string][]note {
	notes := map[string][]note{}
	for _, element := range elements {
		if !markup.Contains(turn, element) {
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

// readNote reads a comment with a note. After a word, and a bar in some layouts, it has JSON with
// the chip's id and a list of title, snippet, icon, home page, names and link. The HTML parser has
// already unescaped the comment.
func readNote(comment string) (chip string, n note, ok bool) {
	var notes []any
	if json.Unmarshal([]byte(comment[max(0, strings.IndexByte(comment, '[')):]), &notes) != nil || len(notes) == 0 {
		return "", note{}, false
	}
	first, _ := notes[0].([]any)
	if len(first) < 2 {
		return "", note{}, false
	}
	source, _ := first[1].([]any)
	if len(source) < 6 {
		return "", note{}, false
	}
	names, isList := source[4].([]any)
	if !isList && source[4] != nil || !areTexts(names...) || !areTexts(first[0], source[0], source[1], source[5]) {
		return "", note{}, false
	}
	chip, _ = first[0].(string)
	n.title, _ = source[0].(string)
	n.snippet, _ = source[1].(string)
	n.link, _ = source[5].(string)
	if len(names) > 0 {
		n.site, _ = names[0].(string)
	}
	return chip, n, n.link != ""
}

// areTexts reports whether each of the values is a string or null.
func areTexts(values ...any) bool {
	for _, value := range values {
		if _, is := value.(string); !is && value != nil {
			return false
		}
	}
	return true
}

// dated matches a date at the beginning of a snippet.
var dated = regexp.MustCompile(`^(.{6,20}?) [—–-] `)

// dateLayouts are the date formats of the engine that we can read.
var dateLayouts = []string{time.DateOnly, "Jan 2, 2006", "2 Jan 2006", "2. Jan 2006"}

// snippetDate splits a snippet into the date at its beginning and the rest. Anything that is not a
// date stays part of the snippet.
func snippetDate(text string) (date, snippet string) {
	text = strings.TrimSpace(text)
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
