package websearch

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/upstream"
)

// layout is the layout of an overview, which is the same as in AI mode.
var layout = chatpage.New(serp.AnswerLayout)

// Values of attributes that mark an overview.
const (
	overviewName = "SrpGenSumSummary" // since 2024
	overviewTree = "aimc"             // since 2025, like an answer in AI mode
	overviewText = "main-col"
)

// isOverview reports whether the element is an AI overview.
func isOverview(n *html.Node) bool {
	return markup.Attr(n, "data-attrid") == overviewName || markup.Attr(n, "data-subtree") == overviewTree
}

// noteOverview adds one entry for an overview, whether it is wanted or not.
func (r *reader) noteOverview() {
	if !slices.ContainsFunc(r.entries, func(e entry) bool { return e.kind == earshot.BlockOverview }) {
		r.note(earshot.BlockOverview)
	}
}

// readOverview reads the AI overview of the page if it is wanted. An overview over the size limits
// is left out.
func (r *reader) readOverview(n *html.Node) {
	if !r.want.overview || r.found.SearchOverview != nil {
		return
	}
	read, err := overviewIn(n, r.links, answer.Options{Country: r.want.country, Markdown: r.want.markdown})
	if err != nil {
		r.found.unread = append(r.found.unread, "")
		return
	}
	r.found.SearchOverview = read
}

// readFrame reads the overview from its frame if the frame has no element with the marks of an
// overview. Until the end of 2025, the frame contains sentences with ids and a list of sources.
func (r *reader) readFrame(frame *html.Node) {
	if !r.want.overview || r.found.SearchOverview != nil {
		return
	}
	r.stored.Fill(frame)
	text := textIn(frame)
	if text == nil {
		return
	}
	text.Attr = append(text.Attr, html.Attribute{Key: "data-container-id", Val: overviewText})
	for _, item := range markup.FindAll(frame, func(n *html.Node) bool { return n.DataAtom == atom.Li }) {
		link := markup.Find(item, markup.IsLink)
		if link != nil && markup.HasAttr(link, "aria-label") && r.leadsAway(link) {
			item.Attr = append(item.Attr, html.Attribute{Key: "data-src-id"})
		}
	}
	r.readOverview(frame)
}

// leadsAway reports whether the element is a link to a page outside the engine.
func (r *reader) leadsAway(link *html.Node) bool {
	if !markup.IsLink(link) {
		return false
	}
	address := markup.Attr(link, "href")
	to, _, ok := r.links.Read(address)
	return ok && !strings.HasPrefix(address, "#") && r.links.Leads(to)
}

// textIn returns the smallest element with all sentences of an overview, or nil.
func textIn(frame *html.Node) *html.Node {
	sentences := markup.FindAll(frame, markup.Has("data-huuid"))
	if len(sentences) == 0 {
		return nil
	}
	first, last := sentences[0], sentences[len(sentences)-1]
	for holder := first.Parent; holder != nil && holder != frame; holder = holder.Parent {
		if markup.Contains(holder, last) {
			return holder
		}
	}
	return nil
}

// parseOverview reads an overview that was loaded on demand. It returns nil if the overview has no
// text.
func parseOverview(document []byte, links serp.Links, country string) (found *earshot.Answer, err error) {
	err = serp.ReadPart(document, func(root *html.Node) error {
		n := markup.Find(root, isOverview)
		if n == nil {
			return upstream.Fail(earshot.ReasonUnreadable, "no overview")
		}
		found, err = overviewIn(n, links, answer.Options{Country: country, Markdown: true})
		return err
	})
	return found, err
}

// overviewIn reads an overview and modifies its node. It returns nil if the overview has no text.
func overviewIn(n *html.Node, links serp.Links, want answer.Options) (*earshot.Answer, error) {
	text := markup.Find(n, func(n *html.Node) bool { return markup.Attr(n, "data-container-id") == overviewText })
	if text == nil { // before 2026 the whole overview is text
		n.Attr = append(n.Attr, html.Attribute{Key: "data-container-id", Val: overviewText})
	}
	served, err := links.PrepareAnswer(n)
	if err != nil {
		return nil, err
	}
	found, err := layout.ReadTurn(n, want)
	if err != nil || found == nil {
		return nil, err
	}
	served.Mark(found)
	serp.Tidy(found)
	return found, nil
}
