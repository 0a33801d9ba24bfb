package rawdoc

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tailLength is the size of the part at the end of a page in which its end tag is searched. Saved
// pages can have something after the end tag.
const tailLength = 64 << 10

// IsCut reports whether a page is truncated. A fragment of a page, such as a saved conversation, is
// not: it has no end tag that could be missing.
func IsCut(page []byte) bool {
	page = Trimmed(page)
	head := bytes.ToLower(page[:min(len(page), len("<!doctype"))])
	if !bytes.HasPrefix(head, []byte("<!doctype")) && !bytes.HasPrefix(head, []byte("<html")) {
		return false
	}
	tail, end := page[max(0, len(page)-tailLength):], []byte("</html")
	return !bytes.Contains(tail, end) && !bytes.Contains(bytes.ToLower(tail), end) && !isComplete(page)
}

// isComplete reports whether a page without its last end tag closes the elements that it opens.
//
// HTML allows a page to omit some end tags. The tool SingleFile omits them and writes the end tags
// of all other elements. Its pages are recognised by the comment at their beginning, or by a head
// without the tag </head>; the body of such a page may be open. A truncated page leaves other
// elements open, or ends within a tag.
func isComplete(page []byte) bool {
	open := map[atom.Atom]int{}
	saved, omits, shown, ends := false, false, false, false
	z := html.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		ends = bytes.HasSuffix(z.Raw(), []byte(">")) || kind == html.TextToken && omits
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		case html.CommentToken:
			if len(open) <= 1 && bytes.Contains(z.Raw(), []byte("SingleFile")) { // only <html> before it
				saved, omits = true, true
			}
			continue
		default:
			continue
		}
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		switch {
		case kind != html.EndTagToken:
			open[tag]++
			omits = omits || tag == atom.Meta && open[atom.Body] == 0
		case tag == atom.Head:
			omits = saved
		default:
			open[tag]--
			shown = shown || tag == atom.Div
		}
	}
	if omits {
		delete(open, atom.Body)
	}
	return shown && ends && len(z.Raw()) == 0 && !slices.ContainsFunc(closed, func(tag atom.Atom) bool { return open[tag] > 0 })
}

// closed are elements whose end tag a complete page has, because HTML requires it. The end tag of a
// body is optional, but only some pages omit it.
var closed = []atom.Atom{
	atom.Body, atom.Div, atom.Section, atom.Main, atom.Article, atom.Form, atom.Table, atom.Ul, atom.Ol,
	atom.Script, atom.Style, atom.Title, atom.Textarea,
}
