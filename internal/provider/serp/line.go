package serp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/provider/webtext"
)

// cleanLine is webtext.Line, in one pass for text that has nothing in it but what
// may be shown, which is nearly all there is: a page has thousands of lines.
func cleanLine(text string) string {
	var line strings.Builder
	line.Grow(len(text))
	space, glued := false, false // whether white space, or one that holds words together, came last
	for _, r := range text {
		switch {
		case isSpace(r):
			if glued {
				return webtext.Line(text)
			}
			space = line.Len() > 0
			continue
		case isGlue(r):
			if space || line.Len() == 0 {
				return webtext.Line(text)
			}
			glued = true
		case r == utf8.RuneError || unicode.IsControl(r) || r > unicode.MaxLatin1 && !shown(r):
			return webtext.Line(text)
		default:
			glued = false
		}
		if space {
			line.WriteByte(' ')
			space = false
		}
		line.WriteRune(r)
	}
	if glued {
		return webtext.Line(text)
	}
	return line.String()
}

// shown tells whether a character beyond Latin-1 stays in text.
func shown(r rune) bool {
	return r != '\ufeff' && r != '\u200b' && !unicode.Is(unicode.Co, r)
}

// isSpace is unicode.IsSpace less isGlue and less control characters, which leave
// no space behind.
func isSpace(r rune) bool {
	if r <= unicode.MaxLatin1 {
		return r == ' ' || r == '\t' || r == '\n'
	}
	return unicode.IsSpace(r) && !isGlue(r)
}

// isGlue tells whether r is a space that holds words together.
func isGlue(r rune) bool { return r == '\u00a0' || r == '\u202f' || r == '\u2007' }

// withoutMarks is text without what only tells how to set it: in which direction,
// and where a word may be broken.
func withoutMarks(text string) string {
	// Nearly all text has none: these are how the marks begin.
	if !strings.Contains(text, "\xe2\x80") && !strings.Contains(text, "\xe2\x81") && !strings.Contains(text, "\xc2\xad") {
		return text
	}
	return marks.Replace(text)
}

var marks = strings.NewReplacer(
	"\u200e", "", "\u200f", "", "\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
	"\u2060", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", "\u00ad", "",
)
