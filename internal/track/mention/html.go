package mention

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parting are the tags that separate blocks in HTML.
var parting = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Caption: true,
	atom.Center: true, atom.Dd: true, atom.Details: true, atom.Dialog: true, atom.Div: true, atom.Dl: true, atom.Dt: true,
	atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true, atom.H1: true,
	atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hr: true,
	atom.Legend: true, atom.Li: true, atom.Main: true, atom.Nav: true, atom.Ol: true, atom.Option: true, atom.P: true,
	atom.Pre: true, atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tbody: true, atom.Td: true,
	atom.Tfoot: true, atom.Th: true, atom.Thead: true, atom.Tr: true, atom.Ul: true,
}

// tag reads a tag, a comment or a declaration in running text. None of them is visible, except
// that <br> is white space. The content of <script> and <style> is not visible, and the text
// of <a> is the text of a link.
func (r *reader) tag(raw string, start, end int) {
	tokens := html.NewTokenizer(strings.NewReader(raw))
	switch tokens.Next() {
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		r.element(tokens.Token(), start, end)
	default: // a comment, a declaration
	}
}

// element updates the state of the reader for a tag.
func (r *reader) element(token html.Token, start, end int) {
	opens := token.Type != html.EndTagToken
	switch token.DataAtom {
	case atom.Br:
		if r.unshown == 0 {
			r.add('\n', start, end)
		}
	case atom.Script, atom.Style:
		if opens {
			r.unshown++
		} else {
			r.unshown = max(0, r.unshown-1)
		}
	case atom.A:
		r.closeAnchor()
		if !opens {
			return
		}
		for _, a := range token.Attr {
			if a.Key == "href" {
				r.openLink(a.Val)
				r.anchor = len(r.links) - 1
			}
		}
	default: // not visible
	}
}

func (r *reader) closeAnchor() {
	if r.anchor >= 0 {
		r.closeLink(r.anchor)
		r.anchor = -1
	}
}

// closeTags closes all open tags at the end of a block.
func (r *reader) closeTags() {
	r.closeAnchor()
	r.unshown = 0
}

// htmlBlock reads a block of HTML. The text between tags is visible; the tags in parting
// split it into blocks.
func (r *reader) htmlBlock(n *ast.HTMLBlock) {
	source := segments{}
	var raw strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		source.add(raw.Len(), line.Start)
		raw.WriteString(r.body[line.Start:line.Stop])
	}
	if n.HasClosure() {
		source.add(raw.Len(), n.ClosureLine.Start)
		raw.WriteString(r.body[n.ClosureLine.Start:n.ClosureLine.Stop])
	}
	tokens := html.NewTokenizer(strings.NewReader(raw.String()))
	for at := 0; ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return
		}
		start := at
		at += len(tokens.Raw())
		switch kind {
		case html.TextToken:
			source.each(start, at, func(start, end int) { r.htmlText(start, end) })
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			if parting[token.DataAtom] {
				r.begin()
			}
			first := source.at(start)
			r.element(token, first, first+1)
		default: // comments and declarations are not visible
		}
	}
}

// htmlText reads text that may have entities, but no backslash escapes.
func (r *reader) htmlText(start, end int) {
	if r.unshown > 0 {
		return
	}
	plain := start
	for i := start; i < end; i++ {
		if r.body[i] != '&' {
			continue
		}
		if after := r.entity(plain, i, end); after > 0 {
			i, plain = after-1, after
		}
	}
	r.addText(r.body, plain, end)
}

// segments maps offsets of a text that was joined from lines to offsets of the stored text.
type segments struct {
	joined, stored []int
}

func (s *segments) add(joined, stored int) {
	s.joined = append(s.joined, joined)
	s.stored = append(s.stored, stored)
}

// line returns the index of the line that contains an offset.
func (s *segments) line(at int) int {
	return max(0, sort.SearchInts(s.joined, at+1)-1)
}

func (s *segments) at(at int) int {
	n := s.line(at)
	return s.stored[n] + at - s.joined[n]
}

// each calls f with the stored range of each line of a joined range.
func (s *segments) each(start, end int, f func(start, end int)) {
	for start < end {
		n := s.line(start)
		stop := end
		if n+1 < len(s.joined) {
			stop = min(end, s.joined[n+1])
		}
		f(s.at(start), s.at(start)+stop-start)
		start = stop
	}
}
