// Package mdtext reads and changes the Markdown that assistants write. It turns answers into plain
// text, finds and checks links, and replaces citation marks.
//
//	flatten.go  Markdown to plain text
//	links.go    find, write and check links
//	rewrite.go  replace citation marks
package mdtext

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/provider/webtext"
)

// Patterns for the beginning of a line, an entity or a link.
var (
	fenceLine   = regexp.MustCompile("^\\s*(```|~~~)")
	headingMark = regexp.MustCompile(`^\s{0,3}#{1,6}\s+`)
	quoteMark   = regexp.MustCompile(`^\s{0,3}(>\s?)+`)
	itemMark    = regexp.MustCompile(`^\s*(?:[*+-]|[0-9]+[.)])\s`)
	bulletMark  = regexp.MustCompile(`^(\s*)[*+-]\s+`)
	ruleLine    = regexp.MustCompile(`^\s{0,3}([-*_]\s*){3,}$`)
	tableRule   = regexp.MustCompile(`^\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?\s*$`)
	entityMark  = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
	linkMark    = regexp.MustCompile(`^!?\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)`)
)

// Flatten returns the plain text of Markdown, in the layout of markup.PlainText and cleaned by
// webtext.Clean.
func Flatten(markdown string) string {
	var lines []string
	fenced := false
	lastItem := -1 // the index of the line on which the last list item begins
	for line := range strings.SplitSeq(markdown, "\n") {
		if fenceLine.MatchString(line) {
			fenced = !fenced
			continue
		}
		if !fenced {
			if ruleLine.MatchString(line) || tableRule.MatchString(line) {
				continue
			}
			if itemMark.MatchString(line) {
				if last := len(lines) - 1; last > 0 && lastItem == last-1 && strings.TrimSpace(lines[last]) == "" {
					lines = lines[:last] // no blank line between two items
				}
				lastItem = len(lines)
			}
			line = flattenLine(line)
		}
		lines = append(lines, line)
	}
	return webtext.Clean(strings.Join(lines, "\n"))
}

func flattenLine(line string) string {
	line = headingMark.ReplaceAllString(quoteMark.ReplaceAllString(line, ""), "")
	bullet := ""
	if found := bulletMark.FindStringSubmatch(line); found != nil {
		bullet = found[1] + "- "
		line = line[len(found[0]):]
	}
	if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "|") {
		cells := strings.Split(strings.Trim(trimmed, "|"), "|")
		for i := range cells {
			cells[i] = flattenSpan(strings.TrimSpace(cells[i]))
		}
		return strings.Join(cells, " | ")
	}
	return bullet + flattenSpan(line)
}

// flattenSpan removes the markup of running text: emphasis, links, code, escapes.
func flattenSpan(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := rest[0]; c {
		case '\\':
			if len(rest) > 1 && isPunctuation(rest[1]) {
				out.WriteByte(rest[1])
				i += 2
				continue
			}
		case '`':
			if code, length := codeSpan(rest); length > 0 {
				out.WriteString(code)
				i += length
				continue
			}
		case '[', '!':
			if link := linkMark.FindStringSubmatch(rest); link != nil {
				if c == '[' {
					out.WriteString(flattenSpan(link[1]))
				}
				i += len(link[0])
				continue
			}
		case '&':
			if entity := entityMark.FindString(rest); entity != "" {
				out.WriteString(html.UnescapeString(entity))
				i += len(entity)
				continue
			}
		case '*', '_', '~':
			run := len(rest) - len(strings.TrimLeft(rest, string(c)))
			if !emphasis(text[:i], rest[run:], c, run) {
				out.WriteString(rest[:run])
			}
			i += run
			continue
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String()
}

// codeSpan returns the code span at the beginning of the text and its length with the backticks.
// The length is 0 if the backticks are never closed.
func codeSpan(text string) (code string, length int) {
	ticks := len(text) - len(strings.TrimLeft(text, "`"))
	fence := text[:ticks]
	end := strings.Index(text[ticks:], fence)
	if end < 0 {
		return "", 0
	}
	return strings.TrimSpace(text[ticks : ticks+end]), ticks + end + ticks
}

// emphasis reports whether a run of c between before and after is markup, not text. Markup touches
// a word on one side. Within a word, only two or more stars are markup.
func emphasis(before, after string, c byte, run int) bool {
	if c == '~' && run != 2 {
		return false
	}
	left, _ := utf8.DecodeLastRuneInString(before)
	right, _ := utf8.DecodeRuneInString(after)
	spaceLeft := before == "" || unicode.IsSpace(left)
	spaceRight := after == "" || unicode.IsSpace(right)
	switch {
	case spaceLeft && spaceRight:
		return false
	case isWord(left) && isWord(right) && before != "" && after != "":
		return c == '*' && run > 1
	default:
		return true
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isPunctuation(b byte) bool {
	return b >= '!' && b <= '/' || b >= ':' && b <= '@' || b >= '[' && b <= '`' || b >= '{' && b <= '~'
}
