package serp

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// note is what the engine keeps beside a chip about one of its sources.
type note struct{ link, site, title, snippet string }

const (
	maxNote  = 32 << 10 // bytes; real ones have up to 3 KB
	maxNotes = 40       // for one chip; real ones have up to 10
)

// takeNotes takes the notes out of an answer, by the chip that they belong to.
// Redirects among their links are added to served.
func (l Links) takeNotes(turn *goquery.Selection, served Served) map[string][]note {
	notes := map[string][]note{}
	elements := turn.Find(`[data-crb-el]`).Not(`[data-src-id]`)
	for _, element := range elements.EachIter() {
		for child := range element.Nodes[0].ChildNodes() {
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
	elements.Remove()
	return notes
}

// readNote reads the comment that a note is: after a word, and a bar in some, JSON
// with the chip's id and a list of title, snippet, icon, home page, names and link.
// The parser has unescaped it.
func readNote(comment string) (chip string, n note, ok bool) {
	text := comment[max(0, strings.IndexByte(comment, '[')):]
	var notes, told, source []json.RawMessage
	if json.Unmarshal([]byte(text), &notes) != nil || len(notes) == 0 ||
		json.Unmarshal(notes[0], &told) != nil || len(told) < 2 ||
		json.Unmarshal(told[0], &chip) != nil ||
		json.Unmarshal(told[1], &source) != nil || len(source) < 6 {
		return "", note{}, false
	}
	var names []string
	for i, to := range map[int]any{0: &n.title, 1: &n.snippet, 4: &names, 5: &n.link} {
		if json.Unmarshal(source[i], to) != nil {
			return "", note{}, false
		}
	}
	if len(names) > 0 {
		n.site = names[0]
	}
	return chip, n, n.link != ""
}

// dated finds the date that a snippet begins with.
var dated = regexp.MustCompile(`^(.{6,20}?) [—–-] `)

// dateLayouts are the ways in which the engine writes dates that we can read.
var dateLayouts = []string{time.DateOnly, "Jan 2, 2006", "2 Jan 2006", "2. Jan 2006"}

// snippetDate takes the date off a snippet. What does not look like one stays.
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
