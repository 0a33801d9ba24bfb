// Package webtext makes text from the web fit to be stored and shown, and reads
// what stands in it: numbers, prices, addresses.
//
//	clean.go   control characters, white space, marks
//	number.go  numbers as people write them
//	price.go   prices and their currency
//	link.go    where a link leads, without the tracking of who gave it
package webtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A citation stands in text as a mark of private-use characters: what is
// between the first two of these, both included. Parsers put an empty Mark
// where they took a chip out, so that Clean closes the gap.
const (
	markStart = "\ue200"
	markEnd   = "\ue201"
	Mark      = markStart + markEnd
)

// MaxText is how long the text of an answer may be, in bytes; the longest have
// 60 KB.
const MaxText = 256 << 10

// ValidText is the text with what no store can keep taken out: bytes that are
// no UTF-8, and NUL.
func ValidText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// Clean makes text fit to be stored and shown. The result is valid UTF-8 without control
// characters, citation marks or other private-use characters. Its lines do not end in white space,
// and there is at most one blank line in a row.
func Clean(text string) string {
	text = dropMarks(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Map(cleanRune, text)
	if strings.Contains(text, "\n") {
		text = tidyLines(text)
	}
	return strings.TrimSpace(text)
}

// dropMarks takes out marks with the white space before them. Where one begins
// within another, only the inner one is a mark.
func dropMarks(text string) string {
	if !strings.Contains(text, markStart) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, rest, found := strings.Cut(text, markEnd)
		if !found {
			out.WriteString(text)
			return out.String()
		}
		if start := strings.LastIndex(before, markStart); start >= 0 {
			out.WriteString(strings.TrimRight(before[:start], " \t"))
		} else {
			out.WriteString(before + markEnd)
		}
		text = rest
	}
}

// cleanRune is what stands for r in clean text, -1 for nothing.
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

// tidyLines takes white space off the ends of lines and leaves one blank line
// where there are several.
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

// Line is like Clean, and joins all words with single spaces: for a title, a name or a query.
func Line(text string) string {
	return strings.Join(strings.FieldsFunc(Clean(text), IsSpace), " ")
}

// WriteWords writes the words of the text with a space between them.
func WriteWords(out *strings.Builder, text string) {
	between := ""
	for word := range strings.FieldsFuncSeq(text, IsSpace) {
		out.WriteString(between)
		out.WriteString(word)
		between = " "
	}
}

// IsSpace is unicode.IsSpace less the spaces that hold words together.
func IsSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r) && !isGlue(r)
}

// isGlue tells whether r is a space that holds words together.
func isGlue(r rune) bool { return r == '\u00a0' || r == '\u202f' || r == '\u2007' }
