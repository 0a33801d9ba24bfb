package socialassistant

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
)

// page is the layout of a saved page of the site. Questions and replies look the same, so the last
// bubble is the reply. markQuestions first marks the bubbles that are certainly questions.
var page = chatpage.New(chatpage.Layout{
	User:    questionMark,
	Turn:    ".message-bubble",
	Message: ".message-bubble",
	Aside:   ".thinking-container",
	Chip:    ".citation",
	Own:     ownSources,
})

// questionMark is the element name that questions get.
const questionMark = "earshot-question"

// markQuestions renames the bubbles of the user. They are recognised by an attribute of the bubble
// or of its parents that names the author or aligns the bubble to the end of the line.
func markQuestions(page *goquery.Document) {
	page.Find(".message-bubble").Each(func(_ int, bubble *goquery.Selection) {
		if n := bubble.Nodes[0]; isQuestion(n) {
			n.Data, n.DataAtom, n.Attr = questionMark, 0, nil
		}
	})
}

// questionDepth is how many levels, from the bubble upwards, are searched for such an attribute.
const questionDepth = 3

func isQuestion(bubble *html.Node) bool {
	for n, depth := bubble, 0; n != nil && depth < questionDepth; n, depth = n.Parent, depth+1 {
		classes := strings.Fields(markup.Attr(n, "class"))
		switch author := markup.Attr(n, "data-testid"); {
		case author == "user-message", slices.Contains(classes, "items-end"):
			return true
		case author == "assistant-message", slices.Contains(classes, "items-start"):
			return false
		}
	}
	return false
}
