package world

import (
	"strconv"
	"strings"
)

// Markdown gives blocks as Markdown. What is marked in them is written by span,
// since every site has its own way; the text of a plain span goes through Escape.
func Markdown(blocks []Block, span func(Span) string) string {
	var out strings.Builder
	write := func(text string) { out.WriteString(text) }
	WriteMarkdown(blocks, write, func(s Span) { write(span(s)) })
	return strings.TrimSpace(out.String())
}

// WriteMarkdown writes blocks as Markdown does, piece by piece, and a blank line
// after each.
func WriteMarkdown(blocks []Block, write func(string), span func(Span)) {
	for _, block := range blocks {
		for i, line := range block.Lines {
			switch block.Kind {
			case Heading:
				write("### ")
			case Bullets:
				write("- ")
			case Numbered:
				write(strconv.Itoa(i+1) + ". ")
			case Paragraph:
			}
			for _, part := range line {
				span(part)
			}
			write("\n")
		}
		write("\n")
	}
}

// Escape makes text stand for itself in Markdown.
func Escape(text string) string { return markdownEscapes.Replace(text) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `|`, `\|`, `~~`, `\~~`,
)

// Pieces tears text apart as it comes over a wire: each piece has some
// characters, so that words and marks are torn too.
func Pieces(text string, size int) []string {
	var pieces []string
	said := []rune(text)
	for i := 0; i < len(said); i += size {
		pieces = append(pieces, string(said[i:min(i+size, len(said))]))
	}
	return pieces
}

// Brands are the brands that the blocks name, each once.
func Brands(blocks []Block) []string {
	var names []string
	seen := map[string]bool{}
	for _, block := range blocks {
		for _, line := range block.Lines {
			for _, span := range line {
				if span.Brand && !seen[span.Text] {
					seen[span.Text] = true
					names = append(names, span.Text)
				}
			}
		}
	}
	return names
}
