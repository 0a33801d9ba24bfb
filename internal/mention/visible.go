package mention

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// char is one character that a reader sees, and where it stands in the stored text.
// An entity is one character; an escaped one begins after its backslash.
type char struct {
	r          rune
	start, end int32 // bytes of the stored text
	span       int32 // changes where a link or code begins or ends: no address goes on there
	link       bool  // text of a link, or an address
	out        bool  // visible, but not prose: an address, a source's title, the quoted prompt
}

// block is a paragraph, a heading, a cell of a table, a block of code. Nothing is
// matched across its edges.
type block struct {
	from, to int // of the visible characters
	item     int // the innermost list item around it: index in items, or -1
}

// item is an item of a list.
type item struct {
	ordered bool
	number  int
}

// visible is the text that a reader sees. Characters without width are not in it:
// what is dropped leaves no gap (decision 1).
type visible struct {
	chars  []char
	blocks []block
	items  []item
	links  []Link
	notes  []noteMark

	span   int32
	inLink bool // a link is open
	item   int  // the item that blocks are opened in
	open   int  // where the current block began, or -1
}

// noteMark is the mark of a footnote: it stands before a character and is none.
type noteMark struct{ at, number int }

func newVisible(size int) *visible {
	return &visible{chars: make([]char, 0, size), item: -1, open: -1}
}

// read gives the visible text of an answer, in a value that may have been used before.
func (v *visible) read(t Text) {
	*v = visible{chars: slices.Grow(v.chars[:0], len(t.Body)), blocks: v.blocks[:0], items: v.items[:0], item: -1, open: -1}
	if t.Format == Plain {
		v.readPlain(t.Body)
	} else {
		v.readMarkdown(t.Body)
	}
}

// begin opens a block, end closes it. A block without characters leaves no trace.
func (v *visible) begin() {
	v.end()
	v.open = len(v.chars)
}

func (v *visible) end() {
	if v.open >= 0 && v.open < len(v.chars) {
		v.blocks = append(v.blocks, block{v.open, len(v.chars), v.item})
	}
	v.open = -1
}

// add appends a character, unless it is one that has no width.
func (v *visible) add(r rune, start, end int) {
	if r >= 0x80 && isDropped(r) {
		return
	}
	v.chars = append(v.chars, char{r: r, start: int32(start), end: int32(end), span: v.span, link: v.inLink})
}

// addText appends the text of a range as it is.
func (v *visible) addText(body string, start, end int) {
	for i := start; i < end; {
		if b := body[i]; b < utf8.RuneSelf {
			v.chars = append(v.chars, char{r: rune(b), start: int32(i), end: int32(i + 1), span: v.span, link: v.inLink})
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(body[i:end])
		v.add(r, i, i+size)
		i += size
	}
}

// text gives the visible characters of a range as a string.
func (v *visible) text(from, to int) string {
	var out strings.Builder
	for _, c := range v.chars[from:to] {
		out.WriteRune(c.r)
	}
	return out.String()
}

// exclude takes a range out of the prose.
func (v *visible) exclude(from, to int) {
	for i := from; i < to; i++ {
		v.chars[i].out = true
	}
}

// readPlain reads a text without markup: an empty line parts blocks, and nothing else
// means anything (decision 20).
func (v *visible) readPlain(body string) {
	v.begin()
	for start := 0; start < len(body); {
		end := len(body)
		if n := strings.IndexByte(body[start:], '\n'); n >= 0 {
			end = start + n + 1
		}
		if strings.TrimFunc(body[start:end], unicode.IsSpace) == "" {
			v.begin()
		} else {
			v.addText(body, start, end)
		}
		start = end
	}
	v.end()
}
