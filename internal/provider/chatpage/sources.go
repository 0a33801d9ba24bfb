package chatpage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// mention is a link in the text, or a chip with the notes before it.
type mention struct {
	notes     []*html.Node
	node      *html.Node // the link or the chip
	chip      bool
	citations []answer.Citation // of a chip
}

// elements returns the notes and the chip.
func (m mention) elements() []*html.Node { return append(slices.Clone(m.notes), m.node) }

// gatherNotes makes a chip of the notes that no chip follows.
func (r *turnReader) gatherNotes() {
	if len(r.notes) == 0 {
		return
	}
	last := len(r.notes) - 1
	r.mentions = append(r.mentions, mention{node: r.notes[last], chip: true, notes: r.notes[:last]})
	r.notes = nil
}

// cite adds the sources: first those that the text mentions, in order, then those that are only
// listed. It replaces chips and notes by marks.
func (r *turnReader) cite() {
	listed, keys := r.listed()
	for i := range r.mentions {
		m := &r.mentions[i]
		if !m.chip {
			if c, ok := r.linked(m.node); ok {
				if c.Source.Label == "" {
					c.Source.Label = cmp.Or(webtext.Line(markup.PlainText(m.node)), imageText(m.node))
				}
				r.sources.Add(c.Source)
				markup.SetAttr(m.node, "href", c.Source.URL) // without the tracking parameter
			}
			continue
		}
		for _, n := range m.elements() {
			m.citations = append(m.citations, r.cited(n, keys)...)
			markup.ReplaceChildren(n, nil, webtext.Mark)
			n.Data, n.DataAtom, n.Attr = chipElement, 0, nil
		}
		r.sources.Chip(m.citations)
	}
	for _, c := range listed {
		r.sources.Add(c.Source)
	}
	r.sources.Fill(r.answer)
}

// chipElement is the element name that chips and notes get. HTML has no such element, so text
// writers treat it as plain inline text.
const chipElement = "earshot-chip"

// listed returns the sources on the lists, and the same sources by number and by "#" plus the id of
// their item.
func (r *turnReader) listed() (all []answer.Citation, by map[string]answer.Citation) {
	by = map[string]answer.Citation{}
	number := 0
	for _, list := range r.lists {
		for n := range list.Descendants() {
			if n.DataAtom != atom.A {
				continue
			}
			number++
			c, ok := r.linked(n)
			if !ok {
				continue
			}
			if c.Source.Label == "" { // the image's description is a better title than the whole text of an item
				c.Source.Label = cmp.Or(imageText(n), webtext.Line(markup.PlainText(n)))
			}
			all = append(all, c)
			by[strconv.Itoa(number)] = c
			for item := n; item != list.Parent; item = item.Parent {
				if id := markup.Attr(item, "id"); id != "" {
					by["#"+id] = c
				}
				if item.DataAtom == atom.Li {
					break
				}
			}
		}
	}
	return all, by
}

// cited returns the sources that a chip or a note refers to, by links or by numbers and ids on the
// list.
func (r *turnReader) cited(n *html.Node, keys map[string]answer.Citation) []answer.Citation {
	var citations []answer.Citation
	cite := func(n *html.Node) {
		for _, a := range n.Attr {
			if a.Key != r.page.layout.NoteNumber && (a.Key != "href" || !strings.HasPrefix(a.Val, "#")) {
				continue
			}
			if c, ok := keys[a.Val]; ok {
				citations = append(citations, c)
			}
			return
		}
		if n.DataAtom != atom.A {
			return
		}
		if c, ok := r.linked(n); ok {
			c.Label = cmp.Or(c.Label, chipLabel(n))
			citations = append(citations, c)
		}
	}
	cite(n)
	for inner := range n.Descendants() {
		cite(inner)
	}
	return citations
}

// linked returns the source that a link leads to, with the title and the date that the link
// contains. Pages of the assistant's own site are not sources.
func (r *turnReader) linked(a *html.Node) (answer.Citation, bool) {
	link, ok := r.destination(a, "href")
	if !ok || r.base != nil && webtext.Domain(link) == r.site {
		return answer.Citation{}, false
	}
	f := r.fields(a)
	return answer.Citation{
		Label: f.text("source-site"),
		Source: earshot.Source{
			URL:           link,
			Label:         f.text("source-title"),
			Description:   f.text("source-snippet"),
			DatePublished: dateIn(a),
		},
	}, true
}

// imageText returns the alternative text of the last image in the element that has one.
func imageText(n *html.Node) string {
	alt := ""
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.Img {
			alt = cmp.Or(webtext.Line(markup.Attr(inner, "alt")), alt)
		}
	}
	return alt
}

// chipLabel returns the first text in a chip's link that is not a count of further sources.
func chipLabel(link *html.Node) string {
	for n := range link.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		if text := webtext.Line(n.Data); text != "" && !strings.HasPrefix(text, "+") {
			return text
		}
	}
	return ""
}

// showChips replaces the marks of chips by links to their sources, in parentheses.
func (r *turnReader) showChips() {
	for _, m := range r.mentions {
		if !m.chip {
			continue
		}
		for _, n := range m.elements() {
			markup.ReplaceChildren(n, nil, "")
		}
		before, after := " (", ""
		for _, c := range m.citations {
			link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: c.Source.URL}}}
			link.AppendChild(&html.Node{Type: html.TextNode, Data: cmp.Or(c.Label, c.Source.Label, webtext.Domain(c.Source.URL))})
			m.node.AppendChild(&html.Node{Type: html.TextNode, Data: before})
			m.node.AppendChild(link)
			before, after = ", ", ")"
		}
		m.node.AppendChild(&html.Node{Type: html.TextNode, Data: after})
	}
}
