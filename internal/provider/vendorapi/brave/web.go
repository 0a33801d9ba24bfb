package brave

import (
	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// readWeb reads an answer to a web search. The merger sets the positions.
func readWeb(document []byte) (found *earshot.WebSearch, more bool, err error) {
	found = &earshot.WebSearch{}
	err = read(document, typeWeb, func(o loosejson.Object) {
		found.OrganicResults = collect(o.Object("web"), readResult)
		found.PeopleAlsoAsk = collect(o.Object("faq"), readQuestion)
		found.Discussions = collect(o.Object("discussions"), readDiscussion)
		readPanels(found, o)
		more = len(found.OrganicResults) > 0 && o.Object("query")["more_results_available"] != false
	})
	return found, more, err
}

func readResult(o loosejson.Object) (result earshot.OrganicResult, ok bool) {
	to := link(o, "url")
	result = earshot.OrganicResult{
		Title:         plain(o, "title"),
		Link:          to,
		Domain:        webtext.Domain(to),
		DisplayedLink: displayedLink(o.Object("meta_url"), to),
		Snippet:       prose(o, "description"),
		Date:          date(o),
	}
	for _, button := range o.Object("deep_results").Objects("buttons") {
		sub := earshot.SearchSublink{Title: plain(button, "title"), Link: link(button, "url")}
		if sub.Title != "" && sub.Link != "" {
			result.Sitelinks = append(result.Sitelinks, sub)
		}
	}
	return result, result.Title != "" && to != ""
}

// displayedLink returns an address as the API displays it: the host, then the path.
func displayedLink(address loosejson.Object, to string) string {
	host := address.Text("netloc", "hostname")
	if host == "" {
		return webtext.Domain(to)
	}
	return webtext.Line(host + " " + address.Text("path"))
}

func readDiscussion(o loosejson.Object) (thread earshot.Discussion, ok bool) {
	thread = earshot.Discussion{Title: plain(o, "title"), Link: link(o, "url"), Date: date(o)}
	return thread, thread.Title != "" && thread.Link != ""
}

func readQuestion(o loosejson.Object) (question earshot.Question, ok bool) {
	question = earshot.Question{
		Question: plain(o, "question"),
		Type:     earshot.QuestionUnknown,
		Snippet:  prose(o, "answer"),
		Title:    plain(o, "title"),
		Link:     link(o, "url"),
	}
	if question.Link != "" {
		question.Type = earshot.QuestionLink
	}
	return question, question.Question != ""
}
