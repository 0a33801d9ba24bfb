package websearch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Maximum lengths of a fact and its name in bytes. A longer text is a table or a form.
const (
	maxFactName = 80
	maxFact     = 400
)

// factOf reads a part of a panel that is one fact: a name that ends in a colon, then the value in
// the next element of the same row. Below the row can be a short note. It returns nil if the part is
// something else, such as a list with its sources.
func (r *reader) factOf(n *html.Node) *earshot.KnowledgeAttribute {
	first, end, name := factName(n)
	if end == nil {
		return nil
	}
	value := after(end)
	for value == nil && end.Parent != n {
		end = end.Parent
		value = after(end)
	}
	if value == nil || !markup.Contains(end.Parent, first) || markup.Find(value, markup.Has("data-attrid")) != nil {
		return nil
	}
	for row := end.Parent; row != n; row = row.Parent {
		if note := after(row); note != nil && (len(serp.Line(note)) > maxFactName || r.isSource(value)) {
			return nil
		}
	}
	fact := earshot.KnowledgeAttribute{Name: name, Value: r.valueOf(value)}
	if fact.Value == "" || len(fact.Value) > maxFact {
		return nil
	}
	return &fact
}

// isSource reports whether the value of a fact is only a link to another site.
func (r *reader) isSource(value *html.Node) bool {
	return r.leadsAway(value) || markup.Find(value, r.leadsAway) != nil && factText(value, r.isExtra) == ""
}

// factName returns the name of a fact, without its colon, and the nodes in which the name begins and
// ends. The name is the first text, or the label of an icon (mobile).
func factName(n *html.Node) (first, end *html.Node, name string) {
	var text strings.Builder
	var find func(*html.Node) bool // reports whether to stop
	find = func(n *html.Node) bool {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.Type == html.TextNode:
				text.WriteString(child.Data)
			case child.Type != html.ElementNode || markup.Unseen(child):
				continue
			case strings.TrimSpace(text.String()) == "" && child.FirstChild != nil && isLabel(markup.Attr(child, "aria-label")) && serp.Line(child) == "":
				text.WriteString(markup.Attr(child, "aria-label"))
			default:
				if find(child) {
					return true
				}
				continue
			}
			if name = webtext.Line(text.String()); first == nil && name != "" {
				first = child
			}
			if isLabel(name) {
				end = child
				return true
			}
			if len(name) > maxFactName {
				return true
			}
		}
		return false
	}
	find(n)
	name = strings.TrimSpace(strings.TrimRight(name, ":："))
	if name == "" || len(name) > maxFactName {
		return nil, nil, ""
	}
	return first, end, name
}

// isLabel reports whether the text ends in the colon after the name of a fact.
func isLabel(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// after returns the next sibling with visible text, or nil.
func after(n *html.Node) *html.Node {
	n = n.NextSibling
	for n != nil && !hasText(n) {
		n = n.NextSibling
	}
	return n
}

// hasText reports whether the node has visible text.
func hasText(n *html.Node) bool {
	if n.Type == html.TextNode {
		return webtext.Line(n.Data) != ""
	}
	if n.Type != html.ElementNode || markup.Unseen(n) {
		return false
	}
	child := n.FirstChild
	for child != nil && !hasText(child) {
		child = child.NextSibling
	}
	return child != nil
}

// valueOf returns the value of a fact, without tables, dialogs, buttons, and links to sources. If
// nothing else is left, it is the text of such a link or of the first button (opening hours).
func (r *reader) valueOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return webtext.Line(n.Data)
	}
	if value := factText(n, r.isExtra); value != "" {
		return value
	}
	if value := factText(n, isAside); value != "" {
		return value
	}
	if button := markup.Find(n, func(n *html.Node) bool { return markup.Attr(n, "role") == "button" }); button != nil {
		return factText(button, func(n *html.Node) bool { return n.DataAtom == atom.Table })
	}
	return ""
}

// factText returns the text of a fact without the elements for which skip returns true. A dash at the
// end is part of it: "2019 –" has not ended.
func factText(n *html.Node, skip func(*html.Node) bool) string {
	text := strings.Join(serp.LinesBut(n, skip), " ")
	return strings.TrimLeft(strings.TrimRight(text, separators), separators+":-–")
}

// isExtra reports whether the element in the value of a fact is not part of the value.
func (r *reader) isExtra(n *html.Node) bool {
	return isAside(n) || r.leadsAway(n) || markup.IsLink(n) && strings.HasPrefix(markup.Attr(n, "href"), notices)
}

// notices is the prefix of the addresses of the engine's own notices, such as a disclaimer.
const notices = "/intl/"

// isAside reports whether the element is a table, a dialog, a button, or the link to further values.
// Unlike links to values, the text of that link and the separator before it are elements.
func isAside(n *html.Node) bool {
	switch role := markup.Attr(n, "role"); {
	case n.DataAtom == atom.Table, n.DataAtom == atom.Button, role == "button", role == "dialog":
		return true
	case n.DataAtom != atom.A || hasOwnText(n):
		return false
	}
	before := n.PrevSibling
	for before != nil && (before.Type == html.TextNode && strings.TrimSpace(before.Data) == "" || before.Type == html.ElementNode && before.FirstChild == nil) {
		before = before.PrevSibling
	}
	if before == nil || before.Type != html.ElementNode {
		return false
	}
	text := before.FirstChild
	return text.Type == html.TextNode && text.NextSibling == nil && strings.Trim(webtext.Line(text.Data), separators) == ""
}

// separators are the characters between the values of a fact.
const separators = " ,;·،、"

func hasOwnText(n *html.Node) bool {
	return n.FirstChild != nil && n.FirstChild.Type == html.TextNode && strings.TrimSpace(n.FirstChild.Data) != ""
}

// topFactName is the prefix of the names of facts above the results (since 2023).
const topFactName = "lab/fact/"

// topFactIn reads a fact above the results: a name, then the value on the next lines. A longer form
// of the value opens with a click.
func topFactIn(n *html.Node) *earshot.KnowledgeAttribute {
	lines := serp.LinesBut(n, markup.Has("data-expc"))
	if len(lines) < 2 {
		return nil
	}
	fact := earshot.KnowledgeAttribute{Name: strings.TrimRight(lines[0], " :："), Value: strings.Join(lines[1:], " ")}
	if fact.Name == "" || len(fact.Name) > maxFactName || len(fact.Value) > maxFact {
		return nil
	}
	return &fact
}
