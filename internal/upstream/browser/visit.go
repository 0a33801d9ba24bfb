package browser

// Visit is a page to open and the steps to do on it. It is data: providers describe
// visits, and only this package drives a browser.
type Visit struct {
	URL string
	// Account is the account that the visit is for. Accounts that wait are served in turn.
	Account string
	// Language is the value of Accept-Language. Scripts see the same languages in the same
	// order; Chromium chooses the weights.
	Language string
	// Place is the location that the visit comes from, as in egress.Routes: a country, or
	// a country and a state, such as US-CA.
	Place string
	// Phone emulates a phone's screen, and replaces the platform in the user agent, such
	// as "Linux; Android 15". The rest of the user agent stays Chromium's own. Empty means
	// a desktop.
	Phone string
	Steps []Step
}

// Verb is the kind of a step.
type Verb string

// The verbs. A take step ends the visit. The steps may end with several take steps; the
// first that has a document ends the visit, but no page is taken while a stream is active.
// Pass steps may be mixed with the take steps: while no take step has a document, the
// first pass step whose button exists presses it. Only one button is pressed in a visit.
const (
	VerbType         Verb = "type"          // types Text into the field At
	VerbSubmit       Verb = "submit"        // presses the button At, or Enter in the field At, once it is enabled
	VerbWait         Verb = "wait"          // waits until the element At exists
	VerbPass         Verb = "pass"          // presses the button At if it exists, such as a consent button
	VerbTakeStream   Verb = "take-stream"   // takes the body of the response whose path ends in At, once it is complete
	VerbTakePage     Verb = "take-page"     // takes the current page, once the element At exists
	VerbTakeSettled  Verb = "take-settled"  // takes the current page, once the element At exists and the page stops changing
	VerbTakeRedirect Verb = "take-redirect" // takes the first address outside of the site At that the page leads to
)

// Step is one thing to do on a page. At is a CSS selector, except for VerbTakeStream (the
// end of a path) and VerbTakeRedirect (a host).
type Step struct {
	Verb Verb   `json:"verb"`
	At   string `json:"at"`
	Text string `json:"text,omitempty"`
}

// Type types text into the field at.
func Type(at, text string) Step { return Step{VerbType, at, text} }

// Submit presses the button at, or Enter in the field at.
func Submit(at string) Step { return Step{Verb: VerbSubmit, At: at} }

// Wait waits until the element at exists.
func Wait(at string) Step { return Step{Verb: VerbWait, At: at} }

// TakeStream ends the visit with the body of the response whose path ends in
// path, once it is complete.
func TakeStream(path string) Step { return Step{Verb: VerbTakeStream, At: path} }

// TakePage ends the visit with the current page once the element at exists.
func TakePage(at string) Step { return Step{Verb: VerbTakePage, At: at} }

// Pass presses the button at once, if it exists before a take step has its document.
func Pass(at string) Step { return Step{Verb: VerbPass, At: at} }

// TakeSettled ends the visit with the current page once the element at exists and
// the page has stopped changing. A page that stops changing without the element is
// returned as partial.
func TakeSettled(at string) Step { return Step{Verb: VerbTakeSettled, At: at} }

// TakeRedirect ends the visit when the page leads to an address outside of a site (a host
// and its subdomains), by an HTTP redirect, a script or a form. The address is not
// requested; it is the URL of a Document with the status 302. A page that stops changing
// without such an address is returned as partial.
func TakeRedirect(site string) Step { return Step{Verb: VerbTakeRedirect, At: site} }
