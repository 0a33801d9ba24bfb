package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/mattn/go-isatty"
)

// isTerminal tells that somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// look is how text is set off.
type look struct{ styled bool }

// lookOf styles what goes to a terminal, unless its owner wants none of it
// (https://no-color.org).
func lookOf(w io.Writer) look {
	return look{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (l look) bold(text string) string { return l.style("1", text) }

func (l look) faint(text string) string { return l.style("2", text) }

func (l look) style(code, text string) string {
	if !l.styled || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

var (
	heading  = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	emphasis = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// markdown sets headings and bold words off. Where nothing is styled, Markdown is
// readable as it is.
func (l look) markdown(text string) string {
	if !l.styled {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if title := heading.FindStringSubmatch(line); title != nil {
			lines[i] = l.bold(strings.ReplaceAll(title[1], "**", ""))
			continue
		}
		lines[i] = emphasis.ReplaceAllString(line, l.bold("$1"))
	}
	return strings.Join(lines, "\n")
}

// harmless takes out of an upstream's text what would steer the terminal or turn
// the reading direction: escape sequences can rewrite what stands above them.
func harmless(text string) string {
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

// oneLine is text for a place where a line break would mislead.
func oneLine(text string) string { return strings.Join(strings.Fields(harmless(text)), " ") }

// thousands writes a number the way people read it.
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

// many counts things in words: 1 task, 2 tasks.
func many[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(int64(n)) + " " + thing + "s"
}
