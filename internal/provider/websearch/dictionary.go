package websearch

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// Names of the parts of the definition of a word, in the order in which they are on the page. Older
// layouts name only the word and its definitions, in another attribute.
const (
	dictionaryHeader = "DictionaryHeader"
	entryHeader      = "EntryHeader"
	senseName        = "SenseDefinition"
	wordMark         = "hdw"
	senseMark        = "dfn"
)

func isDictionary(m marks) bool {
	return m.attrid == dictionaryHeader || m.attrid == entryHeader || m.attrid == senseName || m.entry == wordMark || m.entry == senseMark
}

// syllables removes the marks between the syllables of a word.
var syllables = strings.NewReplacer("·", "", "‧", "")

// readDictionary reads a part of the definition of a word. The first definition makes it an answer.
func (r *reader) readDictionary(n *html.Node, m marks) bool {
	switch {
	case m.attrid == dictionaryHeader:
		r.word.Link, r.word.RedirectLink = r.boxLink(n)
	case m.attrid == entryHeader || m.entry == wordMark:
		if r.word.Title == "" {
			r.word.Title = wordIn(n)
		}
	default:
		text := strings.Join(serp.LinesBut(n, func(n *html.Node) bool { return markup.Attr(n, "role") == "button" }), " ")
		if text == "" || r.found.AnswerBox != nil && r.found.AnswerBox != &r.word {
			return false
		}
		if r.found.AnswerBox == nil {
			r.word.Type, r.found.AnswerBox = "definition", &r.word
			r.note(earshot.BlockAnswerBox)
		}
		if len(r.word.Text) < maxBoxText {
			r.word.Text = cutText(strings.TrimSpace(r.word.Text + " " + text))
		}
	}
	return true
}

// wordIn returns the word in its header, which also contains the pronunciation.
func wordIn(n *html.Node) string {
	line := serp.Line(n)
	if word := markup.Find(n, func(n *html.Node) bool { return markup.Attr(n, "data-dobid") == wordMark }); word != nil {
		line = serp.Line(word)
	}
	word, _, _ := strings.Cut(syllables.Replace(line), "/")
	return strings.TrimSpace(word)
}
