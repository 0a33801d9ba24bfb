package mention

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"earshot/internal/track/source"
)

// Titles of sources are not prose (decision 18). Out are a section whose heading is
// only a word for sources, up to the next heading of its level or above; a list right
// after a paragraph that is only such a word; and a link whose text is the title of
// the source that it points to. Titles in Text.Sources are never searched, and the
// texts of footnotes are not read.

// sourceWordsFile has the words for sources, one a line.
//
//go:embed data/sources.txt
var sourceWordsFile string

var sourceWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, line := range dataLines(sourceWordsFile) {
		words[string(foldText(line, false))] = true
	}
	return words
})

// longestSourceWord is how many characters of a block are worth a look: the longest
// word has 11, and a colon and spaces may follow.
const longestSourceWord = 16

// isSourceWord tells whether a range is only a word for sources; a colon may follow.
func (v *visible) isSourceWord(from, to int) bool {
	if to-from == 0 || to-from > longestSourceWord {
		return false
	}
	word := strings.TrimRight(string(foldText(v.text(from, to), false)), ": ")
	return sourceWords()[word]
}

// sourceSection follows the blocks of one container.
type sourceSection struct {
	level    int  // of the heading of the section of sources that is open, or 0
	announce bool // the block before was a paragraph that is only a word for sources
}

// holds tells whether the next block, whose text is the range, is one of sources.
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

// citations takes out the links that are citations: those whose whole text is the
// address or the host of their own target (decision 16), those that are only a number,
// and those that repeat the title of their source. It notes to which source each
// leads.
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

// isAddressOf tells whether a label is the address or the host of a target. Scheme,
// www., a slash at the end and parameters may be left out.
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
	address = strings.ToLower(address)
	for _, scheme := range []string{"https://", "http://"} {
		address = strings.TrimPrefix(address, scheme)
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}

// isNumber tells whether a label is only the number of a citation, also in brackets.
func isNumber(label string) bool {
	label = strings.Trim(label, "[]()^ ")
	return label != "" && strings.Trim(label, "0123456789") == ""
}

func sameText(a, b string) bool {
	return b != "" && string(foldText(a, false)) == string(foldText(b, false))
}

// dataLines gives the lines of a table without comments and empty ones.
func dataLines(file string) []string {
	var lines []string
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
