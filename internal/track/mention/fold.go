package mention

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names and texts are folded in the same way before they are compared:
//
//  1. Characters without width are dropped (isDropped).
//  2. Quotes and dashes become ' " and - (plainMark).
//  3. NFKC: replaces full-width forms, ligatures and circled letters, and composes characters.
//  4. Accents are removed from Latin, Greek and Cyrillic letters only (dropAccents).
//  5. Full case folding, not Turkish: ß becomes ss, İ becomes i, ı stays ı.
//  6. A run of white space becomes one space.

// isDropped reports whether a character has no width. No ASCII character is dropped.
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

// plainMark replaces quotes and dashes by their ASCII forms. It must run before NFKC, which
// would decompose U+00B4 into a space and an accent.
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

// glyph is one folded character. Glyphs that come from the same visible characters have the
// same range, and a hit must not split them.
type glyph struct {
	r        rune
	from, to int32 // range of visible characters
}

// Glyphs that no name contains.
const (
	blockEnd rune = -1
	hole     rune = -2 // text that is not prose
)

// foldVisible folds the visible text of all blocks. It reuses the memory of out.
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
		case unicode.IsSpace(c.r):
			for end < to && !chars[end].out && unicode.IsSpace(chars[end].r) {
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

// maxCluster is the maximum number of characters that are composed together. Unicode's
// stream-safe text format allows 30 marks.
const maxCluster = 32

// clusterEnd returns the index of the next character that cannot compose with the previous
// characters.
func clusterEnd(chars []char, from, to int) int {
	end := from + 1
	for end < to && end-from < maxCluster && !chars[end].out && joinsPrevious(chars[end].r) {
		end++
	}
	return end
}

// joinsPrevious reports whether NFKC may compose a character with the previous character.
func joinsPrevious(r rune) bool {
	if r < 0x300 || r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA {
		return false
	}
	var buffer [utf8.UTFMax]byte
	n := utf8.EncodeRune(buffer[:], r)
	return !norm.NFKC.Properties(buffer[:n]).BoundaryBefore()
}

// foldCluster folds characters that may compose. If folding each character by itself gives
// the same result, each glyph keeps its own range.
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

// smallFolds has the folded form of the characters up to the end of the Arabic block, or 0 if
// it is not a single character.
var smallFolds = sync.OnceValue(func() *[0x700]rune {
	var table [0x700]rune
	for r := range rune(len(table)) {
		if folded := foldRunes([]rune{r}, false); len(folded) == 1 {
			table[r] = folded[0]
		}
	}
	return &table
})

// foldSingle is a fast path that folds a character without combining marks. It returns false
// if the character needs foldRunes.
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

// foldRunes folds characters. isDropped must be false for all of them.
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
		if folded[i] = plainMark(r); unicode.IsSpace(r) {
			folded[i] = ' '
		}
	}
	return folded
}

// dropAccents removes combining marks from Latin, Greek and Cyrillic letters. A stroke is not
// a mark: ø and ł stay.
func dropAccents(text string) string {
	var kept []rune
	accented := false
	for _, r := range norm.NFD.String(text) {
		if !unicode.Is(unicode.Mn, r) {
			accented = takesAccents(r)
		} else if accented {
			continue
		}
		kept = append(kept, r)
	}
	return norm.NFC.String(string(kept))
}

func takesAccents(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) && unicode.IsLetter(r)
}

// Fold returns a text in the form in which names are compared, without white space at its
// ends.
func Fold(text string) string { return string(foldText(text, false)) }

// foldText folds a name, a prompt or a phrase, and trims white space.
func foldText(text string, keepCase bool) []rune {
	var v visible
	v.addText(text, 0, len(text))
	return []rune(strings.Trim(string(foldChars(v.chars, keepCase)), " "))
}

// foldChars folds characters. The result has no ranges.
func foldChars(chars []char, keepCase bool) (folded []rune) {
	if !keepCase {
		for _, g := range foldRange(nil, chars, 0, len(chars)) {
			folded = append(folded, g.r)
		}
		return folded
	}
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
