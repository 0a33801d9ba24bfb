// Package chatpage reads the pages of assistants. A layout describes where the parts of an answer
// are on a page. One walk over the page collects the answer.
//
//	page.go      the layout, and recognising pages without an answer
//	marks.go     finding the parts of an element by the layout
//	turn.go      the walk over a reply
//	sources.go   citations
//	sponsored.go ads
//	cards.go     cards
//	labcards.go  cards that only the lab shows
package chatpage

import (
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// Layout describes the pages of an assistant. Each part is a list of marks, separated by spaces. A
// mark is an element name, ".class", "[attribute=value]", "[attribute]", or "[attribute$=ending]"
// for values that match no other mark. A mark matches a single element and not a path, so one walk
// reads the page, and the layout still fits when a release moves elements. Parts that a page does
// not have are left empty.
type Layout struct {
	User    string // a question; a page with a question or a reply is a conversation
	Asked   string // a question that is outside of replies: all turns after the last such question are the reply
	Turn    string // a reply; the last one on the page counts
	Message string // text in a turn; several messages are one answer
	Body    string // the text of a message, if the message contains more than its text
	Aside   string // how the assistant found the answer; only the queries in it are read
	Widget  string // an element in a message that is not text; its cards and chips are read
	Ignored string // an element in a message to skip, such as a toolbar or a label for screen readers

	Chip       string // a citation; its sources are its links and the notes since the last chip
	Note       string // a number in the text that belongs to the next chip
	NoteNumber string // the attribute of a note or chip with a source's number on the list
	Sources    string // the list of sources; notes and chips refer to its items by number or id

	Model      string // contains the model's name; may be anywhere on the page
	ModelName  string // the attribute of a message with the model's name
	Queries    string // a list of search queries, or a single query
	MapQueries string // the same for map searches
	Related    string // the same for related questions
	Image      string // contains an image that belongs to the answer

	Formula string   // the attribute with the source of a formula
	Field   string   // the attribute that names cards and their parts, see cards.go
	Own     []string // utm_source values that the assistant adds to its links
}

// Page reads the pages of one assistant. It is safe for concurrent use.
type Page struct {
	layout Layout
	marks  partMarks
}

// New returns a reader for the layout. It panics if the layout has an invalid mark, because layouts
// are constants.
func New(layout Layout) *Page { return &Page{layout: layout, marks: compileMarks(layout)} }

// Read reads the last answer on a page, with its Markdown if want asks for it. The error is an
// *upstream.Failure.
func (p *Page) Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	return p.ReadPrepared(document, want, func(*goquery.Document) {})
}

// ReadPrepared does the same as Read after prepare has changed the page to fit the layout. It is
// for sites that do not mark everything they show.
func (p *Page) ReadPrepared(document []byte, want answer.Options, prepare func(*goquery.Document)) (*earshot.Answer, error) {
	document = rawdoc.Trimmed(document)
	found := &earshot.Answer{}
	err := rawdoc.ReadHTML(document, func(page *goquery.Document) error {
		prepare(page)
		s := survey{marks: &p.marks}
		s.walk(page.Nodes[0], false)
		switch {
		case !s.hasConversation && markup.IsChallenge(page):
			return upstream.Fail(earshot.ReasonBlocked, "the page is a challenge")
		case rawdoc.IsCut(document):
			return upstream.Fail(earshot.ReasonUnavailable, "the page is cut off")
		case !s.hasConversation:
			return upstream.Fail(earshot.ReasonUnreadable, "the page has no conversation")
		case len(s.turns) == 0:
			return upstream.Fail(earshot.ReasonEmpty, "the page has no reply")
		}
		found.Model = answer.ModelName(s.model)
		r := turnReader{page: p, want: want, base: s.base, site: s.site, answer: found}
		return r.read(s.turns...)
	})
	return answer.NotEmpty(found, err)
}

// survey collects what is needed of a page before a turn is read.
type survey struct {
	marks           *partMarks
	hasConversation bool         // there is a question or a reply
	asked           bool         // questions are marked, so all turns after the last one are one reply
	turns           []*html.Node // the turns of the reply
	model           string
	base            *url.URL // base URL of the page's links, nil if unknown
	site            string   // the domain of base
}

func (s *survey) walk(n *html.Node, inTurn bool) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		is := s.marks.of(child)
		s.hasConversation = s.hasConversation || is&(partUser|partAsked|partTurn) != 0
		turn := is&partTurn != 0
		switch {
		case is&partAsked != 0 && !inTurn:
			s.asked, s.turns = true, nil
		case turn && !inTurn && s.asked:
			s.turns = append(s.turns, child)
		case turn && !inTurn:
			s.turns = []*html.Node{child}
		case is&partModel != 0:
			if name := webtext.Line(markup.Text(child)); name != "" {
				s.model = name
			}
		case child.DataAtom == atom.Base:
			s.setBase(markup.Attr(child, "href"))
		case child.DataAtom == atom.Link && s.base == nil && markup.Attr(child, "rel") == "canonical":
			s.setBase(markup.Attr(child, "href"))
		}
		s.walk(child, inTurn || turn)
	}
}

func (s *survey) setBase(address string) {
	if base, err := url.Parse(strings.TrimSpace(address)); err == nil && base.IsAbs() {
		s.base, s.site = base, webtext.Domain(base.String())
	}
}

// ReadTurn reads an answer that is part of a larger page, with its Markdown if want asks for it. It
// modifies the nodes of the turn, and returns nil for an answer without text. The error is an
// *upstream.Failure.
func (p *Page) ReadTurn(turn *html.Node, want answer.Options) (*earshot.Answer, error) {
	found := &earshot.Answer{}
	s := survey{marks: &p.marks}
	s.walk(turn, true)
	found.Model = answer.ModelName(s.model)
	r := turnReader{page: p, want: want, base: s.base, site: s.site, answer: found}
	if err := r.read(turn); err != nil {
		return nil, err
	}
	if found.Text == "" {
		return nil, nil
	}
	return found, nil
}
