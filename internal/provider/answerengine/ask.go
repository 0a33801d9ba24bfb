package answerengine

import (
	"maps"

	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// startPath is the page on which script begins, relative to the site's base URL.
const startPath = "/"

// script returns the steps with which a browser asks on the site. They are based on public
// knowledge of perplexity.ai and must be reviewed when the site changes.
//
// The answer is complete when it can be copied. The copy button can be found only by its label,
// which is in the visitor's language. So the page is found only in English; the stream is found in
// every language.
//
// The site refuses with a challenge instead of the page or the stream, in a form whose id contains
// "challenge". The reader recognises it.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#ask-input`, prompt),
		browser.Submit(`button[data-testid="submit-button"], button[aria-label="Submit"]`),
		browser.TakeStream(streamPath),
		browser.TakePage(`[id^="markdown-content-"] ~ * button[aria-label="Copy"], form[id*="challenge"]`),
	}
}

// apiQuestion asks the Agent API and forces a web search, which it never makes by itself. The API
// refuses every field that it does not know.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	search := map[string]any{"type": "web_search"}
	choice := maps.Clone(search)
	if q.Locale.Country != "" {
		location := map[string]any{"country": q.Locale.Country}
		if state := vendorapi.StateName(q.Locale.State); state != "" {
			location["region"] = state
		}
		search["user_location"] = location
	}
	accept := "text/event-stream"
	if q.NoStream {
		accept = "application/json"
	}
	request, err := upstream.PostJSON(apiSite, "/v1/agent", accept, map[string]any{
		"model":       q.Model,
		"input":       q.Prompt,
		"tools":       []any{search},
		"tool_choice": choice,
		"stream":      !q.NoStream,
		"store":       false,
	}, q.Locale)
	request.Refusal = vendorapi.RefusalBody
	return request, err
}
