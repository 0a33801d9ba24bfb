package review

import (
	"fmt"
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
	items    []item
}

// item is a part of a pattern.
type item struct {
	kind    itemKind
	text    string   // of a word
	choices [][]item // of a choice
}

type itemKind int

const (
	isText itemKind = iota
	isStart
	isGap
	isChoice
)

// parsePattern parses the notation.
func parsePattern(text string) ([]item, error) {
	p := &patternParser{rest: text}
	choices := p.choices()
	if p.rest != "" || len(choices) != 1 {
		return nil, fmt.Errorf("the phrase %q has a bracket or | too many", text)
	}
	if len(choices[0]) == 0 {
		return nil, fmt.Errorf("the phrase %q is empty", text)
	}
	return choices[0], nil
}

type patternParser struct{ rest string }

// choices parses phrases that | separates, up to a closing bracket or the end.
func (p *patternParser) choices() (all [][]item) {
	var items []item
	for {
		at := strings.IndexAny(p.rest, "(|)")
		plain := p.rest
		if at >= 0 {
			plain = p.rest[:at]
		}
		items = append(items, textItems(plain)...)
		if at < 0 || p.rest[at] == ')' {
			p.rest = p.rest[len(plain):]
			return append(all, items)
		}
		mark := p.rest[at]
		if p.rest = p.rest[at+1:]; mark == '|' {
			all, items = append(all, items), nil
			continue
		}
		inner := p.choices()
		p.rest = strings.TrimPrefix(p.rest, ")")
		items = append(items, item{kind: isChoice, choices: inner})
	}
}

func textItems(text string) (items []item) {
	for field := range strings.FieldsSeq(text) {
		start, isPrefix := strings.CutSuffix(field, "*")
		switch field {
		case "_":
			items = append(items, item{kind: isGap})
		case brandWord:
			items = append(items, item{kind: isText, text: brandWord})
		default:
			words := wordsOf(start)
			for i, w := range words {
				kind := isText
				if isPrefix && i == len(words)-1 {
					kind = isStart
				}
				items = append(items, item{kind: kind, text: w.text})
			}
		}
	}
	return items
}

// match calls done with the index after each match of items that begins with word i. A match
// does not extend over punctuation.
func match(items []item, words []word, first, i int, done func(end int)) {
	if len(items) == 0 {
		done(i)
		return
	}
	one, rest := items[0], items[1:]
	fits := i < len(words) && (i == first || !words[i].cut)
	switch one.kind {
	case isText:
		if fits && words[i].text == one.text {
			match(rest, words, first, i+1, done)
		}
	case isStart:
		if fits && strings.HasPrefix(words[i].text, one.text) {
			match(rest, words, first, i+1, done)
		}
	case isGap:
		for n := 0; n <= maxGap; n++ {
			match(rest, words, first, i+n, done)
			if i+n >= len(words) || words[i+n].cut {
				break
			}
		}
	case isChoice:
		next := func(end int) { match(rest, words, first, end, done) }
		for _, choice := range one.choices {
			if len(choice) == 0 || choice[0].kind != isText || fits && words[i].text == choice[0].text { // most choices end here
				match(choice, words, first, i, next)
			}
		}
	}
}

// firsts calls add for each word with which a match of items can begin, and reports whether
// items match no words at all.
func firsts(items []item, add func(item)) (empty bool) {
	for _, one := range items {
		switch one.kind {
		case isText, isStart:
			add(one)
			return false
		case isGap:
			panic("a phrase of a word list begins with _")
		case isChoice:
			empty := false
			for _, choice := range one.choices {
				empty = firsts(choice, add) || empty
			}
			if !empty {
				return false
			}
		}
	}
	return true
}

// table finds patterns by their first word.
type table struct{ exact, starts map[string][]*pattern }

func newTable() *table { return &table{map[string][]*pattern{}, map[string][]*pattern{}} }

func (t *table) add(p *pattern) error {
	if firsts(p.items, func(first item) {
		by := t.exact
		if first.kind == isStart {
			by = t.starts
		}
		if !slices.Contains(by[first.text], p) {
			by[first.text] = append(by[first.text], p)
		}
	}) {
		return fmt.Errorf("a phrase of the reason %q can be empty", p.reason)
	}
	return nil
}

// hit is a match of a pattern.
type hit struct {
	language int
	reason   string
	from, to int // words
}

// find returns the longest match of each pattern at each word.
func (t *table) find(words []word) (hits []hit) {
	for i, w := range words {
		hits = findAt(hits, t.exact[w.text], words, i)
		for n := 1; n <= len(w.text) && len(t.starts) > 0; n++ {
			hits = findAt(hits, t.starts[w.text[:n]], words, i)
		}
	}
	return hits
}

// findAt appends the longest match of each pattern at word i.
func findAt(hits []hit, patterns []*pattern, words []word, i int) []hit {
	for _, p := range patterns {
		longest := 0
		match(p.items, words, i, i, func(end int) { longest = max(longest, end) })
		if longest > i {
			hits = append(hits, hit{p.language, p.reason, i, longest})
		}
	}
	return hits
}
