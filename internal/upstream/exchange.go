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

// call is one request of a session on its way out.
type call struct {
	*Request

	// wire is the request as it goes over the network.
	wire *http.Request
	// visit says that a browser makes it.
	visit bool
	// pointer says that only the redirect in the answer is wanted.
	pointer bool
	// The attempt that it belongs to.
	provider string
	attempt  int
}

// exchanger carries out calls: over the network, from a recording, or from stored
// documents. Its errors need not be a *Failure.
type exchanger interface {
	exchange(c *call) (*http.Response, error)
}

// Visitor opens pages in a browser.
type Visitor interface {
	Visit(ctx context.Context, visit browser.Visit) (*browser.Document, error)
}

// network reaches the sites themselves.
type network struct {
	transport http.RoundTripper
	browser   Visitor // nil for none
}

func (n network) exchange(c *call) (*http.Response, error) {
	if !c.visit {
		return n.transport.RoundTrip(c.wire)
	}
	return n.visit(c)
}

// visit has the browser open the page.
func (n network) visit(c *call) (*http.Response, error) {
	visit := browser.Visit{
		URL: c.wire.URL.String(), Language: geo.AcceptLanguage(c.Locale), Place: c.Locale.Place(),
		Phone: c.Phone, Steps: c.Steps,
	}
	document, err := n.browser.Visit(c.wire.Context(), visit)
	if errors.Is(err, browser.ErrCrashed) { // most often another page's fault
		document, err = n.browser.Visit(c.wire.Context(), visit)
	}
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {document.ContentType}}
	if document.Partial {
		header.Set(partialHeader, "true")
	}
	if document.Status == http.StatusFound { // a page never has it
		header.Set("Location", document.URL)
	}
	return response(document.Status, header, document.Body), nil
}

// partialHeader marks a document that a browser gave up waiting for.
const partialHeader = "Earshot-Partial"

// response is an answer that did not come over the network.
func response(status int, header http.Header, body []byte) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}
}

// NoBrowser takes the place of a browser on a machine that has none.
type NoBrowser struct{ Err error }

// Visit fails.
func (n NoBrowser) Visit(context.Context, browser.Visit) (*browser.Document, error) {
	return nil, &Failure{Reason: earshot.ReasonUnavailable, Err: errors.Join(errNoBrowser, n.Err), Final: true}
}

var errNoBrowser = errors.New("this page needs a browser, and there is none")
