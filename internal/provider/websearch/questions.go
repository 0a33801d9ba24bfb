package websearch

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// question is an item of People Also Ask, with the address of the overview that answers it.
type question struct {
	earshot.Question

	part string // the address, or "" if no overview can be loaded
}

// isQuestion reports whether an element with a question is an item of the list: the control that
// opens it shows the question. Other elements have the query in the same attribute.
func isQuestion(n *html.Node, m marks) bool {
	return markup.Find(n, func(n *html.Node) bool {
		return isOpener(n) && serp.Line(n) == webtext.Line(m.question)
	}) != nil
}

// isOpener reports whether a click on the element unfolds an answer.
func isOpener(n *html.Node) bool { return markup.HasAttr(n, "aria-expanded") }

// readQuestion reads an item and the answer that the page has. If text is empty, the question is
// the text of the control that opens the item.
func (r *reader) readQuestion(n *html.Node, text string) bool {
	if text == "" {
		text = serp.Line(markup.Find(n, isOpener))
	}
	r.stored.Fill(n)
	return r.addQuestion(n, text)
}

// readFolded reads an item of the layout without scripts. The control that opens it shows the
// question, and the elements after it are the answer. They are removed from the page, so that the
// link in the answer is not read as a result.
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
	if part := markup.Find(n, markup.Has("data-async-path")); part != nil {
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
	default: // an answer of the engine itself
		q.Snippet = cutText(ownAnswer(n, q.Question.Question))
	}
	r.found.questions = append(r.found.questions, q)
	r.note(earshot.BlockQuestions)
	return true
}

// sourceIn returns the link to the source of an answer and its title. The title is in the link, or
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

// answerBefore returns the text that answers a question. It precedes the link to its source; a date
// at its end is left out.
func answerBefore(n, link *html.Node) string {
	passed := false
	return strings.Join(serp.LinesBut(n, func(n *html.Node) bool {
		passed = passed || n == link
		return passed || n.DataAtom == atom.A || n.DataAtom == atom.Cite || isOpener(n) || markup.Attr(n, "role") == "button" || isClosingDate(n)
	}), " ")
}

// ownAnswer returns the text of the engine's own answer to a question, even if it is a link. A link
// that searches for the question is left out.
func ownAnswer(n *html.Node, question string) string {
	asksAgain := func(n *html.Node) bool { return n.DataAtom == atom.A && strings.EqualFold(serp.Line(n), question) }
	return strings.Join(serp.LinesBut(n, func(n *html.Node) bool {
		return isOpener(n) || markup.Attr(n, "role") == "button" || asksAgain(n) ||
			slices.ContainsFunc(slices.Collect(n.ChildNodes()), asksAgain)
	}), " ")
}

// isClosingDate reports whether the element is a date at the end of a text.
func isClosingDate(n *html.Node) bool {
	if n.DataAtom != atom.Span || n.NextSibling != nil || n.PrevSibling == nil {
		return false
	}
	text := serp.Line(n)
	return len(text) > len("2006") && serp.MayBeDate(text) && inYear.MatchString(text)
}
