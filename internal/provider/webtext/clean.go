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

// Clean makes text fit to be shown and stored: valid UTF-8, no NUL or other
// control characters, no citation marks or other private-use characters, lines
// without white space at their ends, at most one blank line at a time.
//
// Parsers call it for every little text of a document, most of which are clean
// already; those cost one look at their bytes.
func Clean(text string) string {
	if text = strings.TrimSpace(text); isClean(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = dropMarks(text)
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

// isClean tells whether a text that has no space at its ends is clean.
func isClean(text string) bool {
	space, breaks := false, 0 // whether the last character was a space within a line, or how many lines ended just before
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError || cleanRune(r) != r {
				return false
			}
		}
		i += size
		if r == '\n' {
			breaks++
			if space || breaks > 2 {
				return false
			}
			continue
		}
		if r < ' ' && r != '\t' || r == '\x7f' {
			return false
		}
		space, breaks = r == ' ' || r == '\t' || r >= utf8.RuneSelf && unicode.IsSpace(r), 0
	}
	return true
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

// Line is Clean for what stands on one line: a title, a name, a query. Pages have
// thousands of them, and nearly all have nothing in them but what may be shown.
func Line(text string) string {
	if isLine(text) {
		return strings.TrimSpace(text)
	}
	if line, ok := simpleLine(text); ok {
		return line
	}
	var out strings.Builder
	text = Clean(text)
	out.Grow(len(text))
	WriteWords(&out, text)
	return out.String()
}

// isLine tells whether there is nothing in the text but words with a space between
// them.
func isLine(text string) bool {
	last := rune(0)
	for i := 0; ; i++ { // nearly all text is ASCII
		if i == len(text) {
			return true
		}
		c := text[i]
		if c >= utf8.RuneSelf {
			text = text[i:]
			break
		}
		if c == ' ' && last == ' ' || c < ' ' || c == '\x7f' {
			return false
		}
		last = rune(c)
	}
	for _, r := range text {
		switch {
		case r == ' ' && last == ' ', r < ' ', r == '\x7f':
			return false
		case r >= utf8.RuneSelf && (r == utf8.RuneError || unicode.IsSpace(r) || cleanRune(r) != r):
			return false
		}
		last = r
	}
	return true
}

// simpleLine is Line in one pass. ok is false for text that needs more than that:
// characters that are taken out, and spaces that hold words together beside others.
func simpleLine(text string) (clean string, ok bool) {
	var line strings.Builder
	line.Grow(len(text))
	space, glued := false, false // whether white space, or one that holds words together, came last
	for _, r := range text {
		switch {
		case r == ' ', r == '\t', r == '\n', r > unicode.MaxLatin1 && IsSpace(r):
			if glued {
				return "", false
			}
			space = line.Len() > 0
			continue
		case isGlue(r):
			if space || line.Len() == 0 {
				return "", false
			}
			glued = true
		case r == utf8.RuneError, cleanRune(r) != r:
			return "", false
		default:
			glued = false
		}
		if space {
			line.WriteByte(' ')
			space = false
		}
		line.WriteRune(r)
	}
	return line.String(), !glued
}

// WriteWords writes the words of the text with a space between them.
func WriteWords(out *strings.Builder, text string) {
	if isLine(text) {
		out.WriteString(strings.Trim(text, " "))
		return
	}
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
