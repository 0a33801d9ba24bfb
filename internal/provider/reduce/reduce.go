// Package reduce cuts a page to a small one for which a condition still holds, and replaces its texts
// by neutral ones. It is hierarchical delta debugging: it tries to remove many nodes at once, level by
// level from the root, and halves the set of nodes whenever the condition no longer holds.
//
//	reduce.go    removes elements, attributes and texts
//	neutral.go   texts and links without content
//	private.go   what must never stay on the page
package reduce

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page reduces a page for at most the given time. The condition must not change the page. Page returns
// an error if the condition does not hold for the page or needs something private, or if the time was
// too short to make all texts neutral.
func Page(ctx context.Context, root *html.Node, limit time.Duration, holds func(root *html.Node) bool) error {
	if !holds(root) {
		return errors.New("the condition does not hold for the page itself")
	}
	r := reducer{holds: holds, root: root, private: privateIn(root)}
	// Neutral texts need fewer attempts than the structure, but without them the page is private.
	structure, cancel := context.WithTimeout(ctx, limit*3/4)
	defer cancel()
	r.shrink(structure)
	all, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r.neutralise(all)
	if all.Err() != nil {
		return errors.New("there was not enough time to make all texts of the page neutral: allow more")
	}
	r.attempt(all, r.newLines())
	return r.censor(ctx)
}

type reducer struct {
	root    *html.Node
	holds   func(*html.Node) bool
	private private
}

// edit is a change of the page that can be undone.
type edit struct{ do, undo func() }

// attempt applies as many of the edits as the condition allows.
func (r *reducer) attempt(ctx context.Context, edits []edit) (applied bool) {
	if len(edits) == 0 || ctx.Err() != nil {
		return false
	}
	for _, e := range edits {
		e.do()
	}
	if r.holds(r.root) {
		return true
	}
	for _, e := range slices.Backward(edits) {
		e.undo()
	}
	if len(edits) == 1 {
		return false
	}
	half := len(edits) / 2
	first, second := r.attempt(ctx, edits[:half]), r.attempt(ctx, edits[half:])
	return first || second
}

// shrink removes everything that the condition does not need, until nothing more can be removed.
func (r *reducer) shrink(ctx context.Context) {
	r.attempt(ctx, removals(slices.Collect(r.nodes(isInvisible))))
	for smaller := true; smaller && ctx.Err() == nil; {
		smaller = r.levels(ctx)
		smaller = r.attempt(ctx, r.unwrappings()) || smaller
		smaller = r.attempt(ctx, r.attributes()) || smaller
	}
}

// isInvisible reports whether the node has no text for visitors.
func isInvisible(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Link, atom.Meta, atom.Iframe:
		return true
	default:
		return n.Type == html.CommentNode || n.Type == html.TextNode && strings.TrimSpace(n.Data) == ""
	}
}

// isFrame reports whether the element is part of every page.
func isFrame(n *html.Node) bool {
	return n.DataAtom == atom.Html || n.DataAtom == atom.Head || n.DataAtom == atom.Body
}

// nodes returns the nodes of the page that are not its frame and for which is returns true.
func (r *reducer) nodes(is func(*html.Node) bool) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range r.root.Descendants() {
			if !isFrame(n) && is(n) && !yield(n) {
				return
			}
		}
	}
}

// levels removes nodes, starting with those next to the root.
func (r *reducer) levels(ctx context.Context) (smaller bool) {
	for level := []*html.Node{r.root}; len(level) > 0 && ctx.Err() == nil; {
		var next []*html.Node
		for _, n := range level {
			next = slices.AppendSeq(next, n.ChildNodes())
		}
		smaller = r.attempt(ctx, removals(next)) || smaller
		level = slices.DeleteFunc(next, func(n *html.Node) bool { return n.Parent == nil })
	}
	return smaller
}

func removals(nodes []*html.Node) []edit {
	var edits []edit
	for _, n := range nodes {
		if isFrame(n) || n.Type == html.DoctypeNode {
			continue
		}
		parent, next := n.Parent, n.NextSibling
		edits = append(edits, edit{
			// A node inside a removed node is removed again; the order of undoing is the reverse.
			do:   func() { parent, next = n.Parent, n.NextSibling; parent.RemoveChild(n) },
			undo: func() { parent.InsertBefore(n, next) },
		})
	}
	return edits
}

// unwrappings replace elements by their children.
func (r *reducer) unwrappings() []edit {
	var edits []edit
	for n := range r.nodes(func(n *html.Node) bool { return n.Type == html.ElementNode && n.FirstChild != nil }) {
		var parent, next *html.Node
		var children []*html.Node
		edits = append(edits, edit{
			do: func() {
				parent, next, children = n.Parent, n.NextSibling, slices.Collect(n.ChildNodes())
				parent.RemoveChild(n)
				for _, child := range children {
					n.RemoveChild(child)
					parent.InsertBefore(child, next)
				}
			},
			undo: func() {
				for _, child := range children {
					parent.RemoveChild(child)
					n.AppendChild(child)
				}
				parent.InsertBefore(n, next)
			},
		})
	}
	return edits
}

// attributes removes attributes.
func (r *reducer) attributes() []edit {
	var edits []edit
	for n := range r.root.Descendants() {
		for _, a := range n.Attr {
			var before []html.Attribute
			edits = append(edits, edit{
				do: func() {
					before = n.Attr
					n.Attr = slices.DeleteFunc(slices.Clone(n.Attr), func(b html.Attribute) bool { return b == a })
				},
				undo: func() { n.Attr = before },
			})
		}
	}
	return edits
}

// newLines put each element on a line of its own.
func (r *reducer) newLines() []edit {
	var edits []edit
	for n := range r.nodes(func(n *html.Node) bool { return n.Type == html.ElementNode }) {
		line := &html.Node{Type: html.TextNode, Data: "\n"}
		edits = append(edits, edit{
			do:   func() { n.Parent.InsertBefore(line, n) },
			undo: func() { line.Parent.RemoveChild(line) },
		})
	}
	return edits
}

// value is a text or the value of an attribute.
type value struct {
	node *html.Node
	key  string // of the attribute; empty for a text
}

func (v value) get() string {
	if v.key == "" {
		return v.node.Data
	}
	for _, a := range v.node.Attr {
		if a.Key == v.key {
			return a.Val
		}
	}
	return ""
}

func (v value) set(text string) {
	if v.key == "" {
		v.node.Data = text
		return
	}
	for i, a := range v.node.Attr {
		if a.Key == v.key {
			v.node.Attr[i].Val = text
		}
	}
}

// values returns all texts and attributes of the page.
func values(root *html.Node) (all []value) {
	for n := range root.Descendants() {
		if n.Type == html.TextNode || n.Type == html.CommentNode {
			all = append(all, value{node: n})
		}
		for _, a := range n.Attr {
			all = append(all, value{node: n, key: a.Key})
		}
	}
	return all
}

// neutralise replaces texts and attributes, each by the most neutral text that the condition allows.
func (r *reducer) neutralise(ctx context.Context) {
	left := values(r.root)
	replace := func(neutral func(v value, n int) string) {
		var links, others []edit
		before := make([]string, len(left))
		for i, v := range left {
			before[i] = v.get()
			after := neutral(v, i)
			e := edit{do: func() { v.set(after) }, undo: func() { v.set(before[i]) }}
			switch {
			case after == before[i]:
			case linkIn(after) != nil:
				links = append(links, e)
			default:
				others = append(others, e)
			}
		}
		r.attempt(ctx, links) // all at once, because the parser compares their hosts
		r.attempt(ctx, others)
		var rest []value
		for i, v := range left {
			if v.get() == before[i] && Neutral(before[i]) != before[i] {
				rest = append(rest, v)
			}
		}
		left = rest
	}
	replace(func(v value, _ int) string { return Neutral(v.get()) })
	replace(func(v value, n int) string { return varied(v.get(), n) })
	replace(func(v value, _ int) string { return neutralParameters(plainClick(v.get())) })
	for _, v := range left {
		r.neutraliseWords(ctx, v)
	}
}

// word matches a word of a text or of JSON in a script, or what is between two words.
var word = regexp.MustCompile(`\\+(?:u[0-9a-fA-F]{4}|.)|[^\s"\\]+|[\s"]+`)

// neutraliseWords replaces the words of a value that the condition does not need.
func (r *reducer) neutraliseWords(ctx context.Context, v value) {
	words := word.FindAllString(v.get(), -1)
	join := func() { v.set(strings.Join(words, "")) }
	var edits []edit
	for i, before := range words {
		if after := Neutral(before); after != before {
			edits = append(edits, edit{do: func() { words[i] = after }, undo: func() { words[i] = before }})
		}
	}
	joined := reducer{root: r.root, holds: func(root *html.Node) bool { join(); return r.holds(root) }}
	joined.attempt(ctx, edits)
	join()
}

// censor replaces what is private. It returns an error if the condition does not hold without it.
func (r *reducer) censor(ctx context.Context) error {
	var edits []edit
	for _, v := range values(r.root) {
		if before, after := v.get(), r.private.without(v); before != after {
			edits = append(edits, edit{do: func() { v.set(after) }, undo: func() { v.set(before) }})
		}
	}
	r.attempt(ctx, edits)
	for _, v := range values(r.root) {
		if v.get() != r.private.without(v) {
			return fmt.Errorf("the page must keep %.80q in %s to meet the condition, but it may be private; write the page by hand", v.get(), v.name())
		}
	}
	return ctx.Err()
}

func (v value) name() string {
	if v.key == "" {
		return "a text in " + v.node.Parent.Data
	}
	return v.key + " of " + v.node.Data
}
