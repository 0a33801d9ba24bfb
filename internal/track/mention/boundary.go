package mention

import "unicode"

// A name must stand between boundaries. A boundary is where letter, digit or mark
// does not stand on both sides. None is needed where either side is of a script that
// writes no spaces between words; but Katakana next to Katakana is one word.
// Boundaries are judged on the visible characters before NFKC: ™ and ² are no letters
// and no digits (decisions 5 to 7).

// isWord tells whether a character is a letter, a digit or a mark. An enclosing mark
// (a keycap) is none of them, and an apostrophe that Unicode calls a letter is one of
// our quotes.
func isWord(r rune) bool {
	if uint32(r) < 0x80 {
		return asciiWord[r]
	}
	return r != 0x02BC && unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc)
}

// asciiWord has the letters and digits of ASCII.
var asciiWord = func() (table [0x80]bool) {
	for r := range table {
		table[r] = r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return table
}()

func isASCIIWord(r rune) bool { return uint32(r) < 0x80 && asciiWord[r] }

// unspaced are the scripts that write no spaces between words, without Katakana.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isUnspaced(r rune) bool { return r >= 0xE00 && (unicode.In(r, unspaced...) || isKatakana(r)) }

// isKatakana counts the long vowel mark and the half-width voiced marks, too, which
// Unicode gives to no script.
func isKatakana(r rune) bool {
	return r >= 0x3000 && (unicode.Is(unicode.Katakana, r) || r == 'ー' || r == 'ｰ' || r == 0xFF9E || r == 0xFF9F)
}

// isBoundary tells whether a word may end between two characters.
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

// boundaryAt tells whether there is a boundary before the visible character at i of
// a block. The edges of a block and of text that is no prose are boundaries.
func (v *visible) boundaryAt(i int, b block) bool {
	if i <= b.from || i >= b.to {
		return true
	}
	left, right := v.chars[i-1], v.chars[i]
	if left.out != right.out {
		return true
	}
	if unicode.Is(unicode.Mn, left.r) && i-2 >= b.from && isWord(v.chars[i-2].r) && !isUnspaced(left.r) {
		return isBoundary(v.chars[i-2].r, right.r) // a mark is of the script of its letter
	}
	return isBoundary(left.r, right.r)
}
