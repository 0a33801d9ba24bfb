package socialassistant

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
// publicly known of grok.com, and needs the operator's eye when the site changes:
// it has few ids, and its labels are in the visitor's language.
//
// A page has its answer whole once there is a bar of actions below it, which has
// more buttons than the bar of a question.
//
// The site refuses with a challenge in the place of the page or of the stream, by
// #challenge-form and other ids that begin so, which the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`form textarea, form [contenteditable="true"]`, prompt),
		browser.Submit(`form button[type="submit"]`),
		browser.TakeStream(linesPath),
		browser.TakePage(`.message-bubble ~ .action-buttons button:nth-of-type(3), form[id*="challenge"]`),
	}
}

// api is how the official API is reached.
var api = provider.API{
	Name: "xai", URL: "https://api.x.ai/v1", Model: "grok-4.3", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	Place: "it is told, but whether it heeds that is not known, so the result names no place",
}

// apiQuestion tells the API the place. Whether the API takes notice of it is not
// known, so no answer claims to be for that place.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, Search: true, Posts: true})
}
