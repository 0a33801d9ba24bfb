package serp

import (
	"cmp"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
)

// field is the attribute with the names of the fields on the engine's cards.
const field = "data-attrid"

// AnswerLayout selects the parts of an AI answer after PrepareAnswer has changed it.
var AnswerLayout = chatpage.Layout{
	User:    "[data-uq]",
	Turn:    "[data-subtree=" + answerTree + "]",
	Message: "[data-container-id=main-col]",
	Chip:    "[data-icl-uuid]",
	Sources: "[data-src-id]",
	Model:   "[" + field + "=model]",     // lab only
	Related: "[" + field + "=follow-up]", // lab only
	Field:   field,
}

// answerTree is the value of data-subtree on AI answers.
const answerTree = "aimc"

// IsAnswerTurn reports whether the element is an AI answer. The last one on a page is the current
// answer.
func IsAnswerTurn(n *html.Node) bool { return markup.Attr(n, "data-subtree") == answerTree }

// PrepareAnswer changes an AI answer so that AnswerLayout fits it. It adds the names and links to
// chips and sources, which the engine stores in separate elements. It also renames elements to what
// they look like, because the engine uses a div for everything. If the answer exceeds the limits of
// markup.CheckSize, PrepareAnswer returns an *upstream.Failure and changes nothing.
func (l Links) PrepareAnswer(turn *html.Node) (Redirects, error) {
	if err := markup.CheckSize(turn); err != nil {
		return nil, err
	}
	var p answerParts
	p.collect(turn)
	if dropBoxes(p.boxes) {
		p = answerParts{}
		p.collect(turn)
	}
	nameSources(p.sources)
	served := Redirects{}
	for _, link := range p.links {
		if markup.Contains(turn, link) {
			l.unwrap(link, served)
		}
	}
	notes := l.takeNotes(p.notes, turn, served)
	l.nameChips(p.chips, turn, notes, served)
	layOut(p.shapes)
	return served, nil
}

// answerParts are the elements of an answer that have to be prepared, in document order, collected
// in one walk. Elements that were removed in the meantime are skipped later.
type answerParts struct{ boxes, sources, links, notes, chips, shapes []*html.Node }

func (p *answerParts) collect(n *html.Node) {
	for child := range n.Descendants() {
		if child.Type == html.ElementNode {
			p.add(child)
		}
	}
}

func (p *answerParts) add(n *html.Node) {
	isLink, isSource := markup.IsLink(n), markup.HasAttr(n, sourceID)
	if opens(n) || markup.Hidden(n) {
		p.boxes = append(p.boxes, n)
	}
	if isSource {
		p.sources = append(p.sources, n)
	}
	if isLink {
		p.links = append(p.links, n)
	}
	if markup.HasAttr(n, noteMark) && !isSource {
		p.notes = append(p.notes, n)
	}
	if markup.HasAttr(n, chipID) || isLink && markup.HasAttr(n, "aria-label") {
		p.chips = append(p.chips, n)
	}
	if n.DataAtom == atom.Div || n.DataAtom == atom.Pre || markup.HasAttr(n, formulaText) || markup.HasAttr(n, dialogMark) {
		p.shapes = append(p.shapes, n)
	}
}

// Attributes of citation chips, of the notes that describe the sources of a chip, and of the items
// in the list of sources.
const (
	chipID   = "data-icl-uuid"
	noteMark = "data-crb-el"
	sourceID = "data-src-id"
)

// nameChips adds the names of their sources to chips and to labelled redirect links.
func (l Links) nameChips(chips []*html.Node, turn *html.Node, notes map[string][]note, served Redirects) {
	count := 0
	for _, chip := range chips {
		id, isChip := markup.Attr(chip, chipID), markup.HasAttr(chip, chipID)
		if !isChip && !markup.IsLink(chip) || !markup.Contains(turn, chip) {
			continue
		}
		if count++; count > maxParts {
			return
		}
		switch {
		case isChip:
		case markup.Closest(chip, sourceID) == nil && served[markup.Attr(chip, "href")] != "":
			markup.SetAttr(chip, chipID, "")
		default:
			continue
		}
		nameChip(chip, notes[id])
	}
}

// stray matches punctuation at the beginning of a line. It ends the sentence before a chip or a
// link that was on a line of its own.
var stray = regexp.MustCompile(`[ \t]*\n\s*([.,;:!?])([ \n]|$)`)

// Tidy moves stray punctuation to the end of the line before it.
func Tidy(a *earshot.Answer) {
	a.Text, a.Markdown = stray.ReplaceAllString(a.Text, "$1$2"), stray.ReplaceAllString(a.Markdown, "$1$2")
}

// dropBoxes removes forms, dialogs and hidden elements with controls from an answer, such as the
// form for feedback. Elements that contain parts of the answer stay. It reports whether it removed
// any.
func dropBoxes(boxes []*html.Node) (dropped bool) {
	for _, box := range bounded(boxes) {
		if (opens(box) || markup.Any(box, asks) != nil) && markup.Any(box, isPart) == nil {
			markup.Remove(box)
			dropped = true
		}
	}
	return dropped
}

// opens reports whether the element is a form or a dialog that opens over the page.
func opens(n *html.Node) bool {
	if n.DataAtom == atom.Form {
		return true
	}
	role := markup.Attr(n, "role")
	return role == "dialog" || role == "alertdialog"
}

// asks reports whether the element is a control, or a link to the engine's policies or help.
func asks(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Textarea, atom.Input:
		return true
	case atom.A:
		href := markup.Attr(n, "href")
		if strings.Contains(href, "//policies.") || strings.Contains(href, "//support.") || strings.Contains(href, "/legal/") {
			return true
		}
	default:
	}
	role := markup.Attr(n, "role")
	return role == "radio" || role == "checkbox"
}

// isPart reports whether the element is a part of an answer.
func isPart(n *html.Node) bool {
	return markup.HasAttr(n, sourceID) || markup.HasAttr(n, chipID) || markup.HasAttr(n, "data-container-id") || markup.HasAttr(n, field)
}

// maxParts is how many elements of each kind are prepared in an answer. Real answers have up to 60.
// It bounds the time that a hostile page takes.
const maxParts = 300

func bounded(parts []*html.Node) []*html.Node { return parts[:min(maxParts, len(parts))] }

// nameChip puts the names and links of a chip's sources into the chip. Without notes, it uses the
// label of the chip, which describes one source.
func nameChip(chip *html.Node, notes []note) {
	if len(notes) == 0 {
		site, title := chipLabel(markup.Attr(chip, "aria-label"))
		chip.AppendChild(named("source-site", site))
		chip.AppendChild(named("source-title", title))
		return
	}
	markup.Empty(chip)
	markup.RemoveAttr(chip, "href")
	for _, n := range notes {
		link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: n.link}}}
		link.AppendChild(named("source-site", n.site))
		link.AppendChild(named("source-title", n.title))
		link.AppendChild(named("source-snippet", n.snippet))
		chip.AppendChild(link)
	}
}

// chipLabel splits the label of a chip, "Site (+2) - Title. View related links" in any language.
// The title may be missing.
func chipLabel(label string) (site, title string) {
	site, rest, _ := strings.Cut(label, " - ")
	site, _, _ = strings.Cut(site, " (+")
	return site, withoutHint(rest)
}

// withoutHint removes the last sentence of a label, which says what a click does.
func withoutHint(label string) string {
	end := strings.LastIndex(strings.TrimSuffix(label, "."), ". ")
	return label[:max(end, 0)]
}

// nameSources puts the title, date and snippet of each item in the list of sources into the item's
// link.
func nameSources(items []*html.Node) {
	for _, item := range bounded(items) {
		link := markup.Any(item, markup.IsLink)
		if link == nil || item.Parent != nil && markup.Closest(item.Parent, sourceID) != nil {
			continue
		}
		var before, said string
		if text := markup.Any(item, isSnippet); text != nil {
			before, said = ownText(markup.PreviousElement(text)), ownText(text)
		}
		label := markup.Attr(link, "aria-label")
		title := cmp.Or(strings.TrimSpace(before), withoutHint(label), label)
		date, snippet := snippetDate(said)
		markup.Empty(link)
		link.AppendChild(named("source-title", title))
		link.AppendChild(named("source-snippet", snippet))
		if date != "" {
			link.AppendChild(&html.Node{Type: html.ElementNode, Data: "time", DataAtom: atom.Time, Attr: []html.Attribute{{Key: "datetime", Val: date}}})
		}
	}
}

// isSnippet reports whether the element is where a source's snippet is: a span after the div with
// its title.
func isSnippet(n *html.Node) bool {
	if n.DataAtom != atom.Span {
		return false
	}
	before := markup.PreviousElement(n)
	return before != nil && before.DataAtom == atom.Div
}

// ownText returns the text nodes in the node, joined.
func ownText(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		}
	}
	return text.String()
}

// named returns a span with the text and a field name.
func named(name, text string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: "span", DataAtom: atom.Span, Attr: []html.Attribute{{Key: field, Val: name}}}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	return n
}
