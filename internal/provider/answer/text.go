package answer

import (
	"regexp"
	"strings"
	"unicode"
)

// A citation stands in text as a mark of private-use characters: what is
// between the first two of these, both included. Parsers put an empty Mark
// where they took a chip out, so that Clean closes the gap.
const (
	markStart = '\ue200'
	markEnd   = '\ue201'
	Mark      = string(markStart) + string(markEnd)
)

var (
	marks = regexp.MustCompile(`[ \t]*\x{e200}[^\x{e200}\x{e201}]*\x{e201}`)
	gaps  = regexp.MustCompile(`\n{3,}`)
)

// ValidText is the text with what no store can keep taken out: bytes that are
// no UTF-8, and NUL.
func ValidText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// Clean makes text fit to be shown and stored: valid UTF-8, no NUL or other
// control characters, no citation marks or other private-use characters, lines
// without white space at their ends, at most one blank line at a time.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = marks.ReplaceAllString(text, "")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\u2028', r == '\u2029':
			return '\n'
		case unicode.IsControl(r), unicode.Is(unicode.Co, r), r == '\ufeff', r == '\u200b':
			return -1
		default:
			return r
		}
	}, text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	text = gaps.ReplaceAllString(strings.Join(lines, "\n"), "\n\n")
	return strings.TrimSpace(text)
}

// Line is Clean for what stands on one line: a title, a name, a query.
func Line(text string) string { return strings.Join(strings.FieldsFunc(Clean(text), isSpace), " ") }
