package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// runeWidth returns the number of terminal columns of a character.
func runeWidth(r rune) int {
	switch kind := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf): // combining characters
		return 0
	case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// escape matches the escape sequences of textStyle.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// textWidth returns the number of columns of a text.
func textWidth(text string) int {
	sum := 0
	for _, r := range escape.ReplaceAllString(text, "") {
		sum += runeWidth(r)
	}
	return sum
}

// shortened truncates a text to a number of columns.
func shortened(text string, columns int) string {
	if textWidth(text) <= columns {
		return text
	}
	left := columns - 1
	for i, r := range text {
		if left -= runeWidth(r); left < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// listMark matches the indentation and list marker of a line. Wrapped lines are indented by
// its width.
var listMark = regexp.MustCompile(`^\s*(?:(?:[-*+>]|\d+[.)])\s+)?`)

// wrapped breaks lines that are longer than columns. Code blocks, tables and single long
// words are not broken. With 0 columns, it returns the text unchanged.
func wrapped(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	code := false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if !code && !strings.HasPrefix(line, "|") {
			lines[i] = wrappedLine(line, columns)
		}
	}
	return strings.Join(lines, "\n")
}

func wrappedLine(line string, columns int) string {
	if textWidth(line) <= columns {
		return line
	}
	mark := listMark.FindString(line)
	indent := min(textWidth(mark), columns/2)
	var out strings.Builder
	out.WriteString(mark)
	column := textWidth(mark)
	begins := true // the line contains only the mark so far
	for _, word := range strings.Fields(line[len(mark):]) {
		space := 1
		for _, part := range breakable(word) {
			size := textWidth(part)
			switch {
			case begins:
			case column+space+size > columns:
				out.WriteString("\n" + strings.Repeat(" ", indent))
				column = indent
			default:
				out.WriteString(strings.Repeat(" ", space))
				column += space
			}
			out.WriteString(part)
			column += size
			begins, space = false, 0
		}
	}
	return out.String()
}

// breakable returns the parts of a word between which a line may be broken: next to
// characters of scripts without spaces, but not before closing punctuation.
func breakable(word string) []string {
	var parts []string
	start, before := 0, rune(0)
	for i, r := range word {
		wide := runeWidth(r) == 2 || runeWidth(before) == 2
		stays := runeWidth(r) == 0 || (unicode.IsPunct(r) && !unicode.In(r, unicode.Ps, unicode.Pi)) || unicode.In(before, unicode.Ps, unicode.Pi)
		if i > 0 && wide && !stays {
			parts = append(parts, word[start:i])
			start = i
		}
		before = r
	}
	return append(parts, word[start:])
}

// printTable writes rows as aligned columns.
func printTable(out io.Writer, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-textWidth(cell)+2))
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
