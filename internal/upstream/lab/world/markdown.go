package world

import (
	"slices"
	"strconv"
	"strings"
)

// Markdown returns blocks as Markdown. Each site has its own markup, so span writes the
// spans; it must use Escape for plain text.
func Markdown(blocks []Block, span func(Span) string) string {
	var out strings.Builder
	write := func(text string) { out.WriteString(text) }
	WriteMarkdown(blocks, write, func(s Span) { write(span(s)) })
	return strings.TrimSpace(out.String())
}

// WriteMarkdown writes blocks as Markdown, piece by piece, with a blank line after each
// block.
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

// Escape escapes text for Markdown.
func Escape(text string) string { return markdownEscapes.Replace(text) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `|`, `\|`, `~~`, `\~~`,
)

// Pieces splits text into pieces of size characters, like a stream that cuts words and
// markup.
func Pieces(text string, size int) []string {
	var pieces []string
	for piece := range slices.Chunk([]rune(text), size) {
		pieces = append(pieces, string(piece))
	}
	return pieces
}

// Brands returns the brands that the blocks name, without duplicates.
func Brands(blocks []Block) []string {
	var names []string
	for _, block := range blocks {
		for _, line := range block.Lines {
			for _, span := range line {
				if span.Brand && !slices.Contains(names, span.Text) {
					names = append(names, span.Text)
				}
			}
		}
	}
	return names
}
