package officeassistant

import (
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// startPath is the page that script begins on, below the site's base.
const startPath = "/"

// script is how a browser asks on the site itself. It is made from what is
// publicly known of copilot.microsoft.com, and needs the operator's eye when the
// site changes.
//
// The page is taken, since answers come over a WebSocket. It has its answer whole
// once that can be copied or rated.
//
// The site refuses with a challenge in the place of the page or within it, by
// #challenge-form and by class names with turnstile, and with a sign-in form, all
// of which the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#userInput, [data-testid="composer-input"]`, prompt),
		browser.Submit(`button[data-testid="submit-button"]`),
		browser.TakePage(`[data-testid="copy-ai-message-button"], [data-testid="message-item-reactions"], form[id*="challenge"]`),
	}
}

// api is any API of the Responses family: only the operator knows where theirs
// is, and which model it has.
var api = provider.API{Name: "responses", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Place: "country, state"}

func apiQuestion(q chat.Question) (*upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, Search: true})
}
