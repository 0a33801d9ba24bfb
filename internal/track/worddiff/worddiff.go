// Package worddiff compares two texts word by word. Only the beginning of a long text is
// compared, so that the work is limited.
package worddiff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// MaxWords is the maximum number of words of each text that are compared. The work is the
// product of both lengths, at most 16 million steps.
const MaxWords = 4000

// Kind says which of the two texts contains a run of words.
type Kind string

// The kinds of runs.
const (
	Same    Kind = "same"
	Removed Kind = "removed" // only in the first text
	Added   Kind = "added"   // only in the second text
)

// Run is a sequence of words of the same kind.
type Run struct {
	Kind Kind
	Text string
}

// Diff compares two texts. It ignores white space; a run of kind Same has the white space of
// the second text. cut reports whether a text has more than MaxWords words.
func Diff(a, b string) (runs []Run, cut bool) {
	one, cutOne := words(a)
	two, cutTwo := words(b)
	d := differ{}
	d.compare(one, two)
	return d.runs, cutOne || cutTwo
}

// word is a sequence of letters and digits, or a single other character. text includes the
// white space after it.
type word struct{ key, text string }

// words splits a text. Scripts without spaces between words are split into characters.
func words(text string) (all []word, cut bool) {
	for text != "" {
		if len(all) == MaxWords {
			return all, true
		}
		first, size := utf8.DecodeRuneInString(text)
		end := size
		if isWord(first) {
			end = until(text, func(r rune) bool { return !isWord(r) })
		}
		space := end + until(text[end:], func(r rune) bool { return !unicode.IsSpace(r) })
		all = append(all, word{text[:end], text[:space]})
		text = text[space:]
	}
	return all, false
}

// until returns the index of the first character for which stop returns true, or the length.
func until(text string, stop func(rune) bool) int {
	if at := strings.IndexFunc(text, stop); at >= 0 {
		return at
	}
	return len(text)
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Only returns the words of a that b does not contain, in any order and in any case. Words that
// follow each other without white space, as in Chinese, are one text.
func Only(a, b string) (only []string) {
	in := map[string]bool{}
	known, _ := words(b)
	for _, w := range known {
		in[fold(w.key)] = true
	}
	all, _ := words(a)
	isJoined := false
	for _, w := range all {
		switch {
		case !strings.ContainsFunc(w.key, isLetter) || in[fold(w.key)]:
			isJoined = false
			continue
		case isJoined:
			only[len(only)-1] += w.key
		default:
			only = append(only, w.key)
		}
		isJoined = w.text == w.key
	}
	return only
}

func fold(word string) string { return cases.Fold().String(word) }

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

type differ struct{ runs []Run }

func (d *differ) add(kind Kind, words []word) {
	if len(words) == 0 {
		return
	}
	if n := len(d.runs); n == 0 || d.runs[n-1].Kind != kind {
		d.runs = append(d.runs, Run{Kind: kind})
	}
	var text strings.Builder
	last := &d.runs[len(d.runs)-1]
	text.WriteString(last.Text)
	for _, w := range words {
		text.WriteString(w.text)
	}
	last.Text = text.String()
}

// compare finds a longest common subsequence with Hirschberg's algorithm: it splits the first
// text in the middle, and the second text where both halves have most words in common.
func (d *differ) compare(a, b []word) {
	head := 0
	for head < len(a) && head < len(b) && a[head].key == b[head].key {
		head++
	}
	d.add(Same, b[:head])
	a, b = a[head:], b[head:]
	tail := 0
	for tail < len(a) && tail < len(b) && a[len(a)-1-tail].key == b[len(b)-1-tail].key {
		tail++
	}
	defer d.add(Same, b[len(b)-tail:])
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	switch {
	case len(a) == 0 || len(b) == 0:
		d.add(Removed, a)
		d.add(Added, b)
	case len(a) == 1:
		d.single(a, b)
	default:
		middle := len(a) / 2
		before, after := common(a[:middle], b, forwards), common(a[middle:], b, backwards)
		best := 0
		for at := range before {
			if before[at]+after[len(b)-at] > before[best]+after[len(b)-best] {
				best = at
			}
		}
		d.compare(a[:middle], b[:best])
		d.compare(a[middle:], b[best:])
	}
}

// single compares one word with several.
func (d *differ) single(a, b []word) {
	for i := range b {
		if b[i].key == a[0].key {
			d.add(Added, b[:i])
			d.add(Same, b[i:i+1])
			d.add(Added, b[i+1:])
			return
		}
	}
	d.add(Removed, a)
	d.add(Added, b)
}

func forwards(i, _ int) int  { return i }
func backwards(i, n int) int { return n - 1 - i }

// common returns the lengths of the longest common subsequences of a and the first 0, 1, 2 …
// words of b. at gives the direction in which both are read.
func common(a, b []word, at func(i, n int) int) []int32 {
	row := make([]int32, len(b)+1)
	for i := range a {
		key := a[at(i, len(a))].key
		diagonal := int32(0)
		for j := range b {
			above := row[j+1]
			if key == b[at(j, len(b))].key {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row
}
