package answerengine

import (
	"cmp"
	"net/http"
	"slices"

	"earshot/internal/geo"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// startPath is the page that script begins on, below the site's base.
const startPath = "/"

// script is how a browser asks on the site itself. It is made from what is
// publicly known of perplexity.ai, and needs the operator's eye when the site
// changes.
//
// A page has its answer whole once that can be copied. The button has no other
// name than its label, which is in the visitor's language, so that the page is
// found where that is English; the stream is found everywhere.
//
// The site refuses with a challenge in the place of the page or of the stream, by
// #challenge-form and other ids that begin so, which the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#ask-input`, prompt),
		browser.Submit(`button[data-testid="submit-button"], button[aria-label="Submit"]`),
		browser.TakeStream(streamPath),
		browser.TakePage(`[id^="markdown-content-"] ~ * button[aria-label="Copy"], form[id*="challenge"]`),
	}
}

// apiQuestion asks the API, which always searches.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	body := map[string]any{
		"model":                    q.Model,
		"messages":                 []any{map[string]any{"role": "user", "content": q.Prompt}},
		"stream":                   true,
		"return_related_questions": true,
	}
	if q.Locale.Country != "" {
		location := map[string]any{"country": q.Locale.Country}
		if state := stateName(q.Locale.State); state != "" {
			location["region"] = state
		}
		body["web_search_options"] = map[string]any{"user_location": location}
	}
	request, err := upstream.PostJSON(apiSite, "/chat/completions", "text/event-stream", body, q.Locale)
	request.Refusal = apiRefusal
	return request, err
}

// stateName is the name of a state of the US, "" for no state.
func stateName(code string) string {
	states := geo.States()
	i := slices.IndexFunc(states, func(s geo.State) bool { return s.Code == code })
	if i < 0 {
		return ""
	}
	return states[i].Name
}

// apiRefusal judges an answer with an error status.
func apiRefusal(status int, header http.Header, body []byte) *upstream.Failure {
	value, _ := loosejson.Decode(webtext.ValidText(string(body)))
	return errorFailure(status, header, loosejson.AsObject(value))
}

// errorFailure judges an answer that is an error.
func errorFailure(status int, header http.Header, body loosejson.Object) *upstream.Failure {
	failed := body.Object("error")
	codes := []string{failed.Amount("code"), failed.Text("type")}
	codes = slices.DeleteFunc(codes, func(code string) bool { return code == "" })
	return vendorapi.Refusal(status, header, codes, cmp.Or(failed.Text("message"), body.Text("detail", "message")))
}
