package chatassistant

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
)

// element is an element that has a test id.
type element struct {
	*html.Node
	id     string
	within int      // how many of those that follow it are in it
	parts  elements // those
}

// elements are elements that have a test id, in the order of the page.
type elements []element

// findElements finds those in root, of which it expects about as many as told.
// It is the one walk that serves all questions for test ids.
func findElements(root *html.Node, expected int) elements {
	found := appendElements(make(elements, 0, expected), root)
	for i := range found {
		found[i].parts = found[i+1 : i+1+found[i].within]
	}
	return found
}

func appendElements(found elements, n *html.Node) elements {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		id := attribute(child, idAttribute)
		if id == "" {
			found = appendElements(found, child)
			continue
		}
		at := len(found)
		found = append(found, element{Node: child, id: id})
		found = appendElements(found, child)
		found[at].within = len(found) - at - 1
	}
	return found
}

// all are those with the id.
func (e elements) all(id string) iter.Seq[element] {
	return func(yield func(element) bool) {
		for i := range e {
			if e[i].id == id && !yield(e[i]) {
				return
			}
		}
	}
}

// first is the first one with the id, nil if there is none.
func (e elements) first(id string) *html.Node {
	for i := range e {
		if e[i].id == id {
			return e[i].Node
		}
	}
	return nil
}

// text is the text of the first one with the id.
func (e elements) text(id string) string { return textOf(e.first(id)) }

// texts are those of the elements with the id.
func (e elements) texts(id string) earshot.List[string] {
	var texts earshot.List[string]
	for part := range e.all(id) {
		if text := textOf(part.Node); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// items are the texts of the list items in the element, none where a list of the
// same id is around it in root, which has given them already.
func (e element) items(root *html.Node) earshot.List[string] {
	for outer := e.Parent; outer != root; outer = outer.Parent {
		if attribute(outer, idAttribute) == e.id {
			return nil
		}
	}
	var texts earshot.List[string]
	for item := range inside(e.Node, atom.Li) {
		if text := textOf(item); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// inside gives the elements of the kind in n, of links only those that lead
// somewhere.
func inside(n *html.Node, kind atom.Atom) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for d := range n.Descendants() {
			if d.DataAtom != kind || d.Type != html.ElementNode || kind == atom.A && !hasAttribute(d, "href") {
				continue
			}
			if !yield(d) {
				return
			}
		}
	}
}

// firstInside is the first of what inside gives, nil if there is none.
func firstInside(n *html.Node, kind atom.Atom) *html.Node {
	for found := range inside(n, kind) {
		return found
	}
	return nil
}

// textOf is what n says, on one line. n may be nil.
func textOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	if only := n.FirstChild; only != nil && only.NextSibling == nil && only.Type == html.TextNode {
		return answer.Line(only.Data)
	}
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		}
	}
	return answer.Line(text.String())
}

// attribute is the attribute's value, "" where n is nil or has none.
func attribute(n *html.Node, key string) string {
	if n == nil {
		return ""
	}
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

func hasClass(n *html.Node, class string) bool {
	for have := range strings.FieldsSeq(attribute(n, "class")) {
		if have == class {
			return true
		}
	}
	return false
}
