package mention

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// char is one visible character and its range in the stored text. An entity is one character.
// The range of an escaped character does not include the backslash.
type char struct {
	r          rune
	start, end int32 // bytes of the stored text
	span       int32 // changes where a link or code begins or ends; no address crosses that
	link       bool  // part of a link text or an address
	out        bool  // visible, but not prose: an address, a source's title, the quoted prompt
}

// block is a paragraph, a heading, a table cell or a block of code. No name crosses its edges.
type block struct {
	from, to int // range of visible characters
	item     int // index of the innermost list item in items, or -1
	glyphs   int // index of its blockEnd glyph
}

// item is an item of a list.
type item struct {
	ordered bool
	number  int
}

// visible is the visible text without characters that have no width.
type visible struct {
	chars  []char
	blocks []block
	items  []item
	links  []Link
	notes  []noteMark

	source []byte // copy of the Markdown text for the parser
	span   int32
	inLink bool // a link is open
	item   int  // index of the current list item, or -1
	open   int  // start of the current block, or -1
}

// noteMark is a footnote mark before the character with index at.
type noteMark struct{ at, number int }

// read reads the visible text of an answer. It reuses the memory of v.
func (v *visible) read(t Text) {
	*v = visible{chars: slices.Grow(v.chars[:0], len(t.Body)), blocks: v.blocks[:0], items: v.items[:0], source: v.source, item: -1, open: -1}
	if t.Format == Plain {
		v.readPlain(t.Body)
	} else {
		v.readMarkdown(t.Body)
	}
}

// begin opens a block; end closes it. Empty blocks are dropped.
func (v *visible) begin() {
	v.end()
	v.open = len(v.chars)
}

func (v *visible) end() {
	if v.open >= 0 && v.open < len(v.chars) {
		v.blocks = append(v.blocks, block{from: v.open, to: len(v.chars), item: v.item})
	}
	v.open = -1
}

// add appends a character unless it has no width.
func (v *visible) add(r rune, start, end int) {
	if r >= 0x80 && isDropped(r) {
		return
	}
	v.chars = append(v.chars, char{r: r, start: int32(start), end: int32(end), span: v.span, link: v.inLink})
}

// addText appends the characters of a range of the stored text.
func (v *visible) addText(body string, start, end int) {
	n := len(v.chars)
	chars := slices.Grow(v.chars, end-start)[:n+end-start]
	for i := start; i < end; {
		r, size := rune(body[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(body[i:end]); isDropped(r) {
				i += size
				continue
			}
		}
		c := &chars[n]
		c.r, c.start, c.end, c.span, c.link, c.out = r, int32(i), int32(i+size), v.span, v.inLink, false
		n++
		i += size
	}
	v.chars = chars[:n]
}

// text returns the visible characters of a range.
func (v *visible) text(from, to int) string {
	var out strings.Builder
	for _, c := range v.chars[from:to] {
		out.WriteRune(c.r)
	}
	return out.String()
}

// exclude marks a range as not being prose.
func (v *visible) exclude(from, to int) {
	for i := from; i < to; i++ {
		v.chars[i].out = true
	}
}

// readPlain reads a text without markup. Empty lines separate blocks.
func (v *visible) readPlain(body string) {
	v.begin()
	start := 0
	for line := range strings.Lines(body) {
		if strings.TrimSpace(line) == "" {
			v.begin()
		} else {
			v.addText(body, start, start+len(line))
		}
		start += len(line)
	}
	v.end()
}
