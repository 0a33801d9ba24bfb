// Package chatpage reads the pages of assistants: a layout says where things stand
// on them, and one walk over the page collects the answer.
//
//	page.go      the layout, and what else a page can be
//	marks.go     what an element is, by the layout
//	turn.go      the walk over a reply
//	sources.go   its citations
//	cards.go     things that it shows on cards
//	labcards.go  the cards that only the lab shows
package chatpage

import (
	"bytes"
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

// Layout says where things stand on the pages of an assistant. Each place is a
// list of marks, separated by spaces: "name" for elements of that name, ".class",
// "[attribute=value]", "[attribute]" or, for values that mean nothing else,
// "[attribute$=ending]". Marks are single, not paths, so that a
// page is read in one walk and a release that moves things around changes
// nothing. What a page does not have is left empty.
type Layout struct {
	User    string // what somebody asked; with or without an answer it makes a page a conversation
	Asked   string // the same, where it stands apart from replies: then all turns after the last are the reply
	Turn    string // all that is shown in reply; the last on the page counts
	Message string // text in a turn; several are one answer
	Body    string // the part of a message that is the text, where it is not all of it
	Aside   string // how the answer came about; of all that it says, only the queries are read
	Widget  string // stands in a message without being text; cards and chips in it are read
	Ignored string // what stands in a message without being said: bars, labels for screen readers

	Chip       string // a citation; its sources are its links, and the notes since the last chip
	Note       string // a number in the text that the next chip stands for
	NoteNumber string // the attribute of a note or chip that holds the number of a source on the list
	Sources    string // the list of sources; notes and chips may point at its items by number or id

	Model      string // has the model's name as its text; may stand anywhere on the page
	ModelName  string // the attribute of a message that holds the model's name
	Queries    string // a list of search queries, or one of them
	MapQueries string // the same for a map
	Related    string // the same for what could be asked next
	Image      string // has a picture in it that belongs to the answer

	Formula string   // the attribute that holds a formula as it was written
	Field   string   // the attribute that names cards and what is in them, see cards.go
	Own     []string // the names by which the assistant marks links that it gives, see Destination
}

// Page reads the pages of one assistant. It is safe for concurrent use.
type Page struct {
	layout Layout
	marks  partMarks
}

// New makes a reader. It panics when the layout has a mark that is not valid,
// since layouts are constants of a program.
func New(layout Layout) *Page { return &Page{layout: layout, marks: compileMarks(layout)} }

// Read reads the last answer on a page, and its Markdown only when that is
// wanted. The error is an *upstream.Failure.
func (p *Page) Read(document []byte, want answer.Want) (*earshot.Answer, error) {
	return p.ReadPrepared(document, want, func(*goquery.Document) {})
}

// ReadPrepared reads as Read does, once prepare has changed the page into one
// that the layout fits: not every interface marks what it shows.
func (p *Page) ReadPrepared(document []byte, want answer.Want, prepare func(*goquery.Document)) (*earshot.Answer, error) {
	document = rawdoc.Trimmed(document)
	found := &earshot.Answer{}
	err := rawdoc.ReadHTML(document, func(page *goquery.Document) error {
		prepare(page)
		s := survey{marks: &p.marks}
		s.walk(page.Nodes[0], false)
		switch {
		case !s.hasConversation && markup.IsChallenge(page):
			return upstream.Fail(earshot.ReasonBlocked, "challenge page")
		case isCut(document):
			return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its end")
		case !s.hasConversation:
			return upstream.Fail(earshot.ReasonUnreadable, "page without a conversation")
		case len(s.turns) == 0:
			return upstream.Fail(earshot.ReasonEmpty, "nobody answered")
		}
		if s.model != "" {
			found.Model = &s.model
		}
		r := turnReader{page: p, want: want, base: s.base, site: s.site, answer: found}
		return r.read(s.turns...)
	})
	if err != nil {
		return nil, err
	}
	if found.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	}
	return found, nil
}

// tailLength is where the end of a page is looked for: saved pages may have
// something behind it.
const tailLength = 64 << 10

// isCut tells whether a whole document lacks its end. A part of one, such as a
// saved conversation, has none to lack; a tool that saves pages leaves out the
// tags that HTML can do without, and says that it was there.
func isCut(document []byte) bool {
	head := bytes.ToLower(document[:min(len(document), 512)])
	if !bytes.HasPrefix(head, []byte("<!doctype")) && !bytes.HasPrefix(head, []byte("<html")) || bytes.Contains(head, []byte("saved with singlefile")) {
		return false
	}
	tail, end := document[max(0, len(document)-tailLength):], []byte("</html>")
	return bytes.LastIndex(tail, end) < 0 && !bytes.Contains(bytes.ToLower(tail), end) && !rawdoc.Closes(document)
}

// survey finds what counts on a page for any of its turns.
type survey struct {
	marks           *partMarks
	hasConversation bool         // there is a question or a reply
	asked           bool         // what is asked is marked, so turns after it belong together
	turns           []*html.Node // those that count
	model           string
	base            *url.URL // what the page's links are relative to, nil where it does not tell
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

// ReadTurn reads an answer that is a part of a larger page, and its Markdown only
// when that is wanted. It changes the part, and gives nil for an answer
// without text. The error is an *upstream.Failure.
func (p *Page) ReadTurn(turn *html.Node, want answer.Want) (*earshot.Answer, error) {
	found := &earshot.Answer{}
	s := survey{marks: &p.marks}
	s.walk(turn, true)
	if s.model != "" {
		found.Model = &s.model
	}
	r := turnReader{page: p, want: want, base: s.base, site: s.site, answer: found}
	if err := r.read(turn); err != nil {
		return nil, err
	}
	if found.Text == "" {
		return nil, nil //nolint:nilnil // see above
	}
	return found, nil
}
