// Package markup reads the elements of HTML pages. It returns their text as plain text and as
// Markdown, and recognises challenge pages.
//
//	node.go       find and change elements
//	plain.go      plain text
//	markdown.go   Markdown: preparing the elements, escaping
//	mdwriter.go   Markdown: writing the elements
//	mdtable.go    Markdown: writing tables
//	size.go       size limits of an answer
//	shape.go      fingerprints of layouts
//
// # Hidden elements
//
// All functions use the same rule (Hidden): an element is hidden if it has the attribute hidden or
// if its style attribute says display: none. Browsers show nothing of such an element until the
// visitor clicks, for example on "more". Its content is not what the visitor saw: more items of a
// carousel, menus, dialogs, the answers of folded questions, copies for another screen size.
//
// Three other attributes do not hide an element, because visitors see the content:
//
//   - visibility: hidden in a style. Google sets it on the element with all results of a page about
//     one entity, and a script removes it as soon as the page is loaded.
//   - opacity: 0 in a style. It begins an animation.
//   - aria-hidden. It hides the element only from screen readers, for example the label on an image.
//     In an answer, however, it marks icons and second copies of formulas, so the text of an answer
//     omits such elements, like buttons (see unread).
//
// Style sheets are not read.
package markup

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Attr returns the value of an attribute, or "" if the element does not have the attribute.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// HasAttr reports whether the element has the attribute, even with an empty value.
func HasAttr(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// IsHeading reports whether the element is a heading of the level by its ARIA role.
func IsHeading(n *html.Node, level string) bool {
	return Attr(n, "role") == "heading" && Attr(n, "aria-level") == level
}

// isCode reports whether the content of the element is for browsers only.
func isCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Iframe, atom.Svg:
		return true
	default:
		return false
	}
}

// Unseen reports whether visitors do not see the element: its content is for browsers only, or it
// is hidden.
func Unseen(n *html.Node) bool { return isCode(n) || Hidden(n) }

// Hidden reports whether an attribute of the element hides it and its content. The package
// documentation explains the rule.
func Hidden(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, hides)
}

func hides(a html.Attribute) bool {
	return a.Key == "hidden" || a.Key == "style" && displaysNone(a.Val)
}

// displaysNone reports whether the last display property of a style hides the element.
func displaysNone(style string) bool {
	none := false
	for property := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(property, ":")
		if strings.EqualFold(strings.TrimSpace(name), "display") {
			value, _, _ = strings.Cut(value, "!") // "none !important"
			none = strings.EqualFold(strings.TrimSpace(value), "none")
		}
	}
	return none
}

// unread reports whether the text of an answer omits the element: scripts, controls, images, and
// elements that are hidden, decoration, or only for screen readers.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Textarea, atom.Select, atom.Input, atom.Img, atom.Video, atom.Audio, atom.Canvas, atom.Object:
		return true
	default:
	}
	return isCode(n) || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "aria-hidden":
			return a.Val == "true"
		case "class":
			classes := strings.Fields(a.Val)
			return slices.Contains(classes, "sr-only") || slices.Contains(classes, "visually-hidden")
		default:
			return hides(a)
		}
	})
}

// Find returns the first visible element below n, in document order, for which wanted returns true,
// or nil. It skips the content of unseen elements.
func Find(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode || Unseen(child) {
			continue
		}
		if wanted(child) {
			return child
		}
		if found := Find(child, wanted); found != nil {
			return found
		}
	}
	return nil
}

// FindAll returns all visible elements below n for which wanted returns true, without looking
// inside the elements found.
func FindAll(n *html.Node, wanted func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type != html.ElementNode || Unseen(child):
		case wanted(child):
			found = append(found, child)
		default:
			found = append(found, FindAll(child, wanted)...)
		}
	}
	return found
}

// Any returns the first element below n, in document order, for which wanted returns true, or nil.
// Unlike Find, it includes unseen elements.
func Any(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && wanted(inner) {
			return inner
		}
	}
	return nil
}

// All returns all elements below n, in document order, for which wanted returns true. It includes
// unseen elements and elements inside the elements found.
func All(n *html.Node, wanted func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && wanted(inner) {
			found = append(found, inner)
		}
	}
	return found
}

// Closest returns n or its nearest ancestor that has the attribute, or nil.
func Closest(n *html.Node, key string) *html.Node {
	for n != nil && !HasAttr(n, key) {
		n = n.Parent
	}
	return n
}

// Has returns a predicate for elements with the attribute.
func Has(key string) func(*html.Node) bool {
	return func(n *html.Node) bool { return HasAttr(n, key) }
}

// SetAttr sets an attribute of the element.
func SetAttr(n *html.Node, key, value string) {
	if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key }); i >= 0 {
		n.Attr[i].Val = value
		return
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// RemoveAttr removes an attribute of the element.
func RemoveAttr(n *html.Node, key string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// Remove removes the node from its page.
func Remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// Empty removes all children of the node.
func Empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// IsLink reports whether the node is a link with an href.
func IsLink(n *html.Node) bool { return n.DataAtom == atom.A && HasAttr(n, "href") }

// codeIn returns the code element in a preformatted block, or the block itself. The element
// excludes the bar above the code, with the language and buttons.
func codeIn(pre *html.Node) *html.Node {
	if code := Any(pre, is(atom.Code)); code != nil {
		return code
	}
	return pre
}

// isInlineCode reports whether the element marks code, a key or a value within a line.
func isInlineCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Code, atom.Var, atom.Samp, atom.Kbd, atom.Tt:
		return true
	default:
		return false
	}
}

// codeText returns the text of code. Each div begins a new line.
func codeText(n *html.Node) string { return textWith(n, atom.Br, atom.Div) }

// codeLanguage returns the language that the element's class names, or "".
func codeLanguage(n *html.Node) string {
	for class := range strings.SplitSeq(Attr(n, "class"), " ") {
		if strings.Contains(class, "language-") || strings.Contains(class, "lang-") {
			return strings.Replace(strings.Replace(class, "language-", "", 1), "lang-", "", 1)
		}
	}
	return ""
}

// longestRun returns the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		run++
		if text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// isBlock reports whether browsers start a new line for the element.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Details, atom.Dialog, atom.Dd, atom.Div, atom.Dl, atom.Dt,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Header, atom.Hgroup, atom.Hr, atom.Li, atom.Main,
		atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Table, atom.Ul:
		return true
	default:
		return isHeading(n)
	}
}

func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	default:
		return false
	}
}

// formula returns the source of a formula if the page has it as an annotation, or the text of the
// formula.
func formula(math *html.Node) string {
	if source := Any(math, func(n *html.Node) bool { return n.Data == "annotation" }); source != nil {
		return Text(source)
	}
	return Text(math)
}

// Text returns the text in the node without any formatting, except for line breaks.
func Text(n *html.Node) string { return textWith(n, atom.Br) }

// textWith returns the text in the node with a line break for each element of the kinds.
func textWith(n *html.Node, breaks ...atom.Atom) string {
	var text strings.Builder
	for inner := range n.Descendants() {
		switch {
		case inner.Type == html.TextNode:
			text.WriteString(inner.Data)
		case slices.Contains(breaks, inner.DataAtom):
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// PreviousElement returns the element before n among its siblings, or nil.
func PreviousElement(n *html.Node) *html.Node {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return p
		}
	}
	return nil
}

// Contains reports whether n is outer or inside it.
func Contains(outer, n *html.Node) bool {
	for n != nil && n != outer {
		n = n.Parent
	}
	return n != nil
}

// challengeMarks match elements of pages that refuse us, in any language: captcha widgets,
// challenge scripts, sign-in forms.
var challengeMarks = goquery.Single(`
	form[id*="challenge"], form[action*="challenge"], script[src*="challenge"], [id^="challenge-"],
	[id*="captcha"], [class*="captcha"], iframe[src*="captcha"], script[src*="captcha"], form[action*="captcha"],
	[class*="turnstile"], form[action*="/sorry/"], form[action*="consent"], form[action*="login"], input[type="password"]`)

// IsChallenge reports whether the page asks its visitor for something before it continues. Use it
// only for pages without an answer: ordinary pages can have a sign-in form too.
func IsChallenge(page *goquery.Document) bool { return page.FindMatcher(challengeMarks).Length() > 0 }
