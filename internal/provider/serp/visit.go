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
	// resultsShown is on a result page once its scripts have filled it: a link among the
	// results, or what is said where there are none.
	resultsShown = `#rso a[href], #search a[href], :is(#topstuff, #botstuff) :is(a[href], p, [role="heading"]), #main a :is(h3, [role="heading"])`

	// AnswerShown is on a page of AI mode once its answer is complete.
	AnswerShown = `[data-complete="true"] [data-subtree="` + answerTree + `"]`

	// refused is on a page that lets only people on.
	refused = `form[action*="/sorry/"], #captcha-form, form[id*="challenge"], [class*="captcha"], iframe[src*="captcha"]`

	// consentForm asks for consent before it goes on. Its buttons are forms of their own, one of
	// which says no to everything.
	consentForm    = `form[action*="consent"][method="post" i]`
	consentButton  = ` :is(button, input[type="submit"], [role="button"])`
	consentRefused = consentForm + `:has([name="set_eom"][value="true"])` + consentButton
)

// visit is how a browser gets a page: it takes what is shown, or what refuses us, and
// presses a button where consent is asked for, above all the one that refuses it.
func visit(take browser.Step) []browser.Step {
	return []browser.Step{take, browser.TakePage(refused), browser.Pass(consentRefused), browser.Pass(consentForm + consentButton)}
}

// Visited is the request for a page, with what a browser does to get it: it waits until
// something is shown.
func Visited(request *upstream.Request, shown string) *upstream.Request {
	request.Steps, request.Plain = visit(browser.TakeSettled(shown)), true
	return request
}

// linkRefusal recognises what keeps us from learning where a redirect link leads.
func linkRefusal(_ int, _ http.Header, body []byte) *upstream.Failure {
	challenge := false
	err := rawdoc.ReadHTML(body, func(page *goquery.Document) error {
		challenge = markup.IsChallenge(page)
		return nil
	})
	if err == nil && challenge {
		return upstream.Fail(earshot.ReasonBlocked, "challenge or consent page in the place of a redirect")
	}
	return nil
}
