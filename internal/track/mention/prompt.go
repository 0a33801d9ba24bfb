package mention

import (
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Names in a repetition of the prompt do not count. The whole prompt, folded and without
// punctuation at its end, is excluded everywhere if it has at least four words, or eight
// letters of a script without spaces. A shorter prompt is excluded only where it fills a block
// or is between quotation marks.

// prompt is a folded prompt.
type prompt struct {
	text  string // empty if there is nothing to find
	short bool
}

// The minimum length of a prompt that is excluded everywhere.
const (
	promptWords   = 4
	promptLetters = 8
)

// readPrompt folds a prompt. Addresses in it are excluded as in an answer.
func (r *Rules) readPrompt(text string) prompt {
	v := &visible{}
	v.read(Text{Body: text, Format: Plain})
	v.addresses()
	r.hosts(v)
	for len(v.chars) > 0 && endsSentence(v.chars[len(v.chars)-1]) {
		v.chars = v.chars[:len(v.chars)-1]
	}
	var folded []rune
	for _, g := range foldRange(nil, v.chars, 0, len(v.chars)) {
		folded = append(folded, searched(g.r))
	}
	p := prompt{text: strings.TrimLeft(string(folded), " ")}
	words, letters := 0, 0
	for i, c := range v.chars {
		if isWord(c.r) && (i == 0 || !isWord(v.chars[i-1].r)) {
			words++
		}
		if isUnspaced(c.r) && unicode.IsLetter(c.r) {
			letters++
		}
	}
	p.short = words < promptWords && letters < promptLetters
	if words == 0 {
		p.text = ""
	}
	return p
}

// endsSentence reports whether a character at the end of a prompt is ignored.
func endsSentence(c char) bool {
	return !c.out && (unicode.IsSpace(c.r) || unicode.IsPunct(c.r) && !unicode.In(c.r, unicode.Ps, unicode.Pi))
}

// cutPrompt excludes the prompt from the prose and reports whether it was found.
func (s *scan) cutPrompt(p prompt) bool {
	if p.text == "" {
		return false
	}
	text, glyphs := s.running()
	cut := false
	for from := 0; ; {
		at := strings.Index(text[from:], p.text)
		if at < 0 {
			return cut
		}
		first, last := glyphs[from+at], glyphs[from+at+len(p.text)-1]
		from += at + len(p.text)
		if s.isPrompt(p, first, last+1) {
			s.v.exclude(int(s.glyphs[first].from), int(s.glyphs[last].to))
			cut = true
		}
	}
}

// running returns the folded text with spaces between blocks, and the glyph index of each
// byte. A prompt of several lines may be repeated in several blocks.
func (s *scan) running() (text string, glyphs []int) {
	var out strings.Builder
	for i, g := range s.glyphs {
		r := searched(g.r)
		if r == ' ' && strings.HasSuffix(out.String(), " ") {
			continue
		}
		out.WriteRune(r)
		for len(glyphs) < out.Len() {
			glyphs = append(glyphs, i)
		}
	}
	return out.String(), glyphs
}

// searched returns the character that stands for a glyph in the texts that are searched. For a
// hole it is a character without width, which no other glyph has.
func searched(glyph rune) rune {
	switch glyph {
	case blockEnd:
		return ' '
	case hole:
		return '\uFEFF'
	default:
		return glyph
	}
}

// isPrompt reports whether the prompt between two glyphs is excluded.
func (s *scan) isPrompt(p prompt, from, to int) bool {
	if !s.wholeAt(from) || !s.wholeAt(to) {
		return false
	}
	start, end := int(s.glyphs[from].from), int(s.glyphs[to-1].to)
	first, last := s.v.blockOf(start), s.v.blockOf(end-1)
	if !s.v.boundaryAt(start, first) || !s.v.boundaryAt(end, last) {
		return false
	}
	return !p.short || s.v.isQuoted(start, end, first, last) || s.v.fills(start, end, first, last)
}

// fills reports whether the blocks of a range have no letters or digits outside the range.
func (v *visible) fills(start, end int, first, last block) bool {
	inWord := func(c char) bool { return isWord(c.r) }
	return !slices.ContainsFunc(v.chars[first.from:start], inWord) && !slices.ContainsFunc(v.chars[end:last.to], inWord)
}

// isQuoted reports whether a range is between quotation marks. Punctuation may precede the
// closing mark.
func (v *visible) isQuoted(start, end int, first, last block) bool {
	for start > first.from && (v.chars[start-1].r == '¿' || v.chars[start-1].r == '¡' || unicode.IsSpace(v.chars[start-1].r)) {
		start--
	}
	if start == first.from || !isQuote(v.chars[start-1].r) {
		return false
	}
	for ; end < last.to; end++ {
		r := v.chars[end].r
		if isQuote(r) {
			return true
		}
		if !unicode.IsPunct(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return false
}

func isQuote(r rune) bool {
	switch plainMark(r) {
	case '\'', '"', '«', '»', '‹', '›', '「', '」', '『', '』', '《', '》', '〈', '〉', '„', '‚', '`', '״', '｢', '｣':
		return true
	}
	return false
}

// blockOf returns the block that contains a character.
func (v *visible) blockOf(i int) block {
	return v.blocks[sort.Search(len(v.blocks), func(n int) bool { return v.blocks[n].to > i })]
}
