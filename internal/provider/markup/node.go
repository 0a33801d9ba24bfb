// Package markup reads the elements of HTML pages: what a person reads in them, as
// plain text and as Markdown, and whether a page refuses us.
//
//	node.go       questions to an element
//	plain.go      plain text
//	markdown.go   Markdown
//	size.go       how large an answer may be
//	challenge.go  pages that want something of their visitor
package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unread tells whether the element is nothing that a person reads: code,
// controls, pictures, what is hidden or only for screen readers.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Button, atom.Iframe,
		atom.Head, atom.Textarea, atom.Select, atom.Input, atom.Img, atom.Video, atom.Audio, atom.Canvas, atom.Object:
		return true
	default:
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return a.Val == "true"
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				if class == "sr-only" || class == "visually-hidden" {
					return true
				}
			}
		}
	}
	return false
}

// codeIn is the code of a preformatted block, without the bar above it that
// names the language and has buttons.
func codeIn(pre *html.Node) *html.Node {
	for n := range pre.Descendants() {
		if n.DataAtom == atom.Code {
			return n
		}
	}
	return pre
}

// formula is a formula as it was written, where the page tells.
func formula(math *html.Node) string {
	for n := range math.Descendants() {
		if n.Type == html.ElementNode && n.Data == "annotation" {
			return Text(n)
		}
	}
	return Text(math)
}

// Text is all text in the node as it stands.
func Text(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			text.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			text.WriteByte('\n')
		}
	}
	return text.String()
}

func previousElement(n *html.Node) *html.Node {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return p
		}
	}
	return nil
}

// Attr is the value of an attribute, "" where there is none.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
