package answerengine

import "earshot/internal/browser"

// startPath is the page that script begins on, below the site's base.
const startPath = "/"

// script is how a browser asks on the site itself. It is made from what is
// publicly known of perplexity.ai, and needs the operator's eye when the site
// changes.
//
// A page has its answer whole once that can be copied. The button has no other
// name than its label, which is in the visitor's language, so that the page is
// found where that is English; the stream is found everywhere.
//
// The site refuses with a challenge in the place of the page or of the stream, by
// #challenge-form and other ids that begin so, which the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#ask-input`, prompt),
		browser.Submit(`button[data-testid="submit-button"], button[aria-label="Submit"]`),
		browser.TakeStream(streamPath),
		browser.TakePage(`[id^="markdown-content-"] ~ * button[aria-label="Copy"], form[id*="challenge"]`),
	}
}
