package websearch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/search"
)

// want is what a reader needs to know besides the page.
type want struct {
	country  string // where it was asked from, which tells currencies apart
	overview bool   // whether the AI overview is wanted
	markdown bool   // and as Markdown too
}

// page is everything on one result page. Positions are left to merge.
type page struct {
	organic     []earshot.OrganicResult
	questions   []question
	related     []earshot.RelatedSearch
	ads         []earshot.Ad
	overview    *earshot.Answer
	places      []earshot.Place
	cards       []earshot.ShoppingCard
	videos      []earshot.Video
	discussions []earshot.Discussion
	knowledge   *earshot.KnowledgeGraph
}

// Parse reads everything on a stored result page of the engine, without asking
// where its hidden links lead. country is where it was asked from, which tells
// currencies apart. The error is an *upstream.Failure.
func Parse(document []byte, engine search.Engine, country string) (*earshot.WebSearch, error) {
	found, err := parsePage(document, engine.NewLinks(nil), want{country: country, overview: true, markdown: true})
	if err != nil {
		return nil, err
	}
	result, questions := merge([]*page{found})
	showQuestions(result, questions)
	return result, nil
}

// parsePage reads a result page. A page on which nothing was found is a page
// too; the error is an *upstream.Failure that says what else the document is.
func parsePage(document []byte, links search.Links, want want) (*page, error) {
	r := &reader{links: links, want: want, found: &page{}}
	err := search.ReadPage(document, func(root *html.Node) (bool, error) {
		r.walk(root, area{ads: blockMiddle})
		r.results()
		return len(r.found.organic) > 0, r.err
	})
	if err != nil {
		return nil, err
	}
	return r.found, nil
}

// reader walks over a page once and hands each block to the room that reads it.
type reader struct {
	links search.Links
	want  want
	found *page
	err   error // the first that a room met

	looks   int          // how often an element was searched to see what it is
	section string       // the heading of the section that the walk is in
	subject string       // what the page as a whole is about, where it tells
	titles  []title      // links that have a title
	blocks  []*html.Node // everything that was read; no result reaches over one
}

// Limits on what is read of one page, far above what real ones have: they keep a
// crafted page from being searched over and over.
const (
	maxTitles = 500
	maxBlocks = 1000
	maxLooks  = 300
)

// area is the part of the page that the walk is in.
type area struct {
	ads     string // the block that ads here belong to
	related bool   // below the results: links to searches are proposals
	side    bool   // beside the results
}

// marks are the attributes by which blocks are known.
type marks struct {
	id, role, level                      string
	attrid, subtree, cid, video, product string
	question, language, height           string
	textAd, shoppingAd, asked            bool
}

func marksOf(n *html.Node) marks {
	var m marks
	for _, a := range n.Attr {
		switch a.Key {
		case "id":
			m.id = a.Val
		case "role":
			m.role = a.Val
		case "aria-level":
			m.level = a.Val
		case "data-attrid":
			m.attrid = a.Val
		case "data-subtree":
			m.subtree = a.Val
		case "data-cid":
			m.cid = a.Val
		case "data-surl", "data-curl":
			m.video = a.Val
		case "data-product-id", "data-pv":
			m.product = a.Val
		case "data-rl":
			m.language = a.Val
		case "data-lht":
			m.height = a.Val
		case "data-q":
			m.question = a.Val
		case "data-text-ad":
			m.textAd = true
		case "data-pla-slot-pos", "data-merchant-id":
			m.shoppingAd = true
		case "class":
			m.asked = strings.Contains(a.Val, "related-question-pair")
		}
	}
	return m
}

// walk visits what is in n.
func (r *reader) walk(n *html.Node, at area) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode && !search.Unseen(child) {
			r.element(child, at)
		}
	}
}

// element is the one place that says which block is read where.
func (r *reader) element(n *html.Node, at area) {
	m := marksOf(n)
	beside := at.side
	at = at.within(m)
	switch {
	case isNavigation(n, m):
	case isOverview(m):
		r.readOverview(n)
		r.claim(n, true)
	case m.textAd:
		r.claim(n, r.readTextAd(n, at.ads))
	case m.shoppingAd && n.DataAtom == atom.A:
		r.claim(n, r.readShoppingAd(n, at.ads))
	case m.question != "" && r.looksLike(n, m, isQuestion):
		r.claim(n, r.readQuestion(n, m.question))
	case m.cid != "" && r.looksLike(n, m, isPlace):
		r.claim(n, r.readPlace(n))
	case m.video != "" && r.looksLike(n, m, isVideo):
		r.claim(n, r.readVideo(n, m.video))
	case isProduct(n, m):
		r.claim(n, r.readProduct(n))
	case at.side && !beside:
		r.readKnowledge(n)
		r.walk(n, at)
	case n.DataAtom == atom.A:
		r.link(n, at)
	default:
		r.heading(n, m)
		r.walk(n, at)
	}
}

// within is the area below an element.
func (at area) within(m marks) area {
	if m.role == "complementary" {
		at.side = true
	}
	switch m.id {
	case "tads", "tvcap", "taw":
		at.ads = blockTop
	case "tadsb", "bottomads":
		at.ads = blockBottom
	case "rhs", "rhsads":
		at.ads, at.side = blockSide, true
	case "botstuff", "bres":
		at.related = true
	}
	return at
}

// looksLike asks a room whether the element is its block, which takes a search
// through it.
func (r *reader) looksLike(n *html.Node, m marks, room func(*html.Node, marks) bool) bool {
	r.looks++
	return r.looks <= maxLooks && room(n, m)
}

// claim notes that the node is a block, so that no result reaches over it.
func (r *reader) claim(n *html.Node, read bool) {
	if read && len(r.blocks) < maxBlocks {
		r.blocks = append(r.blocks, n)
	}
}

// heading notes what the walk comes to.
func (r *reader) heading(n *html.Node, m marks) {
	if m.role != "heading" || m.level != "2" {
		return
	}
	r.section = search.Line(n)
	if m.attrid == "title" {
		r.subject = r.section
	}
}

// link sorts a link into results and proposals.
func (r *reader) link(n *html.Node, at area) {
	if !search.IsLink(n) || at.side {
		r.walk(n, at)
		return
	}
	if heading := search.Title(n); heading != nil {
		if len(r.titles) < maxTitles {
			r.titles = append(r.titles, title{link: n, heading: heading, section: r.section})
		}
		return
	}
	if at.related && r.readRelated(n) {
		return
	}
	r.walk(n, at)
}

// isNavigation tells whether the element leads around on the engine's own site.
func isNavigation(n *html.Node, m marks) bool {
	switch n.DataAtom {
	case atom.Header, atom.Footer, atom.Form, atom.Nav:
		return true
	default:
		return m.role == "navigation" || m.role == "search"
	}
}
