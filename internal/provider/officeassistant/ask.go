package officeassistant

import (
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// startPath is the page on which script begins, relative to the site's base URL.
const startPath = "/"

// script returns the steps with which a browser asks on the site. They are based on public
// knowledge of copilot.microsoft.com and must be reviewed when the site changes.
//
// The script takes the page, because answers come over a WebSocket. The answer is complete when it
// can be copied or rated.
//
// The site refuses with a challenge instead of the page or on it, in a form whose id contains
// "challenge" or an element with "turnstile" in its class, or with a sign-in form. The reader
// recognises all of them.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#userInput, [data-testid="composer-input"]`, prompt),
		browser.Submit(`button[data-testid="submit-button"]`),
		browser.TakePage(`[data-testid="copy-ai-message-button"], [data-testid="message-item-reactions"], form[id*="challenge"]`),
	}
}

// api is any API of the Responses family. Only the operator knows its URL and model.
var api = provider.API{Name: "responses", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Place: "country, state"}

func apiQuestion(q chat.Question) (*upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, NoStream: q.NoStream, Search: true})
}
