// Package webtext cleans text from the web so that it can be stored and shown, and reads numbers,
// prices and addresses in such text.
//
//	clean.go   control characters, white space, citation marks
//	number.go  numbers in any notation
//	price.go   prices and their currency
//	link.go    destinations of links, without tracking parameters
package webtext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A citation mark in a text begins with markStart and ends with markEnd, both private-use
// characters. Parsers replace a citation chip with the empty mark Mark, so that Clean also removes
// the space before the chip.
const (
	markStart = "\ue200"
	markEnd   = "\ue201"
	Mark      = markStart + markEnd
)

// MaxText is the maximum length of an answer's text in bytes. The longest real answers have 60 KB.
const MaxText = 256 << 10

// ValidText removes NUL and replaces invalid UTF-8: no store accepts either.
func ValidText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// Clean makes text fit to be stored and shown. The result is valid UTF-8 without control
// characters, citation marks or other private-use characters. Its lines do not end in white space,
// and there is at most one blank line in a row.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.Contains(text, markStart) {
		text = citation.ReplaceAllString(text, "")
	}
	text = strings.Map(cleanRune, text)
	if strings.Contains(text, "\n") {
		text = tidyLines(text)
	}
	return strings.TrimSpace(text)
}

// citation matches a citation mark and the white space before it. If a mark begins within another
// one, only the inner one matches.
var citation = regexp.MustCompile(`[ \t]*\x{e200}[^\x{e200}\x{e201}]*\x{e201}`)

// cleanRune returns the replacement of r in clean text, or -1 to drop r.
func cleanRune(r rune) rune {
	switch {
	case r >= ' ' && r <= '~', r == '\n', r == '\t':
		return r
	case r == '\u2028', r == '\u2029':
		return '\n'
	case unicode.IsControl(r), unicode.Is(unicode.Co, r), r == '\ufeff', r == '\u200b':
		return -1
	default:
		return r
	}
}

// tidyLines removes white space from the ends of lines and joins several blank lines into one.
func tidyLines(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	blank := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if line == "" {
			blank = true
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
			if blank {
				out.WriteByte('\n')
			}
		}
		out.WriteString(line)
		blank = false
	}
	return out.String()
}

// Line returns the text on one line: cleaned like Clean, with single spaces between the words. It
// is for titles, names and queries.
func Line(text string) string {
	return strings.Join(strings.FieldsFunc(Clean(text), IsSpace), " ")
}

// WriteWords writes the words of the text, separated by single spaces.
func WriteWords(out *strings.Builder, text string) {
	between := ""
	for word := range strings.FieldsFuncSeq(text, IsSpace) {
		out.WriteString(between)
		out.WriteString(word)
		between = " "
	}
}

// IsSpace is unicode.IsSpace without the non-breaking spaces.
func IsSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r) && !isGlue(r)
}

func isGlue(r rune) bool { return r == '\u00a0' || r == '\u202f' || r == '\u2007' }
