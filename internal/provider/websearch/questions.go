package websearch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/search"
)

// question is an item of People Also Ask, with where the overview that answers it
// is to be had.
type question struct {
	earshot.Question

	part string // an address, "" for what is not answered so
}

// isQuestion tells whether an element that names a question is an item of the
// list: what opens it shows the question. Other elements name the query so.
func isQuestion(n *html.Node, m marks) bool {
	return m.asked || search.Find(n, func(n *html.Node) bool {
		return search.HasAttr(n, "aria-expanded") && search.Line(n) == answer.Line(m.question)
	}) != nil
}

// readQuestion reads an item and what answers it, as far as the page has it.
func (r *reader) readQuestion(n *html.Node, text string) bool {
	q := question{Question: earshot.Question{Question: answer.Line(text), Type: earshot.QuestionUnknown}}
	if q.Question.Question == "" {
		return false
	}
	isOpener := func(n *html.Node) bool { return search.HasAttr(n, "aria-expanded") }
	if part := search.Find(n, func(n *html.Node) bool { return search.HasAttr(n, "data-async-path") }); part != nil {
		q.part = search.Attr(part, "data-async-path")
	}
	link := search.Find(n, func(n *html.Node) bool { return search.IsLink(n) && search.Title(n) != nil })
	switch {
	case q.part != "" || search.Find(n, func(n *html.Node) bool { return isOverview(marksOf(n)) }) != nil:
		q.Type = earshot.QuestionOverview
	case link != nil:
		to, redirect, ok := r.links.Read(search.Attr(link, "href"))
		if !ok {
			break
		}
		q.Type = earshot.QuestionLink
		q.Link, q.RedirectLink = to, redirect
		q.Title = search.Line(search.Title(link))
		q.Snippet = strings.Join(search.LinesBut(n, func(n *html.Node) bool {
			return n.DataAtom == atom.A || isOpener(n) || search.Attr(n, "role") == "button"
		}), " ")
	}
	r.found.questions = append(r.found.questions, q)
	return true
}
