package mention

import (
	"unicode"
	"unicode/utf8"
)

// A name must begin and end at a word boundary. A boundary is between two characters unless
// both are letters, digits or marks. Next to a character of a script without spaces between
// words, every place is a boundary, except between two Katakana characters. Boundaries are
// determined before NFKC: ™ and ² are neither letters nor digits.

// isWord reports whether a character is a letter, a digit or a mark. Enclosing marks
// (keycaps) do not count, and U+02BC, which Unicode calls a letter, counts as a quote.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWord(r)
	}
	return r != 0x02BC && unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc)
}

func isASCIIWord(r rune) bool { return isASCIILetter(r) || r >= '0' && r <= '9' }

// unspaced are the scripts without spaces between words, except Katakana.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isUnspaced(r rune) bool { return r >= 0xE00 && (unicode.In(r, unspaced...) || isKatakana(r)) }

// isKatakana includes the long vowel mark and the half-width voiced marks, which Unicode
// assigns to no script.
func isKatakana(r rune) bool {
	return r >= 0x3000 && (unicode.Is(unicode.Katakana, r) || r == 'ー' || r == 'ｰ' || r == 0xFF9E || r == 0xFF9F)
}

// isBoundary reports whether there is a word boundary between two characters.
func isBoundary(left, right rune) bool {
	switch {
	case !isWord(left) || !isWord(right):
		return true
	case isKatakana(left) && isKatakana(right):
		return false
	default:
		return isUnspaced(left) || isUnspaced(right)
	}
}

// boundaryAt reports whether there is a boundary before visible character i of a block. The
// edges of a block and of text that is not prose are boundaries.
func (v *visible) boundaryAt(i int, b block) bool {
	if i <= b.from || i >= b.to {
		return true
	}
	left, right := v.chars[i-1], v.chars[i]
	if left.out != right.out {
		return true
	}
	if unicode.Is(unicode.Mn, left.r) && i-2 >= b.from && isWord(v.chars[i-2].r) && !isUnspaced(left.r) {
		return isBoundary(v.chars[i-2].r, right.r) // a mark has the script of its letter
	}
	return isBoundary(left.r, right.r)
}
