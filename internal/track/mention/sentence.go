package mention

import (
	"slices"
	"unicode"
)

// The citations of a mention are the citations in its sentence. A sentence ends at a full
// stop, an exclamation mark or a question mark before white space, and at similar characters
// of other scripts. It does not end at a full stop after a single letter ("J. Crew") or before
// a lower-case letter ("e.g. on trails"). Closing quotes and brackets belong to the sentence,
// and so do the citations after it: numbers in brackets, links that are citations, footnote
// marks.

// citer sets the sentences and citations of mentions.
type citer struct {
	*visible
	sources int
	placed  []int         // indexes of the links outside footnotes, in the order of the text
	noted   map[int][]int // indexes of the links in each footnote
}

func newCiter(v *visible, sources int) citer {
	c := citer{visible: v, sources: sources, noted: map[int][]int{}}
	for i, link := range v.links {
		if link.note > 0 {
			c.noted[link.note] = append(c.noted[link.note], i)
		} else {
			c.placed = append(c.placed, i)
		}
	}
	slices.SortStableFunc(c.placed, func(a, b int) int { return v.links[a].from - v.links[b].from })
	return c
}

// CitingSentence is a sentence with citations.
type CitingSentence struct {
	Start, End int      // byte offsets in the text
	URLs       []string // the cited addresses, as written
}

// Citing returns the sentences of a text that cite sources or contain links. Citations that
// stand alone belong to the sentence before.
func (r *Rules) Citing(t Text) (all []CitingSentence) {
	s := r.space()
	defer r.release(s)
	v := s.v
	v.read(t)
	v.addresses()
	v.citations(t.Sources)
	c := newCiter(v, len(t.Sources))
	after := &Mention{from: len(v.chars), to: len(v.chars)} // ends no sentence
	prose := 0                                              // start of the last sentence with words
	for _, b := range v.blocks {
		for to := b.from; to < b.to; {
			from := to
			to = v.sentenceEnd(from, after, b)
			if slices.ContainsFunc(v.chars[from:to], func(c char) bool { return !c.out && isWord(c.r) && !unicode.IsDigit(c.r) }) {
				prose = from
			}
			links, cited := c.citedIn(from, to)
			if len(links)+len(cited) == 0 {
				continue
			}
			sentence := CitingSentence{}
			sentence.Start, sentence.End = v.byteRange(prose, to)
			for _, i := range cited {
				sentence.URLs = append(sentence.URLs, t.Sources[i].URL)
			}
			for _, i := range links {
				sentence.URLs = append(sentence.URLs, v.links[i].URL)
			}
			all = append(all, sentence)
		}
	}
	return all
}

// cite sets the sentences and citations of mentions, which must be in the order of the text.
func (v *visible) cite(mentions []Mention, sources int) {
	c := newCiter(v, sources)
	from, to := 0, 0 // the current sentence
	var links, cited []int
	for i := range mentions {
		m := &mentions[i]
		if m.from >= to {
			b := v.blockOf(m.from)
			for to = max(to, b.from); to <= m.from; {
				from, to = to, v.sentenceEnd(to, m, b)
			}
			links, cited = c.citedIn(from, to)
		}
		m.SentenceStart, m.SentenceEnd = v.byteRange(from, to)
		m.Links, m.Sources = links, cited
	}
}

// byteRange returns the byte range of visible characters, without white space at its edges.
func (v *visible) byteRange(from, to int) (start, end int) {
	for from+1 < to && unicode.IsSpace(v.chars[from].r) {
		from++
	}
	for to-1 > from && unicode.IsSpace(v.chars[to-1].r) {
		to--
	}
	return int(v.chars[from].start), int(v.chars[to-1].end)
}

// sentenceEnd returns the end of the sentence that begins at i. A sentence does not end inside
// the mention, such as at the full stop of "Dr. Martens".
func (v *visible) sentenceEnd(i int, m *Mention, b block) int {
	for ; i < b.to; i++ {
		if r := v.chars[i].r; r == ' ' || isASCIIWord(r) || !v.endsSentence(i, b) {
			continue
		}
		end := i + 1
		for end < b.to && isClosing(v.chars[end].r) {
			end++
		}
		end = v.behindCitations(end, b)
		if end <= m.from || end >= m.to {
			return end
		}
	}
	return b.to
}

// endsSentence reports whether a sentence ends with character i.
func (v *visible) endsSentence(i int, b block) bool {
	if v.chars[i].out {
		return false
	}
	switch v.chars[i].r {
	case '。', '！', '？', '؟', '।':
		return true
	case '.', '!', '?', '…':
	default:
		return false
	}
	next := i + 1
	for next < b.to && isClosing(v.chars[next].r) {
		next++
	}
	after := v.behindCitations(next, b)
	if after == next && next < b.to && !unicode.IsSpace(v.chars[next].r) {
		return false
	}
	if v.chars[i].r == '.' && i > b.from && unicode.IsLetter(v.chars[i-1].r) && (i-1 == b.from || !isWord(v.chars[i-2].r)) && !isUnspaced(v.chars[i-1].r) {
		return false
	}
	for after < b.to && unicode.IsSpace(v.chars[after].r) {
		after++
	}
	return after == b.to || !unicode.IsLower(v.chars[after].r)
}

func isClosing(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf) || r == '"' || r == '\''
}

// behindCitations skips citations and the spaces, commas and brackets around them. It returns
// i if there are no citations.
func (v *visible) behindCitations(i int, b block) int {
	end := i
	for i < b.to {
		c := v.chars[i]
		_, after := v.numberAt(i, b)
		switch {
		case after > i:
			i, end = after, after
		case c.out && c.link:
			i, end = i+1, i+1
		case isClosing(c.r) && end == i:
			i, end = i+1, i+1
		case unicode.IsSpace(c.r), c.r == '(', c.r == '[', c.r == ',', isClosing(c.r):
			i++
		default:
			return end
		}
	}
	return end
}

// numberAt parses a citation such as [1] or 【1】 and returns its number and end. It returns
// 0 and i if there is no citation.
func (v *visible) numberAt(i int, b block) (number, end int) {
	if r := v.chars[i].r; r != '[' && r != '【' {
		return 0, i
	}
	for end = i + 1; end < b.to && end <= i+4 && v.chars[end].r >= '0' && v.chars[end].r <= '9'; end++ {
		number = 10*number + int(v.chars[end].r-'0')
	}
	if end == i+1 || end == b.to || v.chars[end].r != ']' && v.chars[end].r != '】' {
		return 0, i
	}
	return number, end + 1
}

// citedIn returns the links in a sentence and the sources that it cites, each source once.
func (c *citer) citedIn(from, to int) (links, cited []int) {
	cite := func(n int) {
		if n >= 0 && n < c.sources && !slices.Contains(cited, n) {
			cited = append(cited, n)
		}
	}
	add := func(link int) {
		links = append(links, link)
		cite(c.links[link].Source)
	}
	first, _ := slices.BinarySearchFunc(c.placed, from, func(link, from int) int { return c.links[link].from - from })
	for _, link := range c.placed[first:] {
		if c.links[link].from >= to {
			break
		}
		add(link)
	}
	firstNote, _ := slices.BinarySearchFunc(c.notes, from+1, func(note noteMark, at int) int { return note.at - at })
	for _, note := range c.notes[firstNote:] {
		if note.at > to {
			break
		}
		for _, link := range c.noted[note.number] {
			add(link)
		}
	}
	b := block{from: from, to: to, item: -1}
	for i := from; i < to; i++ {
		if isASCIIWord(c.chars[i].r) {
			continue
		}
		if number, _ := c.numberAt(i, b); number > 0 {
			cite(number - 1)
		}
	}
	return links, cited
}
