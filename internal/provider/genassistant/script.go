package genassistant

import "earshot/internal/browser"

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
