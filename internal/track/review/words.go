package review

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// word is a word of a sentence: a run of letters, digits and marks, in lower case.
type word struct {
	text       string
	start, end int  // bytes of the sentence
	cut        bool // punctuation separates it from the word before

	// rest is this word and the following ones, each followed by a space. The ones that are cut
	// begin with |.
	rest string
}

// brandWord is the text of the word that stands for a mention of the brand.
const brandWord = "@"

// notProse are the parts of Markdown that are not prose: targets of links, addresses, and
// numbers of citations.
var notProse = regexp.MustCompile(`\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|https?://[^\s)\]]+|\[\^?\d{1,3}\]|【[^】]*】`)

// prose replaces all that is not prose by spaces, so that byte offsets stay the same.
func prose(sentence string) string {
	if !strings.ContainsAny(sentence, "[【") && !strings.Contains(sentence, "://") {
		return sentence
	}
	return notProse.ReplaceAllStringFunc(sentence, func(found string) string { return strings.Repeat(" ", len(found)) })
}

// isWord reports whether a character is part of a word.
func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.Nd, unicode.M) }

// wordsOf splits prose into words. Markup, hyphens and apostrophes separate words without
// cutting a phrase; other punctuation cuts.
func wordsOf(text string) []word {
	var all []word
	start, cut := -1, false
	end := func(at int) {
		if start >= 0 {
			all = append(all, word{text: strings.ToLower(norm.NFC.String(text[start:at])), start: start, end: at, cut: cut})
			start, cut = -1, false
		}
	}
	for i, r := range text {
		if isWord(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		end(i)
		if !unicode.IsSpace(r) && !strings.ContainsRune("*_`~#[]'’‘-‑\u00ad\u200b", r) || r == '\n' {
			cut = true
		}
	}
	end(len(text))
	return withRest(all)
}

// withRest sets the rest of each word.
func withRest(words []word) []word {
	var text strings.Builder
	starts := make([]int, len(words))
	for i, w := range words {
		if w.cut {
			text.WriteByte('|')
		}
		starts[i] = text.Len()
		text.WriteString(w.text)
		text.WriteByte(' ')
	}
	for i, start := range starts {
		words[i].rest = text.String()[start:]
	}
	return words
}

// withBrand replaces the words of each range by one word that stands for the brand.
func withBrand(words []word, mentions [][2]int) (all []word) {
	last := -1 // the mention of the word before
	for _, w := range words {
		at := slices.IndexFunc(mentions, func(m [2]int) bool { return w.start < m[1] && w.end > m[0] })
		if at >= 0 && at == last {
			all[len(all)-1].end = w.end
			continue
		}
		if last = at; at >= 0 {
			w.text = brandWord
		}
		all = append(all, w)
	}
	return withRest(all)
}
