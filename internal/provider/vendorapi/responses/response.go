package responses

import (
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// ownSources are the utm_source values that the assistants add to their links.
var ownSources = []string{"openai", "chatgpt.com", "grok", "grok.com", "xai"}

// OwnSources returns the utm_source values that Text removes from links.
func OwnSources() []string { return ownSources }

// readResponse reads a whole response. The error is an *upstream.Failure.
func readResponse(response loosejson.Object, want answer.Options) (*earshot.Answer, error) {
	if err := Check(response); err != nil {
		return nil, err
	}
	r := reader{answer: &earshot.Answer{Model: answer.ModelName(response.Text("model"))}, titles: map[string]string{}}
	for _, item := range response.Objects("output") {
		r.item(item)
	}
	if r.refused && len(r.texts) == 0 {
		return nil, vendorapi.Blocked("the assistant refused to answer")
	}
	r.finish(response, want)
	return answer.NotEmpty(r.answer, nil)
}

// Check returns an *upstream.Failure if the response is not a complete answer, whatever its HTTP
// status.
func Check(response loosejson.Object) error {
	if response.Object("error") != nil {
		return vendorapi.RefusalObject(0, nil, response)
	}
	switch status := response.Text("status"); status {
	case "completed", "":
		return nil
	case "incomplete":
		reason := response.Object("incomplete_details").Text("reason")
		if reason == "content_filter" {
			return vendorapi.Blocked("the answer was withdrawn: %q", reason)
		}
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is cut off: %q", reason)
	default:
		return upstream.Fail(earshot.ReasonUnavailable, "the response has the status %q", status)
	}
}

// reader collects an answer from the items of a response.
type reader struct {
	answer  *earshot.Answer
	sources answer.Sources
	titles  map[string]string // titles of cited pages, by URL
	texts   []mdtext.Replacement
	length  int // total length of the texts
	refused bool
	found   []loosejson.Object // pages that tool calls found, cited or not
}

func (r *reader) item(item loosejson.Object) {
	switch item.Text("type") {
	case "web_search_call", "x_search_call":
		r.call(item)
	case "custom_tool_call": // also the type of searches of the social network
		if strings.Contains(item.Text("name"), "search") {
			r.call(item)
		}
	case "message", "": // a stream without output_item events leaves the type ""
		r.message(item)
	}
}

// call records the queries and the results of a tool call. A call that opens a page or searches
// within it has no query.
func (r *reader) call(item loosejson.Object) {
	action := item.Object("action")
	if kind := action.Text("type"); kind == "search" || kind == "" {
		queries := action.Texts("queries", "query")
		if len(queries) == 0 {
			queries = []string{action.Text("query"), arguments(item).Text("query")}
		}
		r.answer.SearchQueries = answer.AddQueries(r.answer.SearchQueries, queries...)
	}
	r.found = append(r.found, action.Objects("sources")...)
}

// arguments returns the arguments of a tool call, which are JSON in a string.
func arguments(item loosejson.Object) loosejson.Object {
	for _, field := range []string{"arguments", "input"} {
		if value, ok := loosejson.Decode(loosejson.AsText(item[field])); ok {
			return loosejson.AsObject(value)
		}
	}
	return nil
}

func (r *reader) message(item loosejson.Object) {
	if role := item.Text("role"); role != "assistant" && role != "" {
		return
	}
	if item.Text("phase") == "commentary" { // said before or between searches, and not part of the answer
		return
	}
	for _, part := range item.Objects("content") {
		if refusal := part.Text("refusal"); refusal != "" {
			r.refused = true
		} else {
			r.text(part)
		}
	}
}

// finish adds the remaining sources: first the pages that the text links to without citing them,
// then the pages that the search found.
func (r *reader) finish(response loosejson.Object, want answer.Options) {
	whole := r.whole()
	for _, link := range mdtext.ProseLinks(whole.Text) {
		if target, ok := webtext.Destination(link.URL, nil, ownSources); ok {
			r.sources.Add(r.page(target, mdtext.Flatten(link.Label)))
		}
	}
	listed, _ := response["citations"].([]any)
	for _, page := range append(r.found, vendorapi.Pages(listed)...) {
		if target, ok := page.Destination(ownSources, "url"); ok {
			r.sources.Add(r.page(target, page.Text("title", "name")))
		}
	}
	r.sources.Fill(r.answer)
	whole.Fill(r.answer, want.Markdown)
}

// whole returns all texts.
func (r *reader) whole() mdtext.Replacement {
	var text, markdown []string
	for _, written := range r.texts {
		text = append(text, written.Text)
		markdown = append(markdown, written.Markdown)
	}
	return mdtext.Replacement{Text: strings.Join(text, "\n\n"), Markdown: strings.Join(markdown, "\n\n")}
}
