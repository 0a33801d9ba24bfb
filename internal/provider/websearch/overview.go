package websearch

import (
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/search"
	"earshot/internal/upstream"
)

// layout is where things stand in an overview: as in AI mode.
var layout = answer.NewPage(search.AnswerLayout)

// By what an overview is known.
const (
	overviewName = "SrpGenSumSummary" // since 2024
	overviewTree = "aimc"             // since 2025, as an answer in AI mode
	overviewText = "main-col"
)

// isOverview tells whether the element is an AI overview: by its name, or since
// it tells the language of its text and how high that is before it is unfolded
// (2025 on).
func isOverview(m marks) bool {
	return m.attrid == overviewName || m.subtree == overviewTree || m.language != "" && m.height != ""
}

// readOverview reads the AI overview of the page, if it is wanted.
func (r *reader) readOverview(n *html.Node) {
	if !r.want.overview || r.found.overview != nil {
		return
	}
	read, err := overviewIn(n, r.links, answer.Want{Country: r.want.country, Markdown: r.want.markdown})
	if err != nil && r.err == nil {
		r.err = err
	}
	r.found.overview = read
}

// parseOverview reads an overview that was loaded on demand. It gives nil where
// it says nothing.
func parseOverview(document []byte, links search.Links, country string) (found *earshot.Answer, err error) {
	err = search.ReadPart(document, func(root *html.Node) error {
		n := search.Find(root, func(n *html.Node) bool { return isOverview(marksOf(n)) })
		if n == nil {
			return upstream.Fail(earshot.ReasonUnreadable, "no overview")
		}
		found, err = overviewIn(n, links, answer.Want{Country: country, Markdown: true})
		return err
	})
	return found, err
}

// overviewIn reads an overview; nil where it says nothing. It changes the node.
func overviewIn(n *html.Node, links search.Links, want answer.Want) (*earshot.Answer, error) {
	if err := answer.CheckSize(n); err != nil {
		return nil, err
	}
	text := search.Find(n, func(n *html.Node) bool { return search.Attr(n, "data-container-id") == overviewText })
	if text == nil { // before 2026 the overview is its text
		n.Attr = append(n.Attr, html.Attribute{Key: "data-container-id", Val: overviewText})
	}
	served := links.PrepareAnswer(goquery.NewDocumentFromNode(n).Selection)
	found, err := layout.ReadTurn(n, want)
	if err != nil || found == nil {
		return nil, err
	}
	served.Mark(found)
	return found, nil
}
