// Package markup reads the elements of HTML pages: what a person reads in them, as
// plain text and as Markdown, and whether a page refuses us.
//
//	node.go       questions to an element
//	plain.go      plain text
//	markdown.go   Markdown: what is left out, and escaping
//	mdwriter.go   its elements
//	mdtable.go    its tables
//	size.go       how large an answer may be
package markup

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Attr is the value of an attribute, "" where there is none.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// HasAttr tells whether the node has the attribute, be it empty.
func HasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// IsHeading tells whether the node is a heading of the level, by its role.
func IsHeading(n *html.Node, level string) bool {
	role, is := false, false
	for _, a := range n.Attr {
		switch a.Key {
		case "role":
			role = a.Val == "heading"
		case "aria-level":
			is = a.Val == level
		}
	}
	return role && is
}

// isCode tells whether the element holds what only browsers read.
func isCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Iframe, atom.Svg:
		return true
	default:
		return false
	}
}

// Unseen tells whether the element is nothing that a visitor sees: code, or
// hidden until something is done.
func Unseen(n *html.Node) bool {
	return isCode(n) || Hidden(n)
}

// Hidden tells whether the element says that it is not to be seen.
func Hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			if strings.Contains(a.Val, "display:none") || strings.Contains(a.Val, "display: none") {
				return true
			}
		}
	}
	return false
}

// unread tells whether the element has no text that a person reads: code, controls
// and pictures, and what is hidden or only for screen readers.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Textarea, atom.Select, atom.Input, atom.Img, atom.Video, atom.Audio, atom.Canvas, atom.Object:
		return true
	default:
	}
	if isCode(n) {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return a.Val == "true"
		case "class":
			if hasClass(a.Val, "sr-only") || hasClass(a.Val, "visually-hidden") {
				return true
			}
		}
	}
	return false
}

// hasClass tells whether a class is one of the classes.
func hasClass(classes, class string) bool {
	return strings.Contains(classes, class) && slices.Contains(strings.Fields(classes), class)
}

// Find gives the first node below n, in the page's order, that is as wanted; nil
// where there is none. It does not look into what is unseen.
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

// FindAll gives all nodes below n that are as wanted, but none within another.
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

// Any gives the first element below n, in the page's order, that is as wanted, be it
// seen or not; nil where there is none.
func Any(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		if wanted(child) {
			return child
		}
		if found := Any(child, wanted); found != nil {
			return found
		}
	}
	return nil
}

// All gives all elements below n, in the page's order, that are as wanted, be they seen
// or not, also those within another.
func All(n *html.Node, wanted func(*html.Node) bool) []*html.Node {
	return appendAll(nil, n, wanted)
}

func appendAll(found []*html.Node, n *html.Node, wanted func(*html.Node) bool) []*html.Node {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		if wanted(child) {
			found = append(found, child)
		}
		found = appendAll(found, child, wanted)
	}
	return found
}

// Closest gives the node itself or the nearest around it that has the attribute; nil
// where there is none.
func Closest(n *html.Node, key string) *html.Node {
	for n != nil && !HasAttr(n, key) {
		n = n.Parent
	}
	return n
}

// Has asks for elements with the attribute.
func Has(key string) func(*html.Node) bool {
	return func(n *html.Node) bool { return HasAttr(n, key) }
}

// SetAttr gives the element the attribute.
func SetAttr(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// RemoveAttr takes the attribute off the element.
func RemoveAttr(n *html.Node, key string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// Remove takes the node off its page.
func Remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// Empty takes everything out of the node.
func Empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// IsLink tells whether the node leads somewhere.
func IsLink(n *html.Node) bool { return n.DataAtom == atom.A && HasAttr(n, "href") }

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

// isInlineCode tells whether the element is code, or a key or a value, in a line.
func isInlineCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Code, atom.Var, atom.Samp, atom.Kbd, atom.Tt:
		return true
	default:
		return false
	}
}

// codeText is the text of code; divisions are lines of it.
func codeText(n *html.Node) string {
	if only := n.FirstChild; only != nil && only.NextSibling == nil && only.Type == html.TextNode {
		return only.Data
	}
	var text strings.Builder
	for inner := range n.Descendants() {
		switch {
		case inner.Type == html.TextNode:
			text.WriteString(inner.Data)
		case inner.DataAtom == atom.Br, inner.DataAtom == atom.Div:
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// codeLanguage is the language that an element names in its class.
func codeLanguage(n *html.Node) string {
	for class := range strings.SplitSeq(Attr(n, "class"), " ") {
		if strings.Contains(class, "language-") || strings.Contains(class, "lang-") {
			return strings.Replace(strings.Replace(class, "language-", "", 1), "lang-", "", 1)
		}
	}
	return ""
}

// longestRun is how many ticks stand beside one another at most.
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

// isBlock tells whether the element takes lines of its own.
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
	if only := n.FirstChild; only != nil && only.NextSibling == nil && only.Type == html.TextNode {
		return only.Data
	}
	var text strings.Builder
	writeText(&text, n)
	return text.String()
}

func writeText(text *strings.Builder, n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode:
			text.WriteString(child.Data)
		case child.DataAtom == atom.Br:
			text.WriteByte('\n')
		}
		writeText(text, child)
	}
}

func previousElement(n *html.Node) *html.Node {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return p
		}
	}
	return nil
}

// challengeMarks are what pages that refuse us are made with, whatever their
// language: captcha widgets, challenge scripts, sign-in forms.
var challengeMarks = goquery.Single(`
	form[id*="challenge"], form[action*="challenge"], script[src*="challenge"], [id^="challenge-"],
	[id*="captcha"], [class*="captcha"], iframe[src*="captcha"], script[src*="captcha"], form[action*="captcha"],
	[class*="turnstile"], form[action*="/sorry/"], form[action*="consent"], form[action*="login"], input[type="password"]`)

// IsChallenge tells whether the page wants something of its visitor before it
// goes on. It is meant for pages on which no answer was found; an ordinary page
// may have a sign-in form too.
func IsChallenge(page *goquery.Document) bool { return page.FindMatcher(challengeMarks).Length() > 0 }
