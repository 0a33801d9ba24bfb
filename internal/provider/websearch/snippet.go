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

const (
	// snippetName is the prefix of the names of answers quoted from a page. Lists and tables have none.
	snippetName = "wa:/"
	// clickSnippet is the kind of click on the block of a featured snippet.
	clickSnippet serp.Click = 6924
)

// isSnippetHelp reports whether the address is the engine's help page about featured snippets. Each
// featured snippet ends with a link to that page.
func isSnippetHelp(address string) bool {
	_, page, found := strings.Cut(address, "/websearch")
	return found && (strings.Contains(page, "featured_snippets") || strings.Contains(page, "answer/9351707"))
}

// readSnippetAround reads the featured snippet that has the part. It is the smallest block around the
// part that contains the link to the source.
func (r *reader) readSnippetAround(part *html.Node) bool {
	if r.found.FeaturedSnippet != nil || r.looks > maxLooks {
		return false
	}
	for range 10 {
		r.looks++
		if part = part.Parent; part == nil || landmarks[markup.Attr(part, "id")] {
			return false
		}
		if link, _ := sourceIn(part); link != nil {
			return r.readSnippet(part)
		}
	}
	return false
}

// readSnippet reads an answer above the results that the engine quotes from a page. block contains
// the answer and the link to the page.
func (r *reader) readSnippet(block *html.Node) bool {
	if r.found.FeaturedSnippet != nil {
		return false
	}
	link, title := sourceIn(block)
	if link == nil {
		return false
	}
	to, redirect, ok := r.links.Read(markup.Attr(link, "href"))
	found := earshot.FeaturedSnippet{
		Type: "paragraph", Title: serp.Line(title), Link: to, RedirectLink: redirect, Domain: webtext.Domain(to),
	}
	parts := quotedParts(block, link, title)
	var lines []string
	for _, part := range parts {
		lines = append(lines, serp.Lines(part)...)
		readItems(&found, part)
	}
	found.Text = cutText(strings.Join(lines, " "))
	if !ok || !r.links.Leads(to) || found.Text == "" || found.Title == "" {
		return false
	}
	for _, part := range parts {
		r.claim(part, true)
	}
	at := r.at
	for _, t := range r.titles {
		if t.link == link {
			at = t.at
		}
	}
	r.found.FeaturedSnippet, r.quoted = &found, link
	r.noteAt(earshot.BlockFeaturedSnippet, at, "")
	return true
}

// quotedParts returns the elements with the quoted text: named answers, headings, lists and tables
// before the link to the source, or answers after it.
func quotedParts(block, link, title *html.Node) []*html.Node {
	passed := false
	isNamed := func(n *html.Node) bool { return strings.HasPrefix(markup.Attr(n, "data-attrid"), snippetName) }
	parts := markup.FindAll(block, func(n *html.Node) bool {
		passed = passed || n == link || n == title
		return !passed && (isNamed(n) || isList(n) || markup.IsHeading(n, "3"))
	})
	if parts == nil {
		return markup.FindAll(block, func(n *html.Node) bool { return isNamed(n) || isList(n) })
	}
	return parts
}

func isList(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Ol, atom.Ul, atom.Table:
		return markup.Attr(n, "role") != "menu"
	default:
		return false
	}
}

// readItems reads the items of a list or the rows of a table.
func readItems(found *earshot.FeaturedSnippet, part *html.Node) {
	for _, item := range markup.FindAll(part, func(n *html.Node) bool { return n.DataAtom == atom.Li || n.DataAtom == atom.Tr }) {
		line := serp.Line(item)
		if line == "" || len(found.Items) == maxItems {
			continue
		}
		found.Items = append(found.Items, cutText(line))
		found.Type = "list"
		if item.DataAtom == atom.Tr {
			found.Type = "table"
		}
	}
}
