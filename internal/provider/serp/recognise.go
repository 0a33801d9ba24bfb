package serp

import (
	"bytes"
	"errors"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
)

// resultIDs are the ids of a result page's parts; one of them is on every such
// page, with something to read in it, also where nothing was found.
var resultIDs = map[string]bool{
	"rso": true, "search": true, "center_col": true, "rcnt": true, "res": true, "topstuff": true, "botstuff": true,
}

// ReadPage parses a result page and hands it to read with the pieces and the
// addresses of pictures that its scripts hold. read tells whether it found anything. The error is read's own, or
// an *upstream.Failure that says what else the document is.
func ReadPage(document []byte, read func(root *html.Node, stored Stored, pictures *Pictures) (found bool, err error)) error {
	document = decode(document)
	return rawdoc.ReadHTML(document, func(page *goquery.Document) error {
		root := page.Nodes[0]
		found, err := read(root, StoredIn(document), PicturesIn(document))
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
// there is nothing to be found. Result pages may name what refuses us, too: what
// makes a page a result page is looked at first.
func nothingFound(page *goquery.Document, root *html.Node, document []byte) error {
	body := markup.Find(root, func(n *html.Node) bool { return n.Data == "body" })
	results := body != nil && markup.Find(body, func(n *html.Node) bool { return resultIDs[markup.Attr(n, "id")] && shows(n) }) != nil
	switch {
	case !results && (markup.IsChallenge(page) || bytes.Contains(document, []byte("/retry/enablejs"))),
		page.Find(`form[action*="/sorry/"], form#captcha-form`).Length() > 0:
		return upstream.Fail(earshot.ReasonBlocked, "challenge, consent or soft-block page")
	case isCut(document):
		return upstream.Fail(earshot.ReasonUnavailable, "the page ends before its results")
	case body == nil || isEmpty(body):
		return upstream.Fail(earshot.ReasonEmpty, "a page with nothing on it")
	case !results && isShell(page):
		return shellFailure()
	case !results && !isPlain(page):
		return upstream.Fail(earshot.ReasonUnreadable, "no result page")
	default:
		return nil
	}
}

// shellFailure is that of a page which its scripts did not fill, or not for us.
func shellFailure() error {
	return upstream.Fail(earshot.ReasonBlocked, "a page that scripts have to fill")
}

// isShell tells whether a page has scripts and nothing that anybody would read.
func isShell(page *goquery.Document) bool {
	return page.Find("script").Length() > 0 && page.Find(`h1, h2, h3, [role="heading"]`).Length() == 0
}

// JudgeAnswer corrects err, the result of reading a page of AI mode: one that shows
// nothing wants something else than a plain client.
func JudgeAnswer(document []byte, err error) error {
	failure, ok := errors.AsType[*upstream.Failure](err)
	if !ok || failure.Reason != earshot.ReasonUnreadable {
		return err
	}
	shell := false
	unread := rawdoc.ReadHTML(document, func(page *goquery.Document) error {
		shell = isShell(page)
		return nil
	})
	if unread == nil && shell {
		return shellFailure()
	}
	return err
}

// shows tells whether there is something to read in an element.
func shows(n *html.Node) bool { return hasText(n) || markup.Find(n, hasText) != nil }

// hasText tells whether an element has text of its own.
func hasText(n *html.Node) bool {
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			return true
		}
	}
	return false
}

// isPlain tells whether a page is a result page of the layout without scripts,
// which has few ids: the form for another search, and where results belong.
func isPlain(page *goquery.Document) bool {
	return page.Find(`form[action$="/search"] [name="q"]`).Length() > 0 && page.Find(`#main`).Length() > 0
}

// isEmpty tells whether a visitor sees nothing at all.
func isEmpty(body *html.Node) bool {
	for child := range body.ChildNodes() {
		switch {
		case child.Type == html.ElementNode && !markup.Unseen(child):
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
	tail, end := document[max(0, len(document)-tailLength):], []byte("</html")
	return bytes.LastIndex(tail, end) < 0 && !bytes.Contains(bytes.ToLower(tail), end) && !rawdoc.Closes(document)
}

// ReadPart parses a piece of a page that was loaded on demand and hands it to
// read. The error is read's own, or an *upstream.Failure.
func ReadPart(document []byte, read func(root *html.Node) error) error {
	return rawdoc.ReadHTML(document, func(page *goquery.Document) error { return read(page.Nodes[0]) })
}
