package mention

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"earshot/internal/track/source"
)

// Titles of sources are not prose. The following parts are excluded:
//
//   - a section whose heading is a word for sources, up to the next heading of the same or a
//     higher level;
//   - a list directly after a paragraph that is only such a word;
//   - a link whose text is the title of the source that it points to.
//
// Titles in Text.Sources are never searched, and the texts of footnotes are not read.

//go:embed data/sources.txt
var sourceWordsFile string

var sourceWords = sync.OnceValue(func() map[string]bool { return dataWords(sourceWordsFile) })

// longestSourceWord is the maximum length of a heading of sources: the longest word has 11
// characters, and a colon and spaces may follow.
const longestSourceWord = 16

// isSourceWord reports whether a range is only a word for sources and an optional colon.
func (v *visible) isSourceWord(from, to int) bool {
	if to-from == 0 || to-from > longestSourceWord {
		return false
	}
	word := strings.TrimRight(string(foldText(v.text(from, to), false)), ": ")
	return sourceWords()[word]
}

// sourceSection tracks sections of sources among the blocks of one container.
type sourceSection struct {
	level    int  // heading level of the current section of sources, or 0
	announce bool // the previous block was a paragraph that is only a word for sources
}

// holds reports whether the next block, whose text is the range, has sources.
func (s *sourceSection) holds(n ast.Node, v *visible, from, to int) bool {
	announced := s.announce
	s.announce = false
	switch n := n.(type) {
	case *ast.Heading:
		if s.level > 0 && n.Level > s.level {
			return true
		}
		s.level = 0
		if v.isSourceWord(from, to) {
			s.level = n.Level
		}
	case *ast.Paragraph, *ast.TextBlock:
		s.announce = v.isSourceWord(from, to)
	case *ast.List:
		return announced || s.level > 0
	}
	return s.level > 0
}

// citations sets the source of each link, and excludes links that are citations: links whose
// text is the address or host of their target, a number, or the title of their source.
func (v *visible) citations(sources []Source) {
	bySource := map[string]int{}
	for i, s := range sources {
		if page, err := source.Parse(s.URL); err == nil {
			if _, known := bySource[page.URL]; !known {
				bySource[page.URL] = i
			}
		}
	}
	for i := range v.links {
		link := &v.links[i]
		if len(bySource) > 0 {
			if page, err := source.Parse(link.URL); err == nil {
				if n, known := bySource[page.URL]; known {
					link.Source = n
				}
			}
		}
		if link.from < 0 || link.from >= link.to || v.chars[link.from].out {
			continue
		}
		label := strings.TrimSpace(v.text(link.from, link.to))
		if isNumber(label) || isAddressOf(label, link.URL) || link.Source >= 0 && sameText(label, sources[link.Source].Title) {
			v.exclude(link.from, link.to)
		}
	}
}

// isAddressOf reports whether a label is the address or the host of a target. The label may
// lack the scheme, www., a slash at the end and parameters.
func isAddressOf(label, target string) bool {
	if !strings.Contains(label, ".") || strings.ContainsFunc(label, unicode.IsSpace) {
		return false
	}
	page, err := source.Parse(target)
	if err != nil {
		return false
	}
	label, target = bareAddress(label), bareAddress(target)
	short, _, _ := strings.Cut(target, "?")
	short, _, _ = strings.Cut(short, "#")
	host := strings.TrimPrefix(page.Host, "www.")
	if label == target || label == strings.TrimSuffix(short, "/") || label == host {
		return true
	}
	ascii, err := source.Host(label)
	return err == nil && ascii == host
}

func bareAddress(address string) string {
	address = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(address), "https://"), "http://")
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}

// isNumber reports whether a label is only the number of a citation, with or without brackets.
func isNumber(label string) bool {
	label = strings.Trim(label, "[]()^ ")
	return label != "" && strings.Trim(label, "0123456789") == ""
}

func sameText(a, b string) bool {
	return b != "" && string(foldText(a, false)) == string(foldText(b, false))
}

// dataLines returns the lines of a data file without comments and empty lines.
func dataLines(file string) []string {
	var lines []string
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// dataWords returns the folded words of a data file. A line has words with " / " between them.
func dataWords(file string) map[string]bool {
	words := map[string]bool{}
	for _, line := range dataLines(file) {
		for word := range strings.SplitSeq(line, " / ") {
			words[Fold(word)] = true
		}
	}
	return words
}
