package mention

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names and texts are folded alike before they are compared (decisions 1 to 4):
//
//  1. characters without width are dropped (isDropped);
//  2. quotes and dashes become ' " and - (plainMark);
//  3. NFKC: full width, ligatures, circled letters; what is decomposed composes;
//  4. accents go, on Latin, Greek and Cyrillic letters only (dropAccents);
//  5. full case folding, not Turkish: ß is ss, İ is i, ı is not i;
//  6. a run of white space is one space.

// isDropped tells whether a character has no width. ASCII has none of these.
func isDropped(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0xFEFF:
		return true
	case r < 0x180B:
		return false
	case r <= 0x180F,
		r >= 0x200B && r <= 0x200F,
		r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F,
		r >= 0xFE00 && r <= 0xFE0F,
		r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return false
}

// plainMark makes a quote or a dash the one of ASCII and leaves the rest alone. It
// comes before NFKC, which would make a space of an acute accent.
func plainMark(r rune) rune {
	switch {
	case r < 0x00B4:
		return r
	case r == 0x00B4, r == 0x02BC, r >= 0x2018 && r <= 0x201B, r == 0x2032, r == 0xFF07:
		return '\''
	case r >= 0x201C && r <= 0x201F, r == 0x2033, r == 0xFF02:
		return '"'
	case r == 0x058A, r == 0x1806, r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE58, r == 0xFE63, r == 0xFF0D:
		return '-'
	}
	return r
}

// glyph is one folded character. Glyphs that came of the same characters have the
// same range: a hit may not part them.
type glyph struct {
	r        rune
	from, to int32 // of the visible characters
}

// These glyphs match nothing.
const (
	blockEnd rune = -1
	hole     rune = -2 // text that is no prose
)

// foldVisible folds the visible text of all blocks into out, whose content is lost.
func foldVisible(out []glyph, v *visible) []glyph {
	out = slices.Grow(out[:0], len(v.chars)+len(v.blocks))
	for i := range v.blocks {
		b := &v.blocks[i]
		out = foldRange(out, v.chars, b.from, b.to)
		b.glyphs = len(out)
		out = append(out, glyph{blockEnd, int32(b.to), int32(b.to)})
	}
	return out
}

// foldRange appends the folded characters of a range.
func foldRange(out []glyph, chars []char, from, to int) []glyph {
	for i := from; i < to; {
		c, end := &chars[i], i+1
		switch {
		case c.out:
			for end < to && chars[end].out {
				end++
			}
			out = append(out, glyph{hole, int32(i), int32(end)})
		case isSpace(c.r):
			for end < to && !chars[end].out && isSpace(chars[end].r) {
				end++
			}
			out = append(out, glyph{' ', int32(i), int32(end)})
		case c.r < utf8.RuneSelf && (end == to || chars[end].r < 0x300):
			out = append(out, glyph{lower(c.r), int32(i), int32(end)})
		default:
			end = clusterEnd(chars, i, to)
			out = foldCluster(out, chars, i, end)
		}
		i = end
	}
	return out
}

// maxCluster bounds how many characters are composed together. Unicode's own bound
// for text that can be streamed is 30 marks.
const maxCluster = 32

// clusterEnd is where the next character that cannot compose with those before it
// stands.
func clusterEnd(chars []char, from, to int) int {
	end := from + 1
	for end < to && end-from < maxCluster && !chars[end].out && joinsPrevious(chars[end].r) {
		end++
	}
	return end
}

// joinsPrevious tells whether NFKC may join a character with the one before it.
func joinsPrevious(r rune) bool {
	if r < 0x300 || r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA {
		return false
	}
	var buffer [utf8.UTFMax]byte
	n := utf8.EncodeRune(buffer[:], r)
	return !norm.NFKC.Properties(buffer[:n]).BoundaryBefore()
}

// foldCluster folds characters that belong together. Where each gives the same by
// itself, each keeps its own range.
func foldCluster(out []glyph, chars []char, from, to int) []glyph {
	if to-from == 1 {
		if r, ok := foldSingle(chars[from].r); ok {
			return append(out, glyph{r, int32(from), int32(to)})
		}
	}
	runes := make([]rune, 0, maxCluster)
	for _, c := range chars[from:to] {
		runes = append(runes, c.r)
	}
	whole := foldRunes(runes, false)
	if len(runes) > 1 && !takesAccents(runes[0]) {
		each := make([]glyph, 0, len(whole))
		for i, r := range runes {
			for _, f := range foldRunes([]rune{r}, false) {
				each = append(each, glyph{f, int32(from + i), int32(from + i + 1)})
			}
		}
		if slices.EqualFunc(each, whole, func(g glyph, r rune) bool { return g.r == r }) {
			return append(out, each...)
		}
	}
	for _, r := range whole {
		out = append(out, glyph{r, int32(from), int32(to)})
	}
	return out
}

// smallFolds has the folded form of the characters up to the end of the Arabic block,
// where that is one character; else 0.
var smallFolds = sync.OnceValue(func() *[0x700]rune {
	var table [0x700]rune
	for r := range rune(len(table)) {
		if folded := foldRunes([]rune{r}, false); len(folded) == 1 {
			table[r] = folded[0]
		}
	}
	return &table
})

// foldSingle folds a character that stands alone, where that is quick.
func foldSingle(r rune) (rune, bool) {
	switch {
	case r < 0x700:
		folded := smallFolds()[r]
		return folded, folded != 0
	case r >= 0x3400 && r < 0xA000, r >= 0xAC00 && r <= 0xD7A3, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA:
		return r, true // Han, Hangul and full-width Kana
	default:
		folded := plainMark(r)
		return folded, folded != r
	}
}

// foldRunes folds characters that are not dropped, with or without the case.
func foldRunes(runes []rune, keepCase bool) []rune {
	marked := make([]rune, len(runes))
	for i, r := range runes {
		marked[i] = plainMark(r)
	}
	text := dropAccents(norm.NFKC.String(string(marked)))
	if !keepCase {
		text = dropAccents(cases.Fold().String(text))
	}
	folded := []rune(text)
	for i, r := range folded {
		if folded[i] = plainMark(r); isSpace(r) {
			folded[i] = ' '
		}
	}
	return folded
}

// dropAccents takes combining marks off Latin, Greek and Cyrillic letters. A stroke
// is no mark: ø and ł are letters of their own.
func dropAccents(text string) string {
	var kept []rune
	accented := false
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
			if accented {
				continue
			}
		default:
			accented = takesAccents(r)
		}
		kept = append(kept, r)
	}
	return norm.NFC.String(string(kept))
}

func takesAccents(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) && unicode.IsLetter(r)
}

// foldText folds a text that is no answer: a name, a prompt, a phrase. White space
// at its ends is gone.
func foldText(text string, keepCase bool) []rune {
	v := newVisible(len(text))
	v.addText(text, 0, len(text))
	folded := foldChars(v.chars, keepCase)
	for len(folded) > 0 && folded[0] == ' ' {
		folded = folded[1:]
	}
	for len(folded) > 0 && folded[len(folded)-1] == ' ' {
		folded = folded[:len(folded)-1]
	}
	return folded
}

// foldChars folds characters and forgets where they stood.
func foldChars(chars []char, keepCase bool) []rune {
	if !keepCase {
		var folded []rune
		for _, g := range foldRange(nil, chars, 0, len(chars)) {
			folded = append(folded, g.r)
		}
		return folded
	}
	var folded []rune
	for i := 0; i < len(chars); {
		end := clusterEnd(chars, i, len(chars))
		runes := make([]rune, 0, end-i)
		for _, c := range chars[i:end] {
			runes = append(runes, c.r)
		}
		for _, r := range foldRunes(runes, true) {
			if r != ' ' || len(folded) == 0 || folded[len(folded)-1] != ' ' {
				folded = append(folded, r)
			}
		}
		i = end
	}
	return folded
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r)
}
