package socialassistant

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/upstream"
)

// streamed is what the lines have said so far.
type streamed struct {
	lines    int              // number of lines in the site's format
	text     strings.Builder  // from tokens
	response loosejson.Object // the complete response, if it has come
	ended    bool
	problem  string // the error that a line reports
	refused  bool   // the error means that we are blocked

	cards         []string           // as JSON
	cited         []loosejson.Object // web pages that the text cites
	shown         []loosejson.Object // posts that are shown with the answer
	web           []loosejson.Object // web pages that the search found
	posts         []loosejson.Object // posts that the search found
	searches      []loosejson.Object // tool calls
	calls         []string           // tool calls in the text of a thought
	streamQueries []string           // search queries that a line names
	related       []string
}

// take applies one line. A new question discards the earlier reply.
func (s *streamed) take(line loosejson.Object) {
	result := line.Object("result")
	if result == nil {
		if line.Text("userChatItemId") != "" {
			*s = streamed{lines: s.lines}
		}
		s.failed(line)
		return
	}
	s.lines++
	if inner := result.Object("response"); inner != nil {
		result = inner
	}
	if result.Object("userResponse") != nil {
		*s = streamed{lines: s.lines}
		return
	}
	s.failed(result)
	s.token(result)
	s.gather(result)
	s.gather(result.Object("finalMetadata"))
	if response := result.Object("modelResponse"); response != nil {
		s.gather(response)
		s.response, s.ended = response, true
	}
}

// gather collects what accompanies the text, in a line or in the complete response.
func (s *streamed) gather(o loosejson.Object) {
	if card := loosejson.AsText(o.Object("cardAttachment")["jsonData"]); card != "" {
		s.cards = append(s.cards, card)
	}
	s.cards = append(s.cards, stringsIn(o["cardAttachmentsJson"])...)
	s.cards = append(s.cards, stringsIn(o["cardAttachments"])...)
	s.cited = append(s.cited, resultsIn(o, "citedWebSearchResults", "citedWebResults")...)
	s.shown = append(s.shown, resultsIn(o, "citedXposts", "xposts")...)
	for _, field := range []string{"xpostIds", "xPostIds", "postIds"} {
		for _, id := range stringsIn(o[field]) {
			s.shown = append(s.shown, loosejson.Object{"postId": id})
		}
	}
	s.web = append(s.web, resultsIn(o, "webSearchResults", "webResults")...)
	s.posts = append(s.posts, resultsIn(o, "xSearchResults")...)
	if call := o.Object("toolUsageCard"); call != nil {
		s.searches = append(s.searches, call)
	}
	s.related = append(s.related, o.Texts("followUpSuggestions", "label")...)
}

// failed records the error that the object reports.
func (s *streamed) failed(o loosejson.Object) {
	problem := o.Text("error")
	inner := o.Object("error")
	if inner != nil {
		problem = cmp.Or(inner.Text("message"), inner.Amount("code"))
	}
	if problem != "" {
		s.problem, s.refused = problem, slices.Contains(refusals, inner.Amount("code"))
	}
}

// refusals are the error codes for blocked clients and for too many questions.
var refusals = []string{"7", "8", "16"}

// token adds a piece of the text. The network's own client gets the pieces in another field and no
// complete response; its last piece has a flag.
func (s *streamed) token(result loosejson.Object) {
	piece := loosejson.AsText(result["token"])
	if strings.EqualFold(result.Text("sender"), "assistant") {
		piece += loosejson.AsText(result["message"])
		s.streamQueries = append(s.streamQueries, result.Text("query"))
		s.ended = s.ended || result.Is("isSoftStop")
	}
	switch tag := result.Text("messageTag"); {
	case strings.Contains(tag, "tool_usage"):
		s.calls = append(s.calls, piece)
	case !result.Is("isThinking") && (tag == "final" || tag == ""):
		s.text.WriteString(piece)
	}
}

// resultsIn returns the search results in the fields, which are lists or objects with a list.
func resultsIn(o loosejson.Object, fields ...string) []loosejson.Object {
	var results []loosejson.Object
	for _, field := range fields {
		results = append(results, o.Objects(field)...)
		results = append(results, o.Object(field).Objects("results")...)
	}
	return results
}

// stringsIn returns the strings of a list that are not blank.
func stringsIn(value any) []string {
	list, _ := value.([]any)
	var texts []string
	for _, item := range list {
		if text := loosejson.AsText(item); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// check returns an error if the stream has no complete answer.
func (s *streamed) check() error {
	switch {
	case s.ended:
		return nil
	case s.refused:
		return upstream.Fail(earshot.ReasonBlocked, "the stream reports %q", s.problem)
	case s.problem != "":
		return upstream.Fail(earshot.ReasonUnavailable, "the stream reports %q", s.problem)
	case s.lines == 0:
		return upstream.Fail(earshot.ReasonUnreadable, "the stream has no lines of a response")
	default:
		return upstream.Fail(earshot.ReasonUnavailable, "the stream is cut off before the response is complete")
	}
}
