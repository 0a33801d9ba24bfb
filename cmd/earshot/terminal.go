package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/mattn/go-isatty"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// terminalColumns returns the width of a terminal, or 0 if w is not a terminal.
func terminalColumns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	file, _ := w.(*os.File)
	return cmp.Or(columnsOf(file), 80) // the traditional width
}

// textStyle formats text with escape sequences if styled is true.
type textStyle struct{ styled bool }

// textStyleFor enables styles on a terminal, unless the user has turned them off
// (https://no-color.org).
func textStyleFor(w io.Writer) textStyle {
	return textStyle{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s textStyle) bold(text string) string { return s.style("1", text) }

func (s textStyle) faint(text string) string { return s.style("2", text) }

func (s textStyle) style(code, text string) string {
	if !s.styled || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

var (
	heading  = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	emphasis = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// markdown formats headings and bold words. Without styles, it returns the Markdown unchanged.
func (s textStyle) markdown(text string) string {
	if !s.styled {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if title := heading.FindStringSubmatch(line); title != nil {
			lines[i] = s.bold(strings.ReplaceAll(title[1], "**", ""))
			continue
		}
		lines[i] = emphasis.ReplaceAllString(line, s.bold("$1"))
	}
	return strings.Join(lines, "\n")
}

// sanitized removes control characters, which could manipulate the terminal, and
// bidirectional formatting characters from text of an upstream.
func sanitized(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}

// oneLine returns sanitized text without line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(sanitized(text)), " ") }

// thousands formats a number with commas, such as 12,345.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	var out strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}

// many returns a number with a noun, such as 1 task or 2 tasks.
func many[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(int64(n)) + " " + thing + "s"
}
