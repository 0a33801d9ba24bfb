package serp

import (
	"net/http"

	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

const (
	// resultsShown matches a result page once its scripts have filled it: a link among the results,
	// or the text for no results.
	resultsShown = `#rso a[href], #search a[href], :is(#topstuff, #botstuff) :is(a[href], p, [role="heading"]), #main a :is(h3, [role="heading"])`

	// AnswerShown matches a page of AI mode once its answer is complete.
	AnswerShown = `[data-complete="true"] [data-subtree="` + answerTree + `"]`

	// refused matches a page that only lets people continue.
	refused = `form[action*="/sorry/"], #captcha-form, form[id*="challenge"], [class*="captcha"], iframe[src*="captcha"]`

	// consentForm matches a form that asks for consent. Each button is a form of its own; the form
	// that consentRefused matches refuses everything.
	consentForm    = `form[action*="consent"][method="post" i]`
	consentButton  = ` :is(button, input[type="submit"], [role="button"])`
	consentRefused = consentForm + `:has([name="set_eom"][value="true"])` + consentButton
)

// visit returns the steps by which a browser gets a page. It takes the page that is shown or that
// refuses us. On a consent page it presses a button, preferably the one that refuses consent.
func visit(take browser.Step) []browser.Step {
	return []browser.Step{take, browser.TakePage(refused), browser.Pass(consentRefused), browser.Pass(consentForm + consentButton)}
}

// WithBrowserSteps sets the steps by which a browser gets the page: it waits until an element that matches
// shown appears.
func WithBrowserSteps(request *upstream.Request, shown string) *upstream.Request {
	request.Steps, request.Plain = visit(browser.TakeSettled(shown)), true
	return request
}

// linkRefusal recognises a page that the engine sends instead of a redirect.
func linkRefusal(_ int, _ http.Header, body []byte) *upstream.Failure {
	challenge := false
	err := rawdoc.ReadHTML(body, func(page *goquery.Document) error {
		challenge = markup.IsChallenge(page)
		return nil
	})
	if err == nil && challenge {
		return upstream.Fail(earshot.ReasonBlocked, "challenge or consent page instead of a redirect")
	}
	return nil
}
