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

// question is an item of People Also Ask, with where the overview that answers it
// is to be had.
type question struct {
	earshot.Question

	part string // an address, "" for what is not answered so
}

// isQuestion tells whether an element that names a question is an item of the
// list: what opens it shows the question. Other elements name the query so.
func isQuestion(n *html.Node, m marks) bool {
	return markup.Find(n, func(n *html.Node) bool {
		return isOpener(n) && serp.Line(n) == webtext.Line(m.question)
	}) != nil
}

// isOpener tells whether a click on the element unfolds what answers a question.
func isOpener(n *html.Node) bool { return markup.HasAttr(n, "aria-expanded") }

// readQuestion reads an item and what answers it, as far as the page has it. Where
// the item does not name its question, what opens it shows it.
func (r *reader) readQuestion(n *html.Node, text string) bool {
	if text == "" {
		text = serp.Line(markup.Find(n, isOpener))
	}
	r.stored.Fill(n)
	return r.addQuestion(n, text)
}

// readFolded reads an item of the layout without scripts: what opens it shows the
// question, what answers it stands behind and is taken off the page, so that its
// link is not read as a result.
func (r *reader) readFolded(opener *html.Node) bool {
	item := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	if opener.Parent != nil {
		for behind := opener.Parent.NextSibling; behind != nil; behind = opener.Parent.NextSibling {
			behind.Parent.RemoveChild(behind)
			item.AppendChild(behind)
		}
	}
	r.stored.Fill(item)
	return r.addQuestion(item, serp.Line(opener))
}

func (r *reader) addQuestion(n *html.Node, text string) bool {
	q := question{Question: earshot.Question{Question: webtext.Line(text), Type: earshot.QuestionUnknown}}
	if q.Question.Question == "" {
		return false
	}
	if part := markup.Find(n, func(n *html.Node) bool { return markup.HasAttr(n, "data-async-path") }); part != nil {
		q.part = markup.Attr(part, "data-async-path")
	}
	link, heading := sourceIn(n)
	switch {
	case q.part != "" || markup.Find(n, isOverview) != nil:
		q.Type = earshot.QuestionOverview
	case link != nil:
		to, redirect, ok := r.links.Read(markup.Attr(link, "href"))
		if !ok {
			break
		}
		q.Type = earshot.QuestionLink
		q.Link, q.RedirectLink = to, redirect
		q.Title = serp.Line(heading)
		q.Snippet = answerBefore(n, link)
	default: // the engine answers itself
		q.Snippet = cutText(ownAnswer(n, q.Question.Question))
	}
	r.found.questions = append(r.found.questions, q)
	r.note(earshot.BlockQuestions)
	return true
}

// sourceIn is the link to where an answer was found, and its title: in the link, or
// around it (mobile, 2023).
func sourceIn(n *html.Node) (link, heading *html.Node) {
	link = markup.Find(n, func(n *html.Node) bool {
		if !markup.IsLink(n) {
			return false
		}
		heading = titleIn(n, serp.ClickOf(n))
		return heading != nil
	})
	if link != nil {
		return link, heading
	}
	heading = markup.Find(n, func(n *html.Node) bool {
		return n.DataAtom == atom.H3 && markup.Find(n, markup.IsLink) != nil
	})
	if heading == nil {
		return nil, nil
	}
	return markup.Find(heading, markup.IsLink), heading
}

// answerBefore is the text that answers a question: it stands before the link to
// where it was found, and may end with the date of that.
func answerBefore(n, link *html.Node) string {
	passed := false
	return strings.Join(serp.LinesBut(n, func(n *html.Node) bool {
		passed = passed || n == link
		return passed || n.DataAtom == atom.A || n.DataAtom == atom.Cite || isOpener(n) || markup.Attr(n, "role") == "button" || isClosingDate(n)
	}), " ")
}

// ownAnswer is the text by which the engine itself answers a question, be it a
// link to more about it. Below it stands a link to a search for the question.
func ownAnswer(n *html.Node, question string) string {
	asksAgain := func(n *html.Node) bool { return n.DataAtom == atom.A && strings.EqualFold(serp.Line(n), question) }
	return strings.Join(serp.LinesBut(n, func(n *html.Node) bool {
		if isOpener(n) || markup.Attr(n, "role") == "button" || asksAgain(n) {
			return true
		}
		for child := range n.ChildNodes() {
			if asksAgain(child) {
				return true
			}
		}
		return false
	}), " ")
}

// isClosingDate tells whether the element is a date at the end of a text.
func isClosingDate(n *html.Node) bool {
	if n.DataAtom != atom.Span || n.NextSibling != nil || n.PrevSibling == nil {
		return false
	}
	text := serp.Line(n)
	return len(text) > len("2006") && serp.MayBeDate(text) && inYear.MatchString(text)
}
