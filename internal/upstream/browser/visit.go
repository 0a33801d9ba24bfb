package browser

// Visit is a page to open and what to do on it, as data: providers describe
// visits, and only this package drives a browser.
type Visit struct {
	URL string
	// Language is the value of Accept-Language, and what scripts see as the
	// languages of the browser. Their order counts; the weights are Chromium's.
	Language string
	// Place is where the visit is to come from, as egress.Routes names it: a country, or
	// a country and a state, such as US-CA.
	Place string
	// Phone makes the screen a phone's, and is what the user agent names in the place of
	// the machine, such as "Linux; Android 15"; "" for a desktop. The rest of the user agent
	// stays Chromium's own.
	Phone string
	Steps []Step
}

// Verb is what a step does.
type Verb string

// The verbs. A take ends the visit. With several takes at the end of the steps, the
// first that has a document ends it, but no page is taken while a stream is active.
// Passes stand among the takes: while none of them has a document, the first button that
// is there is pressed, and no other after it.
const (
	VerbType         Verb = "type"          // types Text into the field At
	VerbSubmit       Verb = "submit"        // presses the button At, or Enter in the field At, once it is enabled
	VerbWait         Verb = "wait"          // until an element At is there
	VerbPass         Verb = "pass"          // presses the button At if that is in the way
	VerbTakeStream   Verb = "take-stream"   // the body of the response whose path ends in At, once it is complete
	VerbTakePage     Verb = "take-page"     // the current page, once an element At is there
	VerbTakeSettled  Verb = "take-settled"  // the current page, once an element At is there and nothing changes any more
	VerbTakeRedirect Verb = "take-redirect" // where the page leads outside of the site At, which is not opened
)

// Step is one thing to do on a page. At is a CSS selector but for a stream and a redirect.
type Step struct {
	Verb Verb   `json:"verb"`
	At   string `json:"at"`
	Text string `json:"text,omitempty"`
}

// Type types text into the field at.
func Type(at, text string) Step { return Step{VerbType, at, text} }

// Submit presses the button at, or Enter in the field at.
func Submit(at string) Step { return Step{Verb: VerbSubmit, At: at} }

// Wait waits until an element at is there.
func Wait(at string) Step { return Step{Verb: VerbWait, At: at} }

// TakeStream ends the visit with the body of the response whose path ends in
// path, once it is complete.
func TakeStream(path string) Step { return Step{Verb: VerbTakeStream, At: path} }

// TakePage ends the visit with the current page once an element at is there.
func TakePage(at string) Step { return Step{Verb: VerbTakePage, At: at} }

// Pass presses the button at, once, if it is there before what is to be taken.
func Pass(at string) Step { return Step{Verb: VerbPass, At: at} }

// TakeSettled ends the visit with the current page once an element at is there and
// the page has stopped changing. One that comes to rest without it is given up, as it is
// where only a redirect would do.
func TakeSettled(at string) Step { return Step{Verb: VerbTakeSettled, At: at} }

// TakeRedirect ends the visit with the address outside of a site, a host with all that
// are below it, to which the page leads by whatever means. Nothing is sent there. It is
// the URL of a Document with the status 302.
func TakeRedirect(site string) Step { return Step{Verb: VerbTakeRedirect, At: site} }
