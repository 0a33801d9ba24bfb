package chatassistant

import "earshot/internal/browser"

// startPath is the page that script begins on, below the site's base.
const startPath = "/"

// script is how a browser asks on the site itself. It is made from what is
// publicly known of chatgpt.com, and needs the operator's eye when the site
// changes: ids and test ids have outlasted its releases so far.
//
// The stream is what both interfaces answer with, /backend-api/conversation and
// its successors /backend-api/f/conversation and /backend-anon/f/conversation.
// A page has its answer whole once the answer's turn can be copied or rated; a
// question's turn can be copied too.
//
// The site refuses with a challenge in the place of the page or of the stream, by
// #challenge-form and other ids that begin so, and with a sign-in form, all of
// which the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#prompt-textarea`, prompt),
		browser.Submit(`button[data-testid="send-button"]`),
		browser.TakeStream("/conversation"),
		browser.TakePage(`[data-turn="assistant"] [data-testid="copy-turn-action-button"], ` +
			`[data-testid="good-response-turn-action-button"], form[id*="challenge"]`),
	}
}
