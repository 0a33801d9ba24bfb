package news

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Parse reads a stored news page of the engine without resolving its hidden links. The error is an
// *upstream.Failure.
func Parse(document []byte, engine serp.Engine) (*earshot.NewsSearch, error) {
	found, err := parsePage(document, engine.NewLinks(nil))
	if err != nil {
		return nil, err
	}
	result := &earshot.NewsSearch{}
	add(result, found, 1)
	return result, nil
}

// parsePage returns the articles of a news page in order. A news page without articles is not an
// error. The error is an *upstream.Failure that says what else the document is.
func parsePage(document []byte, links serp.Links) (found []earshot.NewsResult, err error) {
	err = serp.ReadPage(document, func(root *html.Node, _ serp.ScriptParts, _ *serp.Pictures) (bool, error) {
		articles := markup.FindAll(root, isArticle)
		within := map[*html.Node]int{} // the number of articles in each node
		for _, link := range articles {
			for p := link.Parent; p != nil; p = p.Parent {
				within[p]++
			}
		}
		for _, link := range articles {
			whole := link
			for p := link.Parent; p != nil && within[p] == 1 && p.DataAtom != atom.Body && markup.Attr(p, "id") == ""; p = p.Parent {
				whole = p
			}
			if article, ok := readArticle(link, whole, links); ok {
				found = append(found, article)
			}
		}
		return len(found) > 0, nil
	})
	return found, err
}

// isArticle reports whether the element is an article: a link that contains a heading, and in most
// layouts everything else.
func isArticle(n *html.Node) bool { return markup.IsLink(n) && serp.Title(n) != nil }

// readArticle reads an article; whole is the largest element without another article.
func readArticle(link, whole *html.Node, links serp.Links) (earshot.NewsResult, bool) {
	to, redirect, ok := links.Read(markup.Attr(link, "href"))
	heading := serp.Title(link)
	a := earshot.NewsResult{
		Title:        serp.Line(heading),
		Link:         to,
		RedirectLink: redirect,
		Domain:       webtext.Domain(to),
		Thumbnail:    serp.Image(whole),
	}
	if !ok || a.Title == "" || !links.Leads(to) {
		return a, false
	}
	before, after := around(link, heading)
	if len(before) == 0 && len(after) <= 1 {
		readPlain(&a, link, whole, after)
		return a, true
	}
	if len(before) > 0 {
		a.Source = before[0]
	}
	if last := len(after) - 1; last >= 0 && (serp.MayBeDate(after[last]) || last > 0 && serp.IsShort(after[last])) {
		a.Date = after[last]
		after = after[:last]
	}
	a.Snippet = strings.Join(after, " ")
	return a, true
}

// readPlain reads an article of the layout without scripts. The source is below the title in the
// link. The date and the snippet are outside the link, separated by a dot.
func readPlain(a *earshot.NewsResult, link, whole *html.Node, after []string) {
	a.Source = strings.Join(after, " ")
	text := strings.Join(serp.LinesBut(whole, func(n *html.Node) bool { return n == link || markup.Attr(n, "role") == "button" }), " ")
	date, rest, found := strings.Cut(text, " · ")
	switch {
	case found && serp.IsShort(date):
		a.Date, a.Snippet = date, rest
	case serp.IsShort(text):
		a.Date = text
	default:
		a.Snippet = text
	}
}

// around returns the lines before and after the heading of an article.
func around(link, heading *html.Node) (before, after []string) {
	passed := false
	all := serp.LinesBut(link, func(n *html.Node) bool { return n == heading })
	until := serp.LinesBut(link, func(n *html.Node) bool {
		passed = passed || n == heading
		return passed
	})
	return until, all[len(until):]
}
