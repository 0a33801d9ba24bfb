package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/provider/answer"
)

// cleanLine is answer.Line, in one pass for text that has nothing in it but what
// may be shown, which is nearly all there is: a page has thousands of lines.
func cleanLine(text string) string {
	var line strings.Builder
	line.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case isSpace(r):
			space = line.Len() > 0
		case r == utf8.RuneError || unicode.IsControl(r) || r > unicode.MaxLatin1 && !shown(r):
			return answer.Line(text)
		default:
			if space {
				line.WriteByte(' ')
				space = false
			}
			line.WriteRune(r)
		}
	}
	return line.String()
}

// shown tells whether a character beyond Latin-1 stays in text.
func shown(r rune) bool {
	return r != '\ufeff' && r != '\u200b' && !unicode.Is(unicode.Co, r)
}

// isSpace is unicode.IsSpace less the spaces that hold words together.
func isSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f' && r != '\u2007'
}
