package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream/browser"
)

// call is a request of a session with the data that is needed to send it.
type call struct {
	*Request

	// wire is the HTTP request.
	wire *http.Request
	// visit says that a browser sends the request.
	visit bool
	// paid says that it costs money, so it must not be sent twice.
	paid bool
	// pointer says that only the redirect in the response is needed.
	pointer bool
	// The attempt that the call belongs to.
	provider string
	account  string
	attempt  int
}

// exchanger returns the responses to calls: from the network, a recording or stored
// documents. Its errors need not be a *Failure.
type exchanger interface {
	exchange(c *call) (*http.Response, error)
}

// Visitor opens pages in a browser.
type Visitor interface {
	Visit(ctx context.Context, visit browser.Visit) (*browser.Document, error)
}

// network is the exchanger that sends calls to the sites.
type network struct {
	transport http.RoundTripper
	once      http.RoundTripper // never sends a request twice
	browser   Visitor           // may be nil
}

func (n network) exchange(c *call) (*http.Response, error) {
	switch {
	case c.visit:
		return n.visit(c)
	case c.paid:
		return n.once.RoundTrip(c.wire)
	default:
		return n.transport.RoundTrip(c.wire)
	}
}

// visit opens the page in the browser.
func (n network) visit(c *call) (*http.Response, error) {
	visit := browser.Visit{
		URL: c.wire.URL.String(), Account: c.account, Language: geo.AcceptLanguage(c.Locale), Place: c.Locale.Place(),
		Phone: c.Phone, Steps: c.Steps,
	}
	document, err := n.browser.Visit(c.wire.Context(), visit)
	if errors.Is(err, browser.ErrCrashed) { // usually caused by another page
		document, err = n.browser.Visit(c.wire.Context(), visit)
	}
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {document.ContentType}}
	if document.Partial {
		header.Set(partialHeader, "true")
	}
	if document.Status == http.StatusFound { // browser.Visit reports a redirect this way
		header.Set("Location", document.URL)
	}
	return response(document.Status, header, document.Body), nil
}

// partialHeader marks an incomplete document: the browser stopped waiting for the rest.
const partialHeader = "Earshot-Partial"

// response returns a response that did not come over the network.
func response(status int, header http.Header, body []byte) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}
}

// NoBrowser is the Visitor on a machine without a browser.
type NoBrowser struct{ Err error }

// Visit returns a final failure.
func (n NoBrowser) Visit(context.Context, browser.Visit) (*browser.Document, error) {
	return nil, &Failure{Reason: earshot.ReasonUnavailable, Err: errors.Join(ErrNoBrowser, n.Err), Final: true}
}

// ErrNoBrowser is the error of a page that needs a browser on a machine without one.
var ErrNoBrowser = errors.New("this page needs a browser, but no browser is available")
