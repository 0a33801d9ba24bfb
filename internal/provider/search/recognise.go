package search

import (
	"bytes"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// resultIDs are the ids of a result page's parts; one of them is on every such
// page, also where nothing was found.
var resultIDs = map[string]bool{"rso": true, "search": true, "center_col": true, "rcnt": true, "res": true}

// ReadPage parses a result page and hands it to read with whether the engine
// marked it as one. read tells whether it found anything. The error is read's
// own, or an *upstream.Failure that says what else the document is.
func ReadPage(document []byte, read func(root *html.Node) (found bool, err error)) error {
	return answer.ReadHTML(document, func(page *goquery.Document) error {
		root := page.Nodes[0]
		found, err := read(root)
		switch {
		case err != nil:
			return err
		case found && isCut(document):
			return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its end")
		case found:
			return nil
		default:
			return nothingFound(page, root, document)
		}
	})
}

// nothingFound says what a page is on which nothing was found; nil means that
// there is nothing to be found.
func nothingFound(page *goquery.Document, root *html.Node, document []byte) error {
	body := Find(root, func(n *html.Node) bool { return n.Data == "body" })
	switch {
	case answer.IsChallenge(page) || bytes.Contains(document, []byte("/retry/enablejs")):
		return upstream.Fail(earshot.ReasonBlocked, "challenge, consent or soft-block page")
	case isCut(document):
		return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its results")
	case body == nil || isEmpty(body):
		return upstream.Fail(earshot.ReasonEmpty, "a page with nothing on it")
	case Find(body, func(n *html.Node) bool { return resultIDs[Attr(n, "id")] }) == nil:
		return upstream.Fail(earshot.ReasonUnreadable, "no result page")
	default:
		return nil
	}
}

// isEmpty tells whether a visitor sees nothing at all.
func isEmpty(body *html.Node) bool {
	for child := range body.ChildNodes() {
		switch {
		case child.Type == html.ElementNode && !Unseen(child):
			return false
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) != "":
			return false
		}
	}
	return true
}

// tailLength is where the end of a page is looked for: saved pages may have
// something behind it.
const tailLength = 64 << 10

// isCut tells whether a whole document lacks its end.
func isCut(document []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(document[:min(len(document), 256)]))
	if !bytes.HasPrefix(head, []byte("<!doctype")) && !bytes.HasPrefix(head, []byte("<html")) {
		return false
	}
	tail := bytes.ToLower(document[max(0, len(document)-tailLength):])
	return !bytes.Contains(tail, []byte("</html"))
}

// ReadPart parses a piece of a page that was loaded on demand and hands it to
// read. The error is read's own, or an *upstream.Failure.
func ReadPart(document []byte, read func(root *html.Node) error) error {
	return answer.ReadHTML(document, func(page *goquery.Document) error { return read(page.Nodes[0]) })
}
