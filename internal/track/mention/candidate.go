package mention

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Candidates are suggestions of brands that the panel lacks: emphasised words and the first
// words of list items. They are shown to people and count for no metric.

// Candidate is a part of a text that may be a name.
type Candidate struct {
	Text string // without white space and punctuation around it
	Key  string // folded text; equal candidates have the same key
	As   Standing
}

// Standing says why a part of a text is a candidate.
type Standing string

// The standings.
const (
	Emphasised Standing = "emphasis"
	ListHead   Standing = "list"
	Entity     Standing = "entity" // the provider marked it as an entity
)

const (
	maxCandidate      = 40 // characters
	maxCandidateWords = 4
	maxCandidates     = 200 // of one text
)

// Candidates returns the parts of a text that look like a name and are not in the panel. It
// parses every text as Markdown, because lists in plain text look the same.
func (r *Rules) Candidates(t Text) []Candidate {
	c := collector{rules: r, prompt: string(foldText(t.Prompt, false)), source: []byte(t.Body)}
	_ = ast.Walk(markdownParser().Parse(text.NewReader(c.source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.Emphasis:
			if entering {
				c.add(Emphasised, c.text(n))
			}
		case *ast.ListItem:
			if entering && n.FirstChild() != nil {
				c.add(ListHead, head(c.text(n.FirstChild())))
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock, *extast.FootnoteList:
			return ast.WalkSkipChildren, nil
		}
		if len(c.found) == maxCandidates {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	}) // the function returns no error
	return c.found
}

// Candidate returns the candidate for an entity of a provider. It returns false if the name
// is in the panel or does not look like a name.
func (r *Rules) Candidate(name, prompt string) (Candidate, bool) {
	c := collector{rules: r, prompt: string(foldText(prompt, false))}
	c.add(Entity, name)
	if len(c.found) == 0 {
		return Candidate{}, false
	}
	return c.found[0], true
}

type collector struct {
	rules  *Rules
	prompt string // folded
	source []byte
	found  []Candidate
}

// text returns the text of a node without the lists in it.
func (c *collector) text(n ast.Node) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.List:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering && out.Len() < 4*maxCandidate*utf8.UTFMax {
				out.Write(n.Segment.Value(c.source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					out.WriteByte(' ')
				}
			}
		}
		return ast.WalkContinue, nil
	}) // the function returns no error
	return out.String()
}

// head returns the text before the first colon, bracket or dash between spaces.
func head(text string) string {
	for _, mark := range []string{": ", " – ", " — ", " - ", " (", "：", "（"} {
		if at := strings.Index(text, mark); at >= 0 {
			text = text[:at]
		}
	}
	return text
}

func (c *collector) add(as Standing, text string) {
	text = strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ")
	text = strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`:.,;*_"'“”‘’«»()[]–—-`, r)
	})
	if !looksLikeName(text) {
		return
	}
	key := string(foldText(text, false))
	known := slices.ContainsFunc(c.found, func(other Candidate) bool { return other.Key == key && other.As == as })
	if known || commonHeads()[key] || strings.Contains(c.prompt, key) || c.rules.knows(text) {
		return
	}
	c.found = append(c.found, Candidate{Text: text, Key: key, As: as})
}

// looksLikeName reports whether a text is short and begins like a name.
func looksLikeName(text string) bool {
	if n := utf8.RuneCountInString(text); n < 2 || n > maxCandidate || strings.Count(text, " ") >= maxCandidateWords {
		return false
	}
	if strings.ContainsAny(text, "!?;|/\\<>{}@=$€£%") || strings.Contains(text, ". ") || strings.Contains(text, ", ") {
		return false
	}
	first := strings.IndexFunc(text, unicode.IsLetter)
	if first < 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[first:])
	return unicode.IsUpper(r) || unicode.IsTitle(r) || !unicode.IsLower(r) && first == 0
}

// knows reports whether a text contains a name of the panel, or is a name of the panel
// without regard to its matching rules.
func (r *Rules) knows(text string) bool {
	if len(r.Find(Text{Body: text, Format: Plain}).Mentions) > 0 {
		return true
	}
	var v visible
	v.read(Text{Body: text, Format: Plain})
	glyphs := foldVisible(nil, &v)
	return len(glyphs) > 1 && slices.ContainsFunc(r.trie.at(glyphs, 0, nil), func(m match) bool { return m.end == len(glyphs)-1 })
}

//go:embed data/heads.txt
var headsFile string

// commonHeads has frequent list heads and emphasised words that are not names.
var commonHeads = sync.OnceValue(func() map[string]bool { return dataWords(headsFile) })
