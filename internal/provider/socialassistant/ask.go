package socialassistant

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
// knowledge of grok.com and must be reviewed when the site changes. The site has few ids, and its
// labels are in the visitor's language.
//
// The answer is complete when an action bar appears below it. It has more buttons than the action
// bar of a question.
//
// The site refuses with a challenge instead of the page or the stream, in a form whose id contains
// "challenge". The reader recognises it.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`form textarea, form [contenteditable="true"]`, prompt),
		browser.Submit(`form button[type="submit"]`),
		browser.TakeStream(linesPath),
		browser.TakePage(`.message-bubble ~ .action-buttons button:nth-of-type(3), form[id*="challenge"]`),
	}
}

// api describes the official API.
var api = provider.API{
	Name: "xai", URL: "https://api.x.ai/v1", Model: provider.DefaultModel("xai"), KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	Place: "country, state",
}

// apiQuestion asks for a search of the web from the location, and of posts, which have none.
func apiQuestion(q chat.Question) (*upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, NoStream: q.NoStream, Search: true, Posts: true})
}
