package chatassistant

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// readPage reads the last answer on a mobile page.
func readPage(document []byte, want answer.Want) (*reading, error) {
	found := &reading{shape: shapePage, answer: &earshot.Answer{}}
	err := answer.ReadHTML(document, func(page *goquery.Document) error {
		var s survey
		s.walk(page.Nodes[0])
		if !s.spoken {
			return noConversation(page, document)
		}
		if isCut(document) {
			return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its end")
		}
		turn, messages := s.lastAnswer()
		if turn == nil {
			return nil
		}
		r := pageReader{want: want, base: s.base(), turn: turn, answer: found.answer}
		return r.read(messages)
	})
	return found, err
}

// noConversation says what a page is on which nobody speaks.
func noConversation(page *goquery.Document, document []byte) error {
	switch {
	case answer.IsChallenge(page):
		return upstream.Fail(earshot.ReasonBlocked, "challenge page")
	case isCut(document):
		return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its conversation")
	default:
		return upstream.Fail(earshot.ReasonUnreadable, "page without a conversation")
	}
}

// isCut tells whether a whole document lacks its end. A part of one, such as a
// saved conversation, has none to lack.
func isCut(document []byte) bool {
	head := bytes.ToLower(document[:min(len(document), 64)])
	if !bytes.HasPrefix(head, []byte("<!doctype")) && !bytes.HasPrefix(head, []byte("<html")) {
		return false
	}
	tail := bytes.ToLower(document[max(0, len(document)-1024):])
	return !bytes.Contains(tail, []byte("</html>"))
}

// survey is what counts on a page before it is clear which part of it is the
// answer. One walk over the page finds all of it.
type survey struct {
	spoken    bool         // somebody says something
	turn      *html.Node   // the assistant's last
	messages  []*html.Node // the assistant's
	address   string       // that links are said to be relative to
	canonical string       // address of the page
}

func (s *survey) walk(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		s.element(child)
		s.walk(child)
	}
}

func (s *survey) element(n *html.Node) {
	switch {
	case n.DataAtom == atom.Base:
		s.address = cmp.Or(s.address, attribute(n, "href"))
	case n.DataAtom == atom.Link && attribute(n, "rel") == "canonical":
		s.canonical = cmp.Or(s.canonical, attribute(n, "href"))
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case turnAttribute:
			s.spoken = true
			if a.Val == assistant {
				s.turn = n
			}
		case authorAttribute:
			s.spoken = true
			if a.Val == assistant {
				s.messages = append(s.messages, n)
			}
		}
	}
}

// base is the address that the page's links are relative to, nil where it does
// not tell.
func (s *survey) base() *url.URL {
	base, err := url.Parse(cmp.Or(s.address, s.canonical))
	if err != nil || !base.IsAbs() {
		return nil
	}
	return base
}

// lastAnswer is the assistant's last turn with the messages in it, or its last
// message on pages that do not mark turns; nil where it has not answered.
func (s *survey) lastAnswer() (turn *html.Node, messages []*html.Node) {
	if s.turn == nil {
		if len(s.messages) == 0 {
			return nil, nil
		}
		messages = s.messages[len(s.messages)-1:]
		return messages[0], messages
	}
	whole := false // the turn is a message too, the last to be read
	for _, message := range s.messages {
		if message == s.turn {
			whole = true
			continue
		}
		for outer := range message.Ancestors() {
			if outer == s.turn {
				messages = append(messages, message)
				break
			}
		}
	}
	if whole {
		messages = append(messages, s.turn)
	}
	return s.turn, messages
}

// pageReader collects the answer of one turn.
type pageReader struct {
	want    answer.Want
	base    *url.URL
	turn    *html.Node
	answer  *earshot.Answer
	sources answer.Sources
	lists   []*html.Node // of pages
}

func (r *pageReader) read(messages []*html.Node) error {
	for _, e := range findElements(r.turn, 256) {
		r.thing(e)
	}
	if last := len(messages) - 1; last >= 0 {
		if model := attribute(messages[last], modelAttribute); model != "" {
			r.answer.Model = &model
		}
	}
	var texts, markdown []string
	for _, message := range messages {
		text, marked, err := r.message(message)
		if err != nil {
			return err
		}
		if text != "" {
			texts, markdown = append(texts, text), append(markdown, marked)
		}
	}
	r.pages()
	r.sources.Fill(r.answer)
	r.answer.Text = strings.Join(texts, "\n\n")
	if r.want.Markdown {
		r.answer.Markdown = strings.Join(markdown, "\n\n")
	}
	return nil
}
