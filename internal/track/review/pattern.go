package review

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxGap is the number of words that _ matches at most.
const maxGap = 3

// pattern is a phrase of a word list. Its notation:
//
//	word     this word
//	word*    a word that begins like this
//	@        a mention of the brand
//	_        up to three words
//	(a|b c|) one of these phrases; one may be empty
type pattern struct {
	language int // number of its file
	reason   string
	match    *regexp.Regexp // of word.rest
}

// firstWord is a word with which a match can begin, or the start of one.
type firstWord struct {
	text    string
	isStart bool
}

// table finds patterns by their first word. It may list a pattern under further words.
type table map[firstWord][]*pattern

var tokens = regexp.MustCompile(`\s*([^\s(|)]+|[(|)])\s*`)

// add adds a pattern.
func (t table) add(language int, reason, phrase string) (err error) {
	p := &pattern{language: language, reason: reason}
	depth, isFirst, optional, last := 0, true, false, ""
	text := tokens.ReplaceAllStringFunc(phrase, func(token string) (match string) {
		token = strings.TrimSpace(token)
		switch token {
		case "(":
			depth++
			match = "(?:"
		case "|", ")":
			optional = optional || last == "(" || last == "|"
			if match = token; token == ")" {
				depth--
				isFirst = isFirst && (depth > 0 || optional)
			}
		case "_":
			match = fmt.Sprintf("(?:[^ |]+ ){0,%d}", maxGap)
		default:
			start, isStart := strings.CutSuffix(token, "*")
			words := wordsOf(start)
			if token == brandWord {
				words = []word{{text: brandWord}}
			}
			if match = literal(words); isStart {
				match = strings.TrimSuffix(match, " ") + "[^ ]* "
			}
			if isFirst {
				t.list(p, firstWord{words[0].text, isStart && len(words) == 1})
			}
			isFirst = isFirst && depth > 0
		}
		last = token
		return match
	})
	if p.match, err = regexp.Compile("^(?:" + text + ")"); err == nil && p.match.MatchString("") {
		err = fmt.Errorf("the phrase %q can be empty", phrase)
	}
	if err == nil {
		p.match.Longest()
	}
	return err
}

func (t table) list(p *pattern, by firstWord) {
	if !slices.Contains(t[by], p) {
		t[by] = append(t[by], p)
	}
}

// literal returns an expression that matches these words.
func literal(words []word) (text string) {
	for _, w := range words {
		text += regexp.QuoteMeta(w.text) + " "
	}
	return text
}

// phrases returns a table of texts that match word by word, and the index of a text without any
// word, or -1.
func phrases(texts ...string) (all table, empty int) {
	all = table{}
	for i, text := range texts {
		words := wordsOf(text)
		if len(words) == 0 {
			return nil, i
		}
		all.list(&pattern{reason: text, match: regexp.MustCompile("^" + literal(words))}, firstWord{text: words[0].text})
	}
	return all, -1
}

// hit is a match of a pattern.
type hit struct {
	language int
	reason   string
	from, to int // words
}

// find returns the longest match of each pattern at each word.
func (t table) find(words []word) (hits []hit) {
	for i, w := range words {
		findAt := func(patterns []*pattern) {
			for _, p := range patterns {
				if n := strings.Count(p.match.FindString(w.rest), " "); n > 0 {
					hits = append(hits, hit{p.language, p.reason, i, i + n})
				}
			}
		}
		findAt(t[firstWord{text: w.text}])
		for n := 1; n <= len(w.text); n++ {
			findAt(t[firstWord{w.text[:n], true}])
		}
	}
	return hits
}
