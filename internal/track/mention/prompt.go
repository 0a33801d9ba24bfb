package mention

import "unicode"

// Where an answer repeats the question, the names in it are not the answer's
// (decision 19). The whole prompt, folded and without punctuation at its end, is cut
// out wherever it stands when it has four words or more, or eight letters of a script
// without spaces; a shorter one only where it fills a block or stands between
// quotation marks.

// prompt is a question, ready to be found.
type prompt struct {
	text  []rune // folded; empty where there is nothing to find
	short bool
}

// The length from which a prompt is cut out everywhere.
const (
	promptWords   = 4
	promptLetters = 8
)

// readPrompt folds a prompt; addresses in it are what they are in an answer.
func (r *Rules) readPrompt(text string) prompt {
	v := newVisible(len(text))
	v.begin()
	v.addText(text, 0, len(text))
	v.end()
	v.addresses()
	r.hosts(v)
	for len(v.chars) > 0 && endsSentence(v.chars[len(v.chars)-1]) {
		v.chars = v.chars[:len(v.chars)-1]
	}
	p := prompt{}
	for _, g := range foldRange(nil, v.chars, 0, len(v.chars)) {
		if len(p.text) > 0 || g.r != ' ' {
			p.text = append(p.text, g.r)
		}
	}
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
		p.text = nil
	}
	return p
}

// endsSentence tells whether a character at the end of a prompt is none of its own.
func endsSentence(c char) bool {
	return !c.out && (isSpace(c.r) || unicode.IsPunct(c.r) && !isOpening(c.r))
}

// cutPrompt takes the prompt out of the prose and tells whether there was one.
func (s *scan) cutPrompt(p prompt) bool {
	if len(p.text) == 0 {
		return false
	}
	text, glyphs := s.running()
	fallback := failures(p.text)
	cut := false
	matched := 0
	for i, r := range text {
		for matched > 0 && p.text[matched] != r {
			matched = fallback[matched-1]
		}
		if p.text[matched] == r {
			matched++
		}
		if matched < len(p.text) {
			continue
		}
		matched = 0
		first, last := glyphs[i+1-len(p.text)], glyphs[i]
		if s.isPrompt(p, first, last+1) {
			s.v.exclude(int(s.glyphs[first].from), int(s.glyphs[last].to))
			cut = true
		}
	}
	return cut
}

// running gives the folded text with spaces between blocks, and which glyph each
// character is: a prompt of several lines may be quoted in several blocks.
func (s *scan) running() (text []rune, glyphs []int) {
	text, glyphs = make([]rune, 0, len(s.glyphs)), make([]int, 0, len(s.glyphs))
	for i, g := range s.glyphs {
		r := g.r
		if r == blockEnd {
			r = ' '
		}
		if r == ' ' && len(text) > 0 && text[len(text)-1] == ' ' {
			continue
		}
		text, glyphs = append(text, r), append(glyphs, i)
	}
	return text, glyphs
}

// failures is the table of Knuth, Morris and Pratt: how much of the text is still
// matched after each of its characters when the next one differs.
func failures(text []rune) []int {
	table := make([]int, len(text))
	for i, matched := 1, 0; i < len(text); i++ {
		for matched > 0 && text[matched] != text[i] {
			matched = table[matched-1]
		}
		if text[matched] == text[i] {
			matched++
		}
		table[i] = matched
	}
	return table
}

// isPrompt tells whether the prompt counts as quoted between two glyphs.
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

// fills tells whether beside a range there are no letters or digits in its blocks.
func (v *visible) fills(start, end int, first, last block) bool {
	for i := first.from; i < start; i++ {
		if isWord(v.chars[i].r) {
			return false
		}
	}
	for i := end; i < last.to; i++ {
		if isWord(v.chars[i].r) {
			return false
		}
	}
	return true
}

// isQuoted tells whether a range stands between quotation marks; its own punctuation
// may stand before the closing one.
func (v *visible) isQuoted(start, end int, first, last block) bool {
	for start > first.from && (v.chars[start-1].r == '¿' || v.chars[start-1].r == '¡' || isSpace(v.chars[start-1].r)) {
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
		if !unicode.IsPunct(r) && !isSpace(r) {
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

func isOpening(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) }

// blockOf is the block that holds a character.
func (v *visible) blockOf(i int) block {
	low, high := 0, len(v.blocks)
	for low < high {
		middle := (low + high) / 2
		if v.blocks[middle].to <= i {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return v.blocks[low]
}
