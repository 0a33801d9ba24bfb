package websearch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// want says what to read from a page.
type want struct {
	country  string // the country of the search, which decides the currency of ambiguous signs
	overview bool   // whether to read the AI overview
	markdown bool   // whether to return the overview as Markdown too
}

// page is the content of one result page. merge sets the positions and PeopleAlsoAsk.
type page struct {
	earshot.WebSearch

	questions []question
	unread    []string // headings of blocks that were not understood; "" for a block without heading
}

// any reports whether the page has any content. A page can have an answer or videos but no results.
func (p *page) any() bool {
	return len(p.OrganicResults)+len(p.questions)+len(p.RelatedSearches)+len(p.Ads)+len(p.Places)+len(p.ShoppingCards)+len(p.Videos)+len(p.Discussions)+
		len(p.TopStories)+len(p.Posts)+len(p.Jobs) > 0 || p.SearchOverview != nil || p.KnowledgeGraph != nil || p.FeaturedSnippet != nil || p.AnswerBox != nil
}

// Parse reads a stored result page of the engine without resolving its hidden links. country is the
// country of the search, which decides the currency of ambiguous signs. The error is an
// *upstream.Failure.
func Parse(document []byte, engine serp.Engine, country string) (*earshot.WebSearch, error) {
	found, err := parsePage(document, engine.NewLinks(nil), want{country: country, overview: true, markdown: true})
	if err != nil {
		return nil, err
	}
	result, questions := merge([]*page{found})
	showQuestions(result, questions)
	return result, nil
}

// parsePage reads a result page. A result page without any content is not an error. The error is an
// *upstream.Failure that says what else the document is.
func parsePage(document []byte, links serp.Links, want want) (*page, error) {
	r := &reader{links: links, want: want, found: &page{}, offers: map[string]*offered{}, pins: map[string]pin{}}
	err := serp.ReadPage(document, func(root *html.Node, stored serp.ScriptParts, pictures *serp.Pictures) (bool, error) {
		r.stored, r.pictures = stored, pictures
		r.names = namesIn(root)
		r.walk(root, area{ads: blockMiddle})
		r.readWhole(root)
		r.results()
		r.sortCards()
		r.carousels()
		r.related()
		r.place()
		r.unread()
		r.found.Videos, r.found.Posts, r.found.Carousels = inOrder(r.videos), inOrder(r.posts), inOrder(r.rows)
		r.found.Layout = r.layout()
		return r.found.any(), nil
	})
	if err != nil {
		return nil, err
	}
	return r.found, nil
}

// reader walks over a page once and reads each block that it recognises.
type reader struct {
	links    serp.Links
	want     want
	stored   serp.ScriptParts
	pictures *serp.Pictures
	found    *page

	at      int                   // the index of the current element in document order
	beside  bool                  // whether the current element is next to the results
	looks   int                   // how many elements were searched to recognise them
	section string                // the heading of the current section
	names   map[string]*html.Node // the first element for each name of a part of a panel
	titles  []title               // links with a title
	within  []title               // titles that contain a link, mostly sitelinks
	blocks  []*html.Node          // everything that was read; a result contains none of these

	read      map[*html.Node]int // the number of blocks and titles in each node
	entries   []entry            // everything that was read, with its position
	parts     []part             // parts of the list of results
	cards     []card             // titles that are not results
	videos    []placed[earshot.Video]
	posts     []placed[earshot.SearchPost]
	rows      []placed[earshot.Carousel]
	things    []thing           // items of carousels of entities
	lists     int               // the number of headings so far
	listTitle string            // the last of these headings
	author    string            // the author of the posts that follow
	quoted    *html.Node        // the link of the featured snippet
	word      earshot.AnswerBox // the definition of a word
	jobLink   part              // the first link to jobs that is not a job posting
	digest    int               // the number of the carousel of the panel's featured results, or 0
	offers    map[string]*offered
	carded    int                          // the number of titles when the last product was read
	pins      map[string]pin               // hotels on the map
	panelAt   int                          // the position of the panel's title
	topFacts  []earshot.KnowledgeAttribute // facts above the results

	coded     bool                            // whether the page has kinds of clicks
	list      *html.Node                      // the element with all results, if the page has one
	marked    []placed[earshot.RelatedSearch] // searches with the click of a related search
	proposals []placed[earshot.RelatedSearch] // other searches below the results
	echoes    []placed[earshot.RelatedSearch] // searches anywhere whose text is their query
}

// listID is the id of the element with all results.
const listID = "rso"

// columnAt is added to the positions of elements in the column next to the results.
const columnAt = 1 << 30

// clickFeedback is the kind of click on the dialog in which visitors report errors of the page.
const clickFeedback serp.Click = 99478

// Limits for one page, far above the numbers of real pages. They bound the time that a crafted page
// takes.
const (
	maxTitles = 500
	maxBlocks = 1000
	maxLooks  = 300
)

// area is the part of the page in which the current element is.
type area struct {
	ads     string // the block of ads in this area
	related bool   // below the results: links to searches are related searches
	side    bool   // not among the results
	column  bool   // in the column next to the results
	main    bool   // in the column of the results, or above it
	sealed  bool   // in a block of questions or an overview: links with a title are sources
}

// marks are the attributes by which blocks are recognised.
type marks struct {
	id, role, level                     string
	attrid, cid, video, product         string
	question, page, address, job        string
	offer, tree, entry                  string
	textAd, shoppingAd, asked           bool
	opens, frames, asks, answers, short bool
	offered, onMap                      bool
	click                               serp.Click // from data-ved
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
			m.tree = a.Val
		case "data-cid", "data-rc_ludocids":
			m.cid = a.Val
		case "data-surl", "data-curl":
			m.video = a.Val
		case "data-product-id", "data-pv":
			m.product = a.Val
		case "data-ved":
			m.click = serp.ReadClick(a.Val)
		case "data-dobid":
			m.entry = a.Val
		case "data-lpage":
			m.page = a.Val
		case "data-url", "href":
			m.address = a.Val
		case "data-share-url":
			m.job = a.Val
		case "data-oid", "data-gid", "data-offer-id", "data-offer-docid":
			if m.offer == "" {
				m.offer = a.Val
			}
			m.offered = m.offered || a.Val != "" && (a.Key == "data-oid" || a.Key == "data-gid")
		case "data-offer-surface":
			m.offered = true
		case "data-lat":
			m.onMap = true
		case "data-issv":
			m.short = true
		case "data-tts":
			m.answers = a.Val == "answers"
		case "data-mcpr":
			m.frames = true
		case "data-initq":
			m.asks = true
		case "data-q":
			m.question = a.Val
		case "data-text-ad":
			m.textAd = true
		case "data-pla-slot-pos", "data-merchant-id", "data-nt-icon-id":
			m.shoppingAd = true
		case "class":
			m.asked = strings.Contains(a.Val, "related-question-pair")
		case "aria-expanded":
			m.opens = true
		}
	}
	return m
}

// walk visits the visible children of n.
func (r *reader) walk(n *html.Node, at area) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode && !markup.Unseen(child) {
			r.element(child, at)
		}
	}
}

// element decides which kind of block the element is and reads it.
func (r *reader) element(n *html.Node, at area) {
	m := marksOf(n)
	r.at++
	if m.id == listID {
		r.list = n
	}
	if r.list != nil && n.Parent == r.list {
		r.begin(n, "")
	}
	if m.attrid == panelTitle && n == r.names[panelTitle] {
		r.panelAt = r.at
	}
	beside, sealed, column := at.side, at.sealed, at.column
	at = at.within(m)
	if at.column && !column { // the column comes after the results, wherever the document has it
		r.at += columnAt
		defer func() { r.at -= columnAt }()
		r.begin(n, "")
	}
	r.beside = at.side
	switch {
	case isNavigation(n, m):
		r.readNavigation(n)
	case m.click == clickFeedback: // a dialog
	case m.attrid == overviewName || m.tree == overviewTree:
		r.noteOverview()
		r.readOverview(n)
		r.claim(n, true)
	case m.frames:
		if !sealed && textIn(n) != nil {
			r.noteOverview()
		}
		r.walk(n, at)
		r.readFrame(n)
		r.claim(n, true)
	case m.click == serp.ClickOverview && n.DataAtom == atom.Div:
		r.noteOverview()
		r.readPlainOverview(n)
		r.claim(n, true)
	case m.textAd:
		r.claim(n, r.readTextAd(n, r.adBlock(at)))
	case m.shoppingAd && n.DataAtom == atom.A:
		r.claim(n, r.readShoppingAd(n, r.adBlock(at), m.offer))
	case m.asked || m.question != "" && r.looksLike(n, m, isQuestion):
		r.claim(n, r.readQuestion(n, m.question))
	case m.opens && m.role == "button" && serp.ClickOf(n) == serp.ClickQuestion:
		r.claim(n, r.readFolded(n))
	case m.onMap:
		r.readPin(n, markup.Attr(n, "data-key"))
		r.walk(n, at)
	case isImage(m, at):
		r.claim(n, r.readImage(n))
	case m.job != "" && isJob(m.job):
		r.claim(n, r.readJob(n, m.job))
	case n.DataAtom == atom.A && !at.sealed && !at.side && isJob(m.address) && r.readJobLink(n, m.address, at):
		r.claim(n, true)
	case m.attrid == eventName:
		r.claim(n, r.readEvent(n))
	case m.address != "" && isHotel(m.address) && r.looksLike(n, m, isLinkLike) && r.readHotel(n, m.address):
		r.claim(n, true)
	case m.click == clickSnippet && !at.side && !at.sealed && r.readSnippet(n):
		r.walk(n, at)
	case strings.HasPrefix(m.attrid, snippetName) && !at.side && !at.sealed && r.readSnippetAround(n):
	case isDictionary(m) && !at.sealed && !at.side && r.readDictionary(n, m):
		r.claim(n, true)
	case m.attrid != "" && isDigest(m.attrid) && r.readDigest(n):
		r.claim(n, true)
	case !at.side && !at.sealed && boxKind(m) != "" && r.readAnswerBox(n, boxKind(m)):
		r.claim(n, true)
	case m.cid != "" && r.looksLike(n, m, isPlace):
		r.claim(n, r.readPlace(n))
	case m.video != "" && r.looksLike(n, m, isVideo):
		r.claim(n, r.readVideo(n, m))
	case isProduct(n, m) && !at.sealed && r.readProduct(n):
		r.claim(n, true)
	case n.DataAtom == atom.A && isSponsored(n) && !m.shoppingAd && serp.ClickOf(n) != serp.ClickAd && serp.Title(n) == nil && len(r.found.Ads) < maxLinkedAds:
		r.claim(n, r.readSponsored(n, r.adBlock(at)))
	case at.side && !beside:
		r.readKnowledge(n)
		r.walk(n, at)
	case n.DataAtom == atom.A && !at.sealed && isOfX(m.address) && r.readX(n):
		r.claim(n, true)
	case m.role == "listitem" && !at.sealed && r.readItem(n):
		r.claim(n, true)
	case n.DataAtom == atom.A && strings.Contains(m.address, otherSpelling) && r.readSpelling(n, m.address):
		r.claim(n, true)
	case n.DataAtom == atom.A && !at.sealed && r.readThing(n, n):
		r.claim(n, true)
		if at.related {
			r.readRelated(n, &r.proposals, 0)
		}
	case n.DataAtom == atom.A:
		r.link(n, at)
	case n.DataAtom == atom.H3 && !at.side && r.linkWithin(n):
	default:
		r.heading(n, m, at)
		r.walk(n, at)
	}
}

// isLinkLike reports whether the element is a link by its name or role.
func isLinkLike(n *html.Node, m marks) bool { return n.DataAtom == atom.A || m.role == "link" }

// within returns the area of the children of an element.
func (at area) within(m marks) area {
	if m.role == "complementary" {
		at.side = true
	}
	if m.frames || m.asks {
		at.sealed = true
	}
	switch m.id {
	case "tads", "tvcap", "taw":
		at.ads = blockTop
	case "tadsb", "bottomads":
		at.ads = blockBottom
	case "rhs", "rhsads":
		at.ads, at.side, at.column = blockSide, true, true
	case listID, "rcnt", "center_col":
		at.main = true
	case "botstuff", "bres":
		at.related, at.main = true, true
	}
	return at
}

// looksLike calls a predicate that searches through the element, at most maxLooks times for each
// page.
func (r *reader) looksLike(n *html.Node, m marks, is func(*html.Node, marks) bool) bool {
	r.looks++
	return r.looks <= maxLooks && is(n, m)
}

// claim records the node as a block if it was read, so that no result contains it.
func (r *reader) claim(n *html.Node, read bool) {
	if read && len(r.blocks) < maxBlocks {
		r.blocks = append(r.blocks, n)
	}
}

// isHeading reports whether the element is the heading of a section or of a list.
func isHeading(n *html.Node, m marks) bool {
	switch n.DataAtom {
	case atom.H2, atom.H3, atom.H4:
		return true
	default:
		return (m.role == "heading" || m.role == "") && (m.level == "2" || m.level == "3" || m.level == "4")
	}
}

// heading records the heading of the current section or list.
func (r *reader) heading(n *html.Node, m marks, at area) {
	if m.opens && m.role == "button" {
		r.listTitle = serp.Line(n)
		return
	}
	if !isHeading(n, m) {
		return
	}
	lines := serp.Lines(n)
	if len(lines) == 0 {
		return
	}
	r.lists++
	r.listTitle = lines[0]
	if (m.level == "2" || n.DataAtom == atom.H2) && at.main && !at.side && !at.sealed {
		r.begin(n, lines[0])
	}
	if m.role == "heading" && m.level == "2" {
		r.section = serp.Line(n)
	}
}

// link decides whether a link is an ad, a video, a result or a related search.
func (r *reader) link(n *html.Node, at area) {
	click := serp.ClickOf(n)
	r.coded = r.coded || click != serp.ClickNone
	if isRefinement(click) {
		r.readRefinement(n)
	}
	switch {
	case !markup.IsLink(n), at.sealed, at.side && (at.column || !click.IsResult()):
		r.walk(n, at)
	case (click == serp.ClickAd || isCounted(n)) && len(r.found.Ads) < maxLinkedAds && r.readTextAd(boxOf(n), r.adBlock(at)):
		r.claim(boxOf(n), true)
	case r.addTitle(n, titleIn(n, click), click), r.addTitle(n, deepTitle(n), click):
	case isSnippetHelp(markup.Attr(n, "href")) && r.readSnippetAround(n):
	case click == serp.ClickRelated && r.readRelated(n, &r.marked, r.at):
	case click != serp.ClickRelated && at.related && r.readRelated(n, &r.proposals, r.at):
	case !r.coded && r.readEcho(n):
	default:
		r.walk(n, at)
	}
}

// isNavigation reports whether the element navigates within the engine's own site.
func isNavigation(n *html.Node, m marks) bool {
	switch n.DataAtom {
	case atom.Header, atom.Footer, atom.Form, atom.Nav:
		return true
	default:
		return m.role == "navigation" || m.role == "search"
	}
}
