package serp

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
)

// field is the attribute that names what is on the engine's cards.
const field = "data-attrid"

// AnswerLayout is where things stand in an AI answer of the engine, once
// PrepareAnswer has gone over its page.
var AnswerLayout = chatpage.Layout{
	User:    "[data-uq]",
	Turn:    "[data-subtree=aimc]",
	Message: "[data-container-id=main-col]",
	Chip:    "[data-icl-uuid]",
	Sources: "[data-src-id]",
	Model:   "[" + field + "=model]",     // lab only
	Related: "[" + field + "=follow-up]", // lab only
	Field:   field,
}

// AnswerTurn selects AI answers, of which the last on a page counts.
const AnswerTurn = `[data-subtree="aimc"]`

// PrepareAnswer makes an AI answer into one that AnswerLayout fits: chips and the
// list of sources get the names and links that the engine keeps beside them, and
// elements become what they look like, since to the engine all are divisions.
// What is larger than any answer stays as it is.
func (l Links) PrepareAnswer(turn *goquery.Selection) Served {
	if turn.Length() == 0 || markup.CheckSize(turn.Nodes[0]) != nil {
		return nil
	}
	dropBoxes(turn)
	nameSources(turn)
	served := l.Unwrap(turn)
	notes := l.takeNotes(turn, served)
	for _, chip := range bounded(turn.Find(`[data-icl-uuid], a[aria-label][href]`)).EachIter() {
		switch _, marked := chip.Attr("data-icl-uuid"); {
		case marked:
		case chip.Closest("[data-src-id]").Length() == 0 && served[chip.AttrOr("href", "")] != "":
			chip.SetAttr("data-icl-uuid", "") // a redirect that says in a label what it is
		default:
			continue
		}
		nameChip(chip, notes[chip.AttrOr("data-icl-uuid", "")])
	}
	layOut(turn)
	return served
}

// stray is the end of a sentence that stands on a line of its own, since a chip or
// a link before it is one.
var stray = regexp.MustCompile(`[ \t]*\n\s*([.,;:!?])([ \n]|$)`)

// Tidy puts the ends of sentences where they belong.
func Tidy(a *earshot.Answer) {
	a.Text = stray.ReplaceAllString(a.Text, "$1$2")
	a.Markdown = stray.ReplaceAllString(a.Markdown, "$1$2")
}

// boxes are what opens over an answer or waits to be shown, above all what asks
// for an opinion on it.
const boxes = `[role="dialog"], [role="alertdialog"], form, [hidden], [style*="display:none"], [style*="display: none"]`

// asking is what is in such a box: something to be used, or what the engine says
// of itself.
const asking = `textarea, input, [role="radio"], [role="checkbox"], a[href*="//policies."], a[href*="//support."], a[href*="/legal/"]`

// parts are the parts of an answer that may wait to be shown, too.
const parts = `[data-src-id], [data-icl-uuid], [data-container-id], [` + field + `]`

// dropBoxes takes boxes off an answer.
func dropBoxes(turn *goquery.Selection) {
	for _, box := range bounded(turn.Find(boxes)).EachIter() {
		opens := box.Is(`[role="dialog"], [role="alertdialog"], form`) || box.Find(asking).Length() > 0
		if opens && box.Find(parts).Length() == 0 {
			box.Remove()
		}
	}
}

// maxParts is how many of a kind of thing are prepared in an answer; real ones
// have up to 60. It keeps the time that a hostile page takes in proportion.
const maxParts = 300

func bounded(parts *goquery.Selection) *goquery.Selection {
	return parts.Slice(0, min(maxParts, parts.Length()))
}

// nameChip puts the names and links of a chip's sources into it. Without notes
// its own link and label tell of one.
func nameChip(chip *goquery.Selection, notes []note) {
	if len(notes) == 0 {
		site, title := chipLabel(chip.AttrOr("aria-label", ""))
		chip.AppendNodes(named("source-site", site), named("source-title", title))
		return
	}
	chip.Empty()
	chip.RemoveAttr("href")
	for _, n := range notes {
		link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: n.link}}}
		for _, child := range []*html.Node{
			named("source-site", n.site), named("source-title", n.title), named("source-snippet", n.snippet),
		} {
			link.AppendChild(child)
		}
		chip.AppendNodes(link)
	}
}

// chipLabel takes the label of a chip apart: "Site (+2) - Title. View related
// links", in any language. The title may be missing.
func chipLabel(label string) (site, title string) {
	site, rest, _ := strings.Cut(label, " - ")
	site, _, _ = strings.Cut(site, " (+")
	return site, withoutHint(rest)
}

// withoutHint is a label without its last sentence, which tells what a click does.
func withoutHint(label string) string {
	end := strings.LastIndex(strings.TrimSuffix(label, "."), ". ")
	return label[:max(end, 0)]
}

// nameSources puts title, date and snippet of each item on the list of sources
// into its link.
func nameSources(turn *goquery.Selection) {
	for _, item := range bounded(turn.Find(`[data-src-id]`)).Not(`[data-src-id] [data-src-id]`).EachIter() {
		link, text := item.Find("a[href]").First(), item.Find("div + span").First()
		label := link.AttrOr("aria-label", "")
		title := cmp.Or(strings.TrimSpace(text.Prev().Text()), withoutHint(label), label)
		date, snippet := snippetDate(text.Text())
		link.Empty()
		link.AppendNodes(named("source-title", title), named("source-snippet", snippet))
		if date != "" {
			link.AppendNodes(&html.Node{Type: html.ElementNode, Data: "time", DataAtom: atom.Time, Attr: []html.Attribute{{Key: "datetime", Val: date}}})
		}
	}
}

// named is an element with a name on a card.
func named(name, text string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: "span", DataAtom: atom.Span, Attr: []html.Attribute{{Key: field, Val: name}}}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	return n
}
