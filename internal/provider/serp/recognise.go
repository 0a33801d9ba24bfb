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

// resultIDs are the ids of the parts of a result page. Every result page has visible text in at
// least one of them, even without results.
var resultIDs = map[string]bool{
	"rso": true, "search": true, "center_col": true, "rcnt": true, "res": true, "topstuff": true, "botstuff": true,
}

// ReadPage parses a result page and passes it to read, with the parts and image addresses in its
// scripts. read reports whether it found anything. The error comes from read, or is an
// *upstream.Failure that says what else the document is.
func ReadPage(document []byte, read func(root *html.Node, stored ScriptParts, pictures *Pictures) (found bool, err error)) error {
	document = decode(document)
	return rawdoc.ReadHTML(document, func(page *goquery.Document) error {
		root := page.Nodes[0]
		found, err := read(root, ScriptPartsIn(document), &Pictures{document: document})
		switch {
		case err != nil:
			return err
		case found && rawdoc.IsCut(document):
			return upstream.Fail(earshot.ReasonUnavailable, "the page is truncated")
		case found:
			return nil
		default:
			return nothingFound(page, root, document)
		}
	})
}

// nothingFound says what kind of page has no results; nil means a result page without results. A
// result page can also contain elements of a challenge page, so the elements of a result page are
// checked first.
func nothingFound(page *goquery.Document, root *html.Node, document []byte) error {
	body := markup.Find(root, func(n *html.Node) bool { return n.Data == "body" })
	results := body != nil && markup.Find(body, func(n *html.Node) bool { return resultIDs[markup.Attr(n, "id")] && shows(n) }) != nil
	switch {
	case !results && (markup.IsChallenge(page) || bytes.Contains(document, []byte("/retry/enablejs"))),
		page.Find(`form[action*="/sorry/"], form#captcha-form`).Length() > 0:
		return upstream.Fail(earshot.ReasonBlocked, "challenge, consent or soft-block page")
	case rawdoc.IsCut(document):
		return upstream.Fail(earshot.ReasonUnavailable, "the page is truncated before its results")
	case body == nil || isEmpty(body):
		return upstream.Fail(earshot.ReasonEmpty, "the page is empty")
	case !results && isShell(page):
		return shellFailure()
	case !results && !isPlain(page):
		return upstream.Fail(earshot.ReasonUnreadable, "the page is not a result page")
	default:
		return nil
	}
}

// shellFailure is the error for a page that its scripts did not fill.
func shellFailure() error {
	return upstream.Fail(earshot.ReasonBlocked, "the page has no content without scripts")
}

// isShell reports whether a page has scripts but no headings.
func isShell(page *goquery.Document) bool {
	return page.Find("script").Length() > 0 && page.Find(`h1, h2, h3, [role="heading"]`).Length() == 0
}

// JudgeAnswer returns the error to report for a page of AI mode that failed with err. An unreadable
// page without content is blocked: the engine did not fill it for a plain client.
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

// shows reports whether the element has visible text.
func shows(n *html.Node) bool { return hasText(n) || markup.Find(n, hasText) != nil }

// hasText reports whether the element has text of its own.
func hasText(n *html.Node) bool {
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			return true
		}
	}
	return false
}

// isPlain reports whether a page is a result page of the layout without scripts, which has few ids:
// a search form and the element for results.
func isPlain(page *goquery.Document) bool {
	return page.Find(`form[action$="/search"] [name="q"]`).Length() > 0 && page.Find(`#main`).Length() > 0
}

// isEmpty reports whether a visitor sees nothing on the page.
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

// ReadPart parses a part of a page that was loaded on demand and passes it to read. The error comes
// from read, or is an *upstream.Failure.
func ReadPart(document []byte, read func(root *html.Node) error) error {
	return rawdoc.ReadHTML(document, func(page *goquery.Document) error { return read(page.Nodes[0]) })
}
