package answerengine

import (
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

// apiQuestion asks the API, which always searches.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	body := map[string]any{
		"model":                    q.Model,
		"messages":                 []any{map[string]any{"role": "user", "content": q.Prompt}},
		"stream":                   !q.NoStream,
		"return_related_questions": true,
	}
	if q.Locale.Country != "" {
		location := map[string]any{"country": q.Locale.Country}
		if state := vendorapi.StateName(q.Locale.State); state != "" {
			location["region"] = state
		}
		body["web_search_options"] = map[string]any{"user_location": location}
	}
	accept := "text/event-stream"
	if q.NoStream {
		accept = "application/json"
	}
	request, err := upstream.PostJSON(apiSite, "/chat/completions", accept, body, q.Locale)
	request.Refusal = vendorapi.RefusalBody
	return request, err
}
