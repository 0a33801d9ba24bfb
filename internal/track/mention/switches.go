package mention

import "slices"

// This file has the matching rules of a name. They are applied before the longest of several
// names is chosen.

// affix is a prefix or suffix that may be attached to a name.
type affix struct{ folded, exact []rune }

// phrase is a forbidden phrase: the text on both sides of the name.
type phrase struct{ left, right []rune }

// scan is the search through one text.
type scan struct {
	*Rules
	v      *visible
	glyphs []glyph
	hosts  []hostToken
	found  []match // reused buffer
}

// passes reports whether a name that was found between two glyphs meets its matching rules.
func (s *scan) passes(n *name, from, to int, b block) bool {
	if !s.wholeAt(from) || !s.wholeAt(to) {
		return false
	}
	if n.exact != nil && !s.isExact(from, to, n.exact, n.joined) {
		return false
	}
	start, ok := s.reach(from, b, n.prefixes, -1)
	if !ok {
		return false
	}
	end, ok := s.reach(to, b, n.suffixes, +1)
	if !ok {
		return false
	}
	if slices.ContainsFunc(n.phrases, func(p phrase) bool { return s.inPhrase(p, from, to, b) }) {
		return false
	}
	if n.forbidden != nil && s.near(n.forbidden, n.within, start, end) {
		return false
	}
	return n.near == nil || s.near(n.near, n.within, start, end)
}

// wholeAt reports whether a visible character begins at glyph i, so that a hit may begin or
// end there.
func (s *scan) wholeAt(i int) bool {
	return i == 0 || i >= len(s.glyphs) || s.glyphs[i-1].from != s.glyphs[i].from || s.glyphs[i-1].r == blockEnd
}

// charAt returns the visible character at which a glyph begins.
func (s *scan) charAt(i int) int {
	if i >= len(s.glyphs) {
		return len(s.v.chars)
	}
	return int(s.glyphs[i].from)
}

func (s *scan) boundaryAt(i int, b block) bool { return s.v.boundaryAt(s.charAt(i), b) }

// isExact reports whether a range is equal to exact, including the case.
func (s *scan) isExact(from, to int, exact []rune, joined bool) bool {
	written := foldChars(s.v.chars[s.glyphs[from].from:s.glyphs[to-1].to], true)
	if joined {
		written = slices.DeleteFunc(written, isSeparator)
		exact = slices.DeleteFunc(slices.Clone(exact), isSeparator)
	}
	return slices.Equal(written, exact)
}

// maxAffixes is the maximum number of affixes in a row.
const maxAffixes = 8

// reach goes from the edge of a name over any number of affixes to a word boundary, and
// returns the boundary. step is -1 to the left and +1 to the right.
func (s *scan) reach(at int, b block, affixes []affix, step int) (edge int, ok bool) {
	if len(affixes) == 0 {
		return at, s.boundaryAt(at, b)
	}
	places := []int{at}
	for range maxAffixes + 1 {
		var further []int
		for _, place := range places {
			if s.boundaryAt(place, b) {
				return place, true
			}
			for _, a := range affixes {
				next := place + step*len(a.folded)
				if s.hasAffix(a, min(place, next), max(place, next)) && s.wholeAt(next) && !slices.Contains(further, next) {
					further = append(further, next)
				}
			}
		}
		if len(further) == 0 {
			break
		}
		places = further
	}
	return at, false
}

func (s *scan) hasAffix(a affix, from, to int) bool {
	return s.hasText(from, a.folded) && (a.exact == nil || s.isExact(from, to, a.exact, false))
}

// hasText reports whether a folded text begins at a glyph.
func (s *scan) hasText(from int, text []rune) bool {
	to := from + len(text)
	return from >= 0 && to <= len(s.glyphs) && slices.EqualFunc(s.glyphs[from:to], text, func(g glyph, r rune) bool { return g.r == r })
}

// phrasesAround splits a folded text at each occurrence of the name. The occurrence need not
// be a whole word: "pineapple" contains "apple".
func phrasesAround(n *name, text []rune) []phrase {
	if len(n.folded) == 0 {
		return nil
	}
	t := newTrie()
	t.insert(n.folded, n.joined, 0)
	glyphs := make([]glyph, len(text))
	for i, r := range text {
		glyphs[i].r = r
	}
	var phrases []phrase
	for i := range glyphs {
		for _, m := range t.at(glyphs, i, nil) {
			phrases = append(phrases, phrase{left: text[:i], right: text[m.end:]})
		}
	}
	return phrases
}

// inPhrase reports whether a hit is part of a forbidden phrase. The phrase must begin and end
// at word boundaries.
func (s *scan) inPhrase(p phrase, from, to int, b block) bool {
	start, end := from-len(p.left), to+len(p.right)
	return s.hasText(start, p.left) && s.hasText(to, p.right) &&
		s.wholeAt(start) && s.wholeAt(end) &&
		(len(p.left) == 0 || s.boundaryAt(start, b)) && (len(p.right) == 0 || s.boundaryAt(end, b))
}

// near reports whether one of the words is among the n words before or after a range. Words
// are runs of letters, digits and marks. They may be in other blocks.
func (s *scan) near(words map[string]bool, n, from, to int) bool {
	return s.follows(words, n, from-1, -1) || s.follows(words, n, to, +1)
}

// follows looks for one of the words among the n words from glyph i on, in one direction.
func (s *scan) follows(words map[string]bool, n, i, step int) bool {
	for ; i >= 0 && i < len(s.glyphs) && n > 0; i += step {
		if !s.isWordAt(i) {
			continue
		}
		first := i
		for s.isWordAt(i + step) {
			i += step
		}
		if words[s.word(min(first, i), max(first, i)+1)] {
			return true
		}
		n--
	}
	return false
}

func (s *scan) isWordAt(i int) bool {
	return i >= 0 && i < len(s.glyphs) && s.glyphs[i].r >= 0 && isWord(s.v.chars[s.glyphs[i].from].r)
}

func (s *scan) word(from, to int) string {
	if to-from > MaxName {
		return "" // longer than any word in the rules
	}
	var text [MaxName]rune
	for i, g := range s.glyphs[from:to] {
		text[i] = g.r
	}
	return string(text[:to-from])
}
