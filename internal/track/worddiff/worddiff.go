// Package worddiff compares two texts word by word. Only the beginning of a long text is
// compared, so that the work is limited.
package worddiff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
	"golang.org/x/text/cases"
)

// MaxWords is the maximum number of words of each text that are compared. The work is at most
// proportional to the product of both lengths.
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
	numbers := map[string]rune{}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the work is limited by MaxWords; a timeout would make the result depend on the load
	for _, piece := range dmp.DiffMainRunes(numbered(one, numbers), numbered(two, numbers), false) {
		n := utf8.RuneCountInString(piece.Text)
		switch piece.Type {
		case diffmatchpatch.DiffDelete:
			runs, one = append(runs, Run{Removed, text(one[:n])}), one[n:]
		case diffmatchpatch.DiffInsert:
			runs, two = append(runs, Run{Added, text(two[:n])}), two[n:]
		default:
			runs, one, two = append(runs, Run{Same, text(two[:n])}), one[n:], two[n:]
		}
	}
	return runs, cutOne || cutTwo
}

// numbered returns a character for each word; equal words have the same one.
func numbered(all []word, numbers map[string]rune) []rune {
	const first = 0x10000 // above the surrogates
	found := make([]rune, len(all))
	for i, w := range all {
		if numbers[w.key] == 0 {
			numbers[w.key] = first + rune(len(numbers))
		}
		found[i] = numbers[w.key]
	}
	return found
}

func text(words []word) string {
	var text strings.Builder
	for _, w := range words {
		text.WriteString(w.text)
	}
	return text.String()
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
