package markup

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// Limits of the element that contains an answer. They bound the time to write text and Markdown:
// the content of lists, quotes and tables is copied once for each level of nesting.
const (
	maxNodes   = 20_000
	maxNesting = 12 // of lists, quotes and tables; real answers have up to 5
)

// CheckSize returns an *upstream.Failure with the reason unreadable if the node exceeds the limits
// of an answer.
func CheckSize(n *html.Node) error {
	var s size
	if !s.add(n, 0) {
		return upstream.Fail(earshot.ReasonUnreadable,
			"answer has more than %d nodes, %d bytes of text or %d levels", maxNodes, webtext.MaxText, maxNesting)
	}
	return nil
}

type size struct{ nodes, text int }

// add counts the node and its descendants, and reports whether they are within the limits.
func (s *size) add(n *html.Node, nesting int) bool {
	s.nodes++
	switch {
	case n.Type == html.TextNode:
		s.text += len(n.Data)
	case n.DataAtom == atom.Ul, n.DataAtom == atom.Ol, n.DataAtom == atom.Blockquote, n.DataAtom == atom.Table:
		nesting++
	}
	if s.nodes > maxNodes || s.text > webtext.MaxText || nesting > maxNesting {
		return false
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if !s.add(child, nesting) {
			return false
		}
	}
	return true
}
