package genassistant

import (
	"cmp"
	"net/url"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// startPath is the page on which script begins, relative to the site's base URL.
const startPath = "/app"

// script returns the steps with which a browser asks on the site. They are based on public
// knowledge of gemini.google.com and must be reviewed when the site changes. Element names and test
// ids have been more stable than class names. Labels are in the visitor's language.
//
// The answer is complete when an action bar appears below it.
//
// The site refuses with a captcha page, which has a form to /sorry/, with a consent form, or with a
// sign-in form. The reader recognises all of them.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`rich-textarea [contenteditable="true"]`, prompt),
		browser.Submit(`button.send-button`),
		browser.TakeStream("/StreamGenerate"),
		browser.TakePage(`model-response message-actions [data-test-id="copy-button"], ` +
			`model-response .response-footer.complete, form[id*="challenge"], form[action*="/sorry/"]`),
	}
}

// vertexHost ends the host names of Vertex AI, which serves the same API to customers of Google Cloud.
const vertexHost = "aiplatform.googleapis.com"

// apiQuestion asks the API with its search tool enabled; the model decides whether to search. The
// API supports languages but not countries, so the request does not say where the question is asked
// from.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	language := cmp.Or(q.Locale.Language, geo.Language(q.Locale.Country))
	method, accept, query := ":streamGenerateContent", "text/event-stream", url.Values{"alt": {"sse"}}
	if q.NoStream {
		method, accept, query = ":generateContent", "application/json", nil
	}
	body := map[string]any{
		"contents":   []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": q.Prompt}}}},
		"tools":      []any{map[string]any{"googleSearch": map[string]any{}}},
		"toolConfig": map[string]any{"retrievalConfig": map[string]any{"languageCode": language}},
	}
	if !strings.HasSuffix(q.Host, vertexHost) {
		body["store"] = false // otherwise Google keeps the question; Vertex AI has no such field
	}
	request, err := upstream.PostJSON(apiSite, "/models/"+url.PathEscape(q.Model)+method, accept, body, q.Locale)
	request.Query = query
	request.Refusal = vendorapi.RefusalBody
	return request, err
}
