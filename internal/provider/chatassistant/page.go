package chatassistant

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// readPage reads the last answer on a mobile page.
func readPage(document []byte, country string) (*reading, error) {
	found := &reading{shape: shapePage}
	err := answer.ReadHTML(document, func(page *goquery.Document) error {
		if page.Find(inConversation).Length() == 0 {
			return noConversation(page, document)
		}
		if isCut(document) {
			return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its end")
		}
		r := pageReader{country: country, base: baseOf(page), answer: &earshot.Answer{}}
		found.answer = r.answer
		return r.read(lastAnswer(page))
	})
	return found, err
}

// noConversation says what a page is on which nobody speaks.
func noConversation(page *goquery.Document, document []byte) error {
	switch {
	case answer.IsChallenge(page):
		return upstream.Fail(earshot.ReasonBlocked, "challenge page")
	case isCut(document):
		return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its conversation")
	default:
		return upstream.Fail(earshot.ReasonUnreadable, "page without a conversation")
	}
}

// isCut tells whether a whole document lacks its end. A part of one, such as a
// saved conversation, has none to lack.
func isCut(document []byte) bool {
	head := bytes.ToLower(document[:min(len(document), 64)])
	if !bytes.HasPrefix(head, []byte("<!doctype")) && !bytes.HasPrefix(head, []byte("<html")) {
		return false
	}
	tail := bytes.ToLower(document[max(0, len(document)-1024):])
	return !bytes.Contains(tail, []byte("</html>"))
}

// baseOf is the address that the page's links are relative to, nil where it
// does not tell.
func baseOf(page *goquery.Document) *url.URL {
	address, _ := page.Find("base[href]").Attr("href")
	if address == "" {
		address, _ = page.Find(`link[rel="canonical"]`).Attr("href")
	}
	base, err := url.Parse(address)
	if err != nil || !base.IsAbs() {
		return nil
	}
	return base
}

// lastAnswer is the assistant's last turn, or its last message on pages that
// do not mark turns.
func lastAnswer(page *goquery.Document) *goquery.Selection {
	if turns := page.Find(inTurn); turns.Length() > 0 {
		return turns.Last()
	}
	return page.Find(inAssistantMessage).Last()
}

// pageReader collects the answer of one turn.
type pageReader struct {
	country string
	base    *url.URL
	answer  *earshot.Answer
	sources answer.Sources
}

func (r *pageReader) read(turn *goquery.Selection) error {
	messages := turn.Find(inAssistantMessage).AddSelection(turn.Filter(inAssistantMessage))
	if model, ok := messages.Last().Attr(modelAttribute); ok && model != "" {
		r.answer.Model = &model
	}
	r.answer.SearchQueries = lines(turn.Find(inQueries))
	r.answer.MapSearchQueries = lines(turn.Find(inMapQueries))
	r.answer.RelatedQueries = lines(turn.Find(inRelated))
	r.things(turn)
	pageLists := turn.Find(inPageList) // before the widgets go
	var texts, markdown []string
	for _, message := range messages.EachIter() {
		text, marked, err := r.body(message)
		if err != nil {
			return err
		}
		if text != "" {
			texts, markdown = append(texts, text), append(markdown, marked)
		}
	}
	r.pages(pageLists)
	r.sources.Fill(r.answer)
	r.answer.Text = strings.Join(texts, "\n\n")
	r.answer.Markdown = strings.Join(markdown, "\n\n")
	return nil
}

// body gives a message's text and Markdown, and notes what they cite. It
// changes the page: chips become ordinary links, and widgets go.
func (r *pageReader) body(message *goquery.Selection) (text, markdown string, err error) {
	body := message.Find(inBody).First()
	if body.Length() == 0 {
		body = message
	}
	if err := answer.CheckSize(body.Nodes[0]); err != nil {
		return "", "", err
	}
	for _, chip := range body.Find(inChip).EachIter() {
		citations := r.citations(chip)
		r.sources.Chip(citations)
		chip.ReplaceWithNodes(chipLinks(citations))
	}
	body.Find(inWidgets).Remove()
	for _, a := range body.Find("a[href]").Not(inChipLinks).EachIter() {
		if link, ok := r.destination(a, "href"); ok {
			r.sources.Add(earshot.Source{URL: link, Label: answer.Line(a.Text())})
		}
	}
	markdown, err = answer.Markdown(body.Clone().Nodes[0])
	if err != nil {
		return "", "", upstream.Fail(earshot.ReasonUnreadable, "%w", err)
	}
	body.Find(chipElement).ReplaceWithNodes(&html.Node{Type: html.TextNode, Data: answer.Mark})
	return answer.PlainText(body.Nodes[0]), markdown, nil
}

// A chip is replaced by an element of this name with its links in it, which
// HTML does not have, so that no page can hold it already as its own.
const (
	chipElement = "earshot-chip"
	inChipLinks = chipElement + " a"
)

// chipLinks shows the sources of a chip as links in parentheses.
func chipLinks(citations []answer.Citation) *html.Node {
	chip := &html.Node{Type: html.ElementNode, Data: chipElement}
	text := func(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }
	before, after := "(", ")"
	if len(citations) == 0 {
		before, after = "", ""
	}
	for _, c := range citations {
		link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: c.Source.URL}}}
		link.AppendChild(text(cmp.Or(c.Label, answer.Domain(c.Source.URL))))
		chip.AppendChild(text(before))
		chip.AppendChild(link)
		before = ", "
	}
	chip.AppendChild(text(after))
	return chip
}

// citations are the sources of one chip: its links, each with the name that it
// shows. A chip that turns over shows several names in one link; the first
// stands for it.
func (r *pageReader) citations(chip *goquery.Selection) []answer.Citation {
	var citations []answer.Citation
	for _, a := range chip.Find("a[href]").EachIter() {
		if link, ok := r.destination(a, "href"); ok {
			citations = append(citations, answer.Citation{
				Source: earshot.Source{URL: link},
				Label:  chipLabel(a),
			})
		}
	}
	return citations
}

// chipLabel is the first text in a chip's link that is not a count of further
// sources.
func chipLabel(link *goquery.Selection) string {
	for node := range link.Nodes[0].Descendants() {
		if node.Type != html.TextNode {
			continue
		}
		if text := answer.Line(node.Data); text != "" && !strings.HasPrefix(text, "+") {
			return text
		}
	}
	return ""
}

// lines are the texts of the elements.
func lines(elements *goquery.Selection) earshot.List[string] {
	var texts earshot.List[string]
	for _, element := range elements.EachIter() {
		if text := answer.Line(element.Text()); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
