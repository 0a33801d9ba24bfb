package officeassistant

import (
	"regexp"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// The kinds of messages of the older interface that count.
const (
	updateKind = "1" // the reply as far as it has got
	wholeKind  = "2" // all messages of a turn
)

// hub is what the messages of the older interface have told so far.
type hub struct {
	count  int
	turn   []answer.Object // messages of the last turn
	whole  bool
	result answer.Object
}

// take does what one message says. A later turn is the answer, so what an
// earlier one told is dropped.
func (h *hub) take(message answer.Object) {
	item := message.Object("item")
	switch kind := message.Amount("type"); {
	case kind == updateKind:
		for _, update := range message.Objects("arguments") {
			if messages := update.Objects("messages"); len(messages) > 0 {
				h.count++
				h.turn, h.whole = messages, false
			}
		}
	case kind == wholeKind && item != nil:
		h.count++
		h.turn, h.whole, h.result = item.Objects("messages"), true, item.Object("result")
	}
}

// refusals are the results that mean that we are not welcome.
var refusals = map[string]bool{"Throttled": true, "CaptchaChallenge": true, "Forbidden": true}

// reply is what the assistant says in the last turn.
func (h *hub) reply() (*told, error) {
	var t told
	var last answer.Object
	for _, message := range h.turn {
		switch kind := message.Text("messageType"); {
		case message.Text("author") == "user":
			t, last = told{}, nil
		case kind == "InternalSearchQuery":
			t.queries = append(t.queries, quoted(message.Text("text"))...)
		case (kind == "" || kind == "Chat") && message.Text("text") != "":
			last = message
		}
	}
	value := h.result.Text("value")
	switch {
	case last != nil && h.whole:
	case refusals[value]:
		return nil, upstream.Fail(earshot.ReasonBlocked, "the turn ends with %q", value)
	case last == nil && value != "" && value != "Success":
		return nil, upstream.Fail(earshot.ReasonUnavailable, "the turn ends with %q", value)
	case !h.whole:
		return nil, upstream.Fail(earshot.ReasonUnavailable, "the turn is not whole")
	default:
		return &t, nil
	}
	t.related = last.Texts("suggestedResponses", "text")
	t.text, t.listed = answer.AsText(last["text"]), attributed(last.Objects("sourceAttributions"))
	return &t, nil
}

// searched is a query as a message about a search names it, in any language.
var searched = regexp.MustCompile("`([^`]+)`")

func quoted(text string) []string {
	var queries []string
	for _, found := range searched.FindAllStringSubmatch(text, -1) {
		queries = append(queries, answer.Line(found[1]))
	}
	return queries
}

// attributed are the pages that the numbers in a text count, nil where one has no
// address.
func attributed(attributions []answer.Object) []*answer.Citation {
	var pages []*answer.Citation
	for _, attribution := range attributions {
		link, ok := attribution.Destination(ownSources, "seeMoreUrl")
		if !ok {
			pages = append(pages, nil)
			continue
		}
		pages = append(pages, &answer.Citation{
			Source: earshot.Source{URL: link, Label: attribution.Text("providerDisplayName")},
			Label:  answer.Domain(link),
		})
	}
	return pages
}

// A number stands in the text between carets, at times with the number of a
// definition of a link behind it. Those that follow each other are one chip.
const number = `\[\^[0-9]{1,3}\^\](?:\[[0-9]{1,3}\])?`

var (
	numbers    = regexp.MustCompile(`^` + number + `(?:[ \t]?` + number + `)*`)
	counted    = regexp.MustCompile(`\^([0-9]+)\^`)
	definition = regexp.MustCompile(`(?m)^\[[0-9]{1,3}\]: .*$`)
)

// maxCitations is how many pages one chip may name; real ones have up to ten.
const maxCitations = 40

// numbered is a text whose citations are the numbers of pages on the list.
func (t *told) numbered(text string, sources *answer.Sources) answer.Replacement {
	if strings.Contains(text, "[^") {
		text = definition.ReplaceAllString(text, "")
	}
	return answer.Rewrite(text, "[", func(rest string) (answer.Replacement, int) {
		if !strings.HasPrefix(rest, "[^") { // most brackets, without a closer look
			return answer.Replacement{}, 0
		}
		run := numbers.FindString(rest)
		var citations []answer.Citation
		for _, found := range counted.FindAllStringSubmatch(run, maxCitations) {
			place, _ := strconv.Atoi(found[1])
			if place >= 1 && place <= len(t.listed) && t.listed[place-1] != nil {
				citations = append(citations, *t.listed[place-1])
			}
		}
		return sources.Cite(citations), len(run)
	})
}
