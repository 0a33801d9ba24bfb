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

// field is the attribute that names what is on the engine's cards.
const field = "data-attrid"

// AnswerLayout is where things stand in an AI answer of the engine, once
// PrepareAnswer has gone over its page.
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

// answerTree is the name that the engine gives to the elements that are AI answers.
const answerTree = "aimc"

// IsAnswerTurn tells whether the element is an AI answer, of which the last on a page
// counts.
func IsAnswerTurn(n *html.Node) bool { return markup.Attr(n, "data-subtree") == answerTree }

// PrepareAnswer makes an AI answer into one that AnswerLayout fits: chips and the
// list of sources get the names and links that the engine keeps beside them, and
// elements become what they look like, since to the engine all are divisions.
// What is larger than any answer stays as it is, and gives an *upstream.Failure.
func (l Links) PrepareAnswer(turn *html.Node) (Served, error) {
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
	served := Served{}
	for _, link := range p.links {
		if isWithin(link, turn) {
			l.unwrap(link, served)
		}
	}
	notes := l.takeNotes(p.notes, turn, served)
	l.nameChips(p.chips, turn, notes, served)
	layOut(p.shapes)
	return served, nil
}

// answerParts are the elements of an answer that have to be prepared, in their order. They
// are looked for in one walk; what goes with another before its turn comes is passed
// over then.
type answerParts struct{ boxes, sources, links, notes, chips, shapes []*html.Node }

func (p *answerParts) collect(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			p.add(child)
			p.collect(child)
		}
	}
}

func (p *answerParts) add(n *html.Node) {
	var leads, labelled, source, noted bool
	box, chip := n.DataAtom == atom.Form, false
	shape := n.DataAtom == atom.Div || n.DataAtom == atom.Pre
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "href":
			leads = n.DataAtom == atom.A
		case "aria-label":
			labelled = true
		case chipID:
			chip = true
		case sourceID:
			source = true
		case noteMark:
			noted = true
		case "role", "style", "hidden":
			box = box || opens(n) || markup.Hidden(n)
		case formulaText, dialogMark:
			shape = true
		}
	}
	add := func(to *[]*html.Node, is bool) {
		if is {
			*to = append(*to, n)
		}
	}
	add(&p.boxes, box)
	add(&p.sources, source)
	add(&p.links, leads)
	add(&p.notes, noted && !source)
	add(&p.chips, chip || leads && labelled)
	add(&p.shapes, shape)
}

// isWithin tells whether the node is still a part of the answer.
func isWithin(n, turn *html.Node) bool {
	for n != nil && n != turn {
		n = n.Parent
	}
	return n == turn
}

// Attributes by which the engine knows chips, what it keeps beside them, and the items on
// the list of sources.
const (
	chipID   = "data-icl-uuid"
	noteMark = "data-crb-el"
	sourceID = "data-src-id"
)

// nameChips names chips, and links that say in a label what they are.
func (l Links) nameChips(chips []*html.Node, turn *html.Node, notes map[string][]note, served Served) {
	count := 0
	for _, chip := range chips {
		id, isChip := "", false
		for _, a := range chip.Attr {
			if a.Key == chipID {
				id, isChip = a.Val, true
			}
		}
		if !isChip && !markup.IsLink(chip) || !isWithin(chip, turn) {
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

// stray is the end of a sentence that stands on a line of its own, since a chip or
// a link before it is one.
var stray = regexp.MustCompile(`[ \t]*\n\s*([.,;:!?])([ \n]|$)`)

// Tidy puts the ends of sentences where they belong.
func Tidy(a *earshot.Answer) {
	a.Text, a.Markdown = tidy(a.Text), tidy(a.Markdown)
}

// tidy looks first whether a line begins with the end of a sentence: few texts have
// one, and the expression takes as long as reading a small page.
func tidy(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimLeft(line, " \t\r\n\f"); line != "" && strings.IndexByte(".,;:!?", line[0]) >= 0 {
			return stray.ReplaceAllString(text, "$1$2")
		}
	}
	return text
}

// dropBoxes takes off an answer what opens over it or waits to be shown, above all what
// asks for an opinion on it. Parts of the answer may wait to be shown, too. It tells
// whether there was any.
func dropBoxes(boxes []*html.Node) (dropped bool) {
	for _, box := range bounded(boxes) {
		if (opens(box) || markup.Any(box, asks) != nil) && markup.Any(box, isPart) == nil {
			markup.Remove(box)
			dropped = true
		}
	}
	return dropped
}

// opens tells whether the element opens over what is on the page.
func opens(n *html.Node) bool {
	if n.DataAtom == atom.Form {
		return true
	}
	role := markup.Attr(n, "role")
	return role == "dialog" || role == "alertdialog"
}

// asks tells whether the element is there to be used, or is what the engine says of
// itself.
func asks(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Textarea, atom.Input:
		return true
	default:
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "role" && (a.Val == "radio" || a.Val == "checkbox"):
			return true
		case a.Key == "href" && n.DataAtom == atom.A &&
			(strings.Contains(a.Val, "//policies.") || strings.Contains(a.Val, "//support.") || strings.Contains(a.Val, "/legal/")):
			return true
		}
	}
	return false
}

// isPart tells whether the element is a part of an answer.
func isPart(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case sourceID, chipID, "data-container-id", field:
			return true
		}
	}
	return false
}

// maxParts is how many of a kind of thing are prepared in an answer; real ones
// have up to 60. It keeps the time that a hostile page takes in proportion.
const maxParts = 300

func bounded(parts []*html.Node) []*html.Node { return parts[:min(maxParts, len(parts))] }

// nameChip puts the names and links of a chip's sources into it. Without notes
// its own link and label tell of one.
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
func nameSources(items []*html.Node) {
	for _, item := range bounded(items) {
		link := markup.Any(item, markup.IsLink)
		if link == nil || item.Parent != nil && markup.Closest(item.Parent, sourceID) != nil {
			continue
		}
		var before, said string
		if text := markup.Any(item, isSnippet); text != nil {
			before, said = ownText(elementBefore(text)), ownText(text)
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

// isSnippet tells whether the element stands where a source's snippet does: after its
// title.
func isSnippet(n *html.Node) bool {
	if n.DataAtom != atom.Span {
		return false
	}
	before := elementBefore(n)
	return before != nil && before.DataAtom == atom.Div
}

// elementBefore is the element before n, nil where there is none.
func elementBefore(n *html.Node) *html.Node {
	before := n.PrevSibling
	for before != nil && before.Type != html.ElementNode {
		before = before.PrevSibling
	}
	return before
}

// ownText is all text in the node, as it stands.
func ownText(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		}
	}
	return text.String()
}

// named is an element with a name on a card. Its parts are made at once: an answer has
// a hundred of them.
func named(name, text string) *html.Node {
	n := &struct {
		element, text html.Node
		attr          [1]html.Attribute
	}{
		element: html.Node{Type: html.ElementNode, Data: "span", DataAtom: atom.Span},
		text:    html.Node{Type: html.TextNode, Data: text},
		attr:    [1]html.Attribute{{Key: field, Val: name}},
	}
	n.element.Attr = n.attr[:]
	n.element.AppendChild(&n.text)
	return &n.element
}
