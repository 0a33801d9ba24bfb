package chatpage

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// turnReader collects the answer of one reply. It modifies the page.
type turnReader struct {
	page   *Page
	want   answer.Options
	base   *url.URL
	site   string // the domain of base
	answer *earshot.Answer

	messages []message
	mentions []mention    // chips and links, in the order of the text
	notes    []*html.Node // notes that belong to no chip yet
	lists    []*html.Node // lists of sources
	removed  []*html.Node // elements that are not part of the text
	sources  answer.Sources
	labels   int // labels of ads so far
}

// message is text of the turn.
type message struct {
	node   *html.Node
	body   *html.Node // nil if the whole message is text
	length int        // see isNotice; 0 if unknown
}

func (r *turnReader) read(turns ...*html.Node) error {
	for _, turn := range turns {
		r.takeSponsored(turn)
		if r.page.marks.of(turn)&partMessage != 0 {
			r.message(turn, 0)
		} else {
			r.walk(turn, 0)
		}
	}
	r.gatherNotes()
	r.cite()
	for _, n := range r.removed {
		markup.Remove(n)
	}
	answer.NumberProducts(r.answer)
	return r.write()
}

// walk reads the children of an element. within is the set of parts that n is or is inside.
func (r *turnReader) walk(n *html.Node, within part) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			r.element(child, r.page.marks.of(child), within)
		}
	}
}

// element reads an element and its children, unless they have been read already.
func (r *turnReader) element(n *html.Node, is, within part) {
	switch {
	case is&partIgnored != 0:
		r.removed = append(r.removed, n)
	case is&(partQueries|partMapQueries|partRelated) != 0:
		r.suggestions(n, is)
	case within&partAside != 0:
		r.walk(n, within)
	case is&partAside != 0:
		r.removed = append(r.removed, n)
		r.walk(n, within|partAside)
	case is&partSources != 0:
		r.lists = append(r.lists, n)
		r.removed = append(r.removed, n)
	case is&partChip != 0:
		r.mentions = append(r.mentions, mention{node: n, chip: true, notes: r.notes})
		r.notes = nil
	case is&partNote != 0:
		r.notes = append(r.notes, n)
	case r.card(n, is):
	case is&partMessage != 0 && within&partMessage == 0:
		r.message(n, within)
	case is&partWidget != 0, is&partNotice != 0 && within&partMessage != 0 && r.isNotice(n):
		r.removed = append(r.removed, n)
		r.walk(n, within&^partMessage)
	case is&partFormula != 0:
		markup.ReplaceChildren(n, nil, markup.Attr(n, r.page.layout.Formula))
	default:
		if is&partBody != 0 && within&partMessage != 0 && within&partBody == 0 {
			r.body(n)
			within |= partBody
		}
		if n.DataAtom == atom.A && within&partMessage != 0 {
			r.mentions = append(r.mentions, mention{node: n})
		}
		r.walk(n, within)
	}
}

func (r *turnReader) message(n *html.Node, within part) {
	r.messages = append(r.messages, message{node: n})
	r.answer.Model = cmp.Or(answer.ModelName(webtext.Line(markup.Attr(n, r.page.layout.ModelName))), r.answer.Model)
	r.walk(n, within|partMessage)
	r.gatherNotes()
}

// isNotice reports whether an element that is marked like a notice is one. Sites also mark the text
// of an answer like this while it grows, so the message must have other text.
func (r *turnReader) isNotice(n *html.Node) bool {
	message := &r.messages[len(r.messages)-1]
	if message.length == 0 {
		message.length = textLength(message.node)
	}
	return textLength(n) < message.length
}

func textLength(n *html.Node) int { return len(webtext.Line(markup.Text(n))) }

// body sets the text of the current message, which may consist of several elements.
func (r *turnReader) body(n *html.Node) {
	if last := &r.messages[len(r.messages)-1]; last.body == nil {
		last.body = n
		return
	}
	r.messages = append(r.messages, message{node: n, body: n})
}

// suggestions adds a list of queries, or a single query.
func (r *turnReader) suggestions(n *html.Node, is part) {
	r.removed = append(r.removed, n)
	to := &r.answer.RelatedQueries
	switch {
	case is&partQueries != 0:
		to = &r.answer.SearchQueries
	case is&partMapQueries != 0:
		to = &r.answer.MapSearchQueries
	}
	list := false
	for item := range n.Descendants() {
		if item.DataAtom == atom.Li {
			list = true
			appendLine(to, item)
		}
	}
	if !list {
		appendLine(to, n)
	}
}

func appendLine(to *earshot.List[string], n *html.Node) {
	if text := webtext.Line(markup.Text(n)); text != "" {
		*to = append(*to, text)
	}
}

// write writes the text and the Markdown of the messages.
func (r *turnReader) write() error {
	bodies := make([]*html.Node, len(r.messages))
	for i, m := range r.messages {
		bodies[i] = m.node
		if m.body != nil {
			bodies[i] = m.body
		}
		if err := markup.CheckSize(bodies[i]); err != nil {
			return err
		}
	}
	r.answer.Text = join(bodies, markup.PlainText)
	if !r.want.Markdown {
		return nil
	}
	r.showChips()
	r.answer.Markdown = join(bodies, markup.Markdown)
	return nil
}

// join joins the texts of the bodies that are not empty.
func join(bodies []*html.Node, write func(*html.Node) string) string {
	var texts []string
	for _, body := range bodies {
		if text := write(body); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}
