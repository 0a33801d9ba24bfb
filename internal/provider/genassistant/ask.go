package genassistant

import (
	"cmp"
	"net/http"
	"net/url"
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
const startPath = "/app"

// script is how a browser asks on the site itself. It is made from what is
// publicly known of gemini.google.com, and needs the operator's eye when the site
// changes: the names of its elements and its test ids have outlasted its classes,
// and its labels are in the visitor's language.
//
// A page has its answer whole once there is a bar of actions below it.
//
// The site refuses with a page of its network that asks for a captcha, by a form
// to /sorry/, with a form about consent, and with a sign-in form, all of which
// the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`rich-textarea [contenteditable="true"]`, prompt),
		browser.Submit(`button.send-button`),
		browser.TakeStream("/StreamGenerate"),
		browser.TakePage(`model-response message-actions [data-test-id="copy-button"], ` +
			`model-response .response-footer.complete, form[id*="challenge"], form[action*="/sorry/"]`),
	}
}

// apiQuestion asks the API with its search turned on; the model decides whether
// it searches. The API knows languages and no countries, so nothing here says
// where the question is asked from.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	language := cmp.Or(q.Locale.Language, geo.Language(q.Locale.Country))
	request, err := upstream.PostJSON(apiSite, "/models/"+url.PathEscape(q.Model)+":streamGenerateContent", "text/event-stream", map[string]any{
		"contents":   []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": q.Prompt}}}},
		"tools":      []any{map[string]any{"googleSearch": map[string]any{}}},
		"toolConfig": map[string]any{"retrievalConfig": map[string]any{"languageCode": language}},
	}, q.Locale)
	request.Query = url.Values{"alt": {"sse"}}
	request.Refusal = apiRefusal
	return request, err
}

// apiRefusal judges an answer with an error status.
func apiRefusal(status int, header http.Header, body []byte) *upstream.Failure {
	value, _ := loosejson.Decode(webtext.ValidText(string(body)))
	if list := loosejson.AsObjects(value); len(list) > 0 {
		value = list[0] // a stream that is no event stream
	}
	return errorFailure(status, header, loosejson.AsObject(value).Object("error"))
}

// errorFailure judges an error that the API describes.
func errorFailure(status int, header http.Header, failed loosejson.Object) *upstream.Failure {
	codes := []string{failed.Amount("code"), failed.Text("status")}
	header = header.Clone()
	for _, detail := range failed.Objects("details") {
		codes = append(codes, detail.Text("reason"))
		if delay := detail.Text("retryDelay"); delay != "" {
			if header == nil {
				header = http.Header{}
			}
			header.Set("Retry-After", delay)
		}
	}
	codes = slices.DeleteFunc(codes, func(code string) bool { return code == "" })
	return vendorapi.Refusal(status, header, codes, failed.Text("message"))
}
