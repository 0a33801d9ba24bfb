package news

import (
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/search"
)

// Parse reads a stored news page of the engine, without asking where its hidden
// links lead. The error is an *upstream.Failure.
func Parse(document []byte, engine search.Engine) (*earshot.NewsSearch, error) {
	found, err := parsePage(document, engine.NewLinks(nil))
	if err != nil {
		return nil, err
	}
	result := &earshot.NewsSearch{}
	add(result, found, 1)
	return result, nil
}

// parsePage reads the articles of a news page, in their order. A page without
// any is a page too; the error is an *upstream.Failure that says what else the
// document is.
func parsePage(document []byte, links search.Links) ([]earshot.NewsResult, error) {
	var found []earshot.NewsResult
	err := search.ReadPage(document, func(root *html.Node) (bool, error) {
		for _, link := range search.FindAll(root, isArticle) {
			if article, ok := readArticle(link, links); ok {
				found = append(found, article)
			}
		}
		return len(found) > 0, nil
	})
	return found, err
}

// isArticle tells whether the element is an article: a link with everything in
// it, above all a heading.
func isArticle(n *html.Node) bool { return search.IsLink(n) && search.Title(n) != nil }

// readArticle reads an article: the source stands before the title, what it says
// and when it appeared stand after it.
func readArticle(link *html.Node, links search.Links) (earshot.NewsResult, bool) {
	to, redirect, ok := links.Read(search.Attr(link, "href"))
	heading := search.Title(link)
	a := earshot.NewsResult{
		Title:        search.Line(heading),
		Link:         to,
		RedirectLink: redirect,
		Domain:       answer.Domain(to),
		Thumbnail:    search.Image(link),
	}
	if !ok || a.Title == "" || !links.Leads(to) {
		return a, false
	}
	before, after := around(link, heading)
	if len(before) > 0 {
		a.Source = before[0]
	}
	if last := len(after) - 1; last >= 0 && search.MayBeDate(after[last]) {
		a.Date = after[last]
		after = after[:last]
	}
	a.Snippet = strings.Join(after, " ")
	return a, true
}

// around are the lines before and after the heading of an article.
func around(link, heading *html.Node) (before, after []string) {
	passed := false
	all := search.LinesBut(link, func(n *html.Node) bool { return n == heading })
	until := search.LinesBut(link, func(n *html.Node) bool {
		passed = passed || n == heading
		return passed
	})
	return until, all[len(until):]
}
