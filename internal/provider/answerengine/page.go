package answerengine

import (
	"regexp"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
)

// page is the layout of a saved page of the site.
var page = chatpage.New(chatpage.Layout{
	User:    ".group/query",
	Turn:    ".prose",
	Message: ".prose",
	Chip:    ".citation",
	Own:     ownSources,
})

// citedPage is the attribute with the cited URL of a chip that is not a link.
const citedPage = "data-pplx-citation-url"

// linkChips turns chips with a URL in citedPage into links.
func linkChips(page *goquery.Document) {
	page.Find("[" + citedPage + "]").Each(func(_ int, chip *goquery.Selection) {
		link, _ := chip.Attr(citedPage)
		chip.SetAttr("href", link).AddClass("citation")
		n := chip.Nodes[0]
		n.Data, n.DataAtom = "a", atom.A
	})
}

var numeral = regexp.MustCompile(`^[0-9]+$`)

// readPage reads a saved page. Its chips show a number, which is no useful label for a page, so the
// label becomes the domain.
func readPage(document []byte, want answer.Options) (*earshot.Answer, error) {
	found, err := page.ReadPrepared(document, want, linkChips)
	if err != nil {
		return nil, err
	}
	for i := range found.Sources {
		if source := &found.Sources[i]; numeral.MatchString(source.Label) {
			source.Label = source.Domain
		}
	}
	for i := range found.CitationPills {
		if pill := &found.CitationPills[i]; numeral.MatchString(pill.Label) {
			pill.Label = pill.Domain
		}
	}
	return found, nil
}
