package socialassistant

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot/internal/provider/chatpage"
)

// page is where things stand on a saved page of the assistant's site. What
// somebody asked looks the same as the reply, so the last that was said counts,
// once what can be told to be a question is marked as one.
var page = chatpage.New(chatpage.Layout{
	User:    questionMark,
	Turn:    ".message-bubble",
	Message: ".message-bubble",
	Aside:   ".thinking-container",
	Chip:    ".citation",
	Own:     ownSources,
})

// questionMark is the element that questions become.
const questionMark = "earshot-question"

// markQuestions renames the bubbles of which something around them says that a
// person wrote them: it names who that is, or lets them stand at the end of the
// line.
func markQuestions(page *goquery.Document) {
	page.Find(".message-bubble").Each(func(_ int, bubble *goquery.Selection) {
		if n := bubble.Nodes[0]; isQuestion(n) {
			n.Data, n.DataAtom, n.Attr = questionMark, 0, nil
		}
	})
}

// questionDepth is how far above a bubble stands what tells whose it is.
const questionDepth = 3

func isQuestion(bubble *html.Node) bool {
	for n, depth := bubble, 0; n != nil && depth < questionDepth; n, depth = n.Parent, depth+1 {
		for _, a := range n.Attr {
			switch a.Key {
			case "data-testid":
				switch a.Val {
				case "user-message":
					return true
				case "assistant-message":
					return false
				}
			case "class":
				classes := " " + a.Val + " "
				if strings.Contains(classes, " items-end ") {
					return true
				}
				if strings.Contains(classes, " items-start ") {
					return false
				}
			}
		}
	}
	return false
}
