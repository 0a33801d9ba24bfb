package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"earshot"
	"earshot/internal/browser"
	"earshot/internal/geo"
)

// Session is what one attempt of a job has to reach outside with. It belongs to
// that attempt; Fetch alone may be called from several goroutines.
type Session struct {
	client     *Client
	attempt    int
	captureURL string
	kept       [][]byte

	mu      sync.Mutex
	fetched [][]byte
}

// Surface is the kind of upstream at the other end.
func (s *Session) Surface() earshot.Surface { return s.client.surface }

// Keep stores a document that was parsed, once the job succeeds, and tells the
// URL at which it will be served.
func (s *Session) Keep(document []byte) string {
	s.kept = append(s.kept, document)
	return fmt.Sprintf("%s/page-%d.html", s.captureURL, len(s.kept))
}

// Kept are the documents given to Keep, in order.
func (s *Session) Kept() [][]byte { return s.kept }

// Fetched are the documents that came back so far.
func (s *Session) Fetched() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.fetched)
}

// Request is a document to fetch.
type Request struct {
	Site   string // one of the client's sites
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte // makes it a POST
	Locale geo.Locale
	// Steps are how a browser gets the document, once it has opened the page; a
	// client without a browser fetches it plainly.
	Steps []browser.Step
	// Refusal judges an answer with an error status; nil means to go by the status
	// alone.
	Refusal func(status int, header http.Header, body []byte) *Failure
}

// PostJSON makes the request for a document that is asked for with a JSON body.
func PostJSON(site, path, accept string, body any, locale geo.Locale) (Request, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return Request{}, fmt.Errorf("encode the request to %s: %w", site, err)
	}
	return Request{
		Site:   site,
		Path:   path,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {accept}},
		Body:   encoded,
		Locale: locale,
	}, nil
}

// Response is a document that came back with a 2xx status.
type Response struct {
	Header http.Header
	Body   []byte
}

// Fetch gets a document whole. It returns a *Failure when the upstream refused,
// failed, took too long or sent too much, and ctx's error when that was
// cancelled.
func (s *Session) Fetch(ctx context.Context, req Request) (*Response, error) {
	if s.client.stored != nil {
		return s.client.stored.next()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(idleGap, func() { cancel(errIdle) })
	defer idle.Stop()

	httpReq, err := s.newRequest(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.http.Do(httpReq)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	defer resp.Body.Close()
	if err := statusFailure(resp.StatusCode); err != nil {
		return nil, err
	}
	body, err := s.client.read(ctx, progress{resp.Body, idle})
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	if len(body) > maxBody {
		return nil, Fail(earshot.ReasonUnreadable, "body exceeds %d bytes", maxBody)
	}
	s.mu.Lock()
	s.fetched = append(s.fetched, body)
	s.mu.Unlock()
	return &Response{Header: resp.Header, Body: body}, nil
}

// read takes a body, one byte beyond the limit if there is that much. Only so
// many large ones are taken at a time: many hostile sites at once must not fill
// the memory.
func (c *Client) read(ctx context.Context, from io.Reader) ([]byte, error) {
	var body bytes.Buffer
	if _, err := io.CopyN(&body, from, largeBody); err != nil {
		if errors.Is(err, io.EOF) {
			return body.Bytes(), nil
		}
		return nil, err
	}
	select {
	case c.large <- struct{}{}:
		defer func() { <-c.large }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	_, err := io.CopyN(&body, from, maxBody+1-largeBody)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return body.Bytes(), nil
}

// Redirect asks for a document that is only a pointer to another, and tells where
// it leads. It follows nothing. Errors are as Fetch's; an answer that is no
// redirect is a *Failure too.
func (s *Session) Redirect(ctx context.Context, req Request) (location string, err error) {
	if s.client.stored != nil {
		return s.client.stored.redirect(req)
	}
	httpReq, err := s.newRequest(ctx, req)
	if err != nil {
		return "", err
	}
	key := httpReq.URL.String()
	if location, ok := s.client.redirects.find(key); ok {
		return location, nil
	}
	resp, err := s.client.http.Do(httpReq)
	if err != nil {
		return "", s.failure(ctx, err)
	}
	defer resp.Body.Close()
	location = resp.Header.Get("Location")
	if resp.StatusCode < 300 || resp.StatusCode > 399 || location == "" {
		if err := statusFailure(resp.StatusCode); err != nil && resp.StatusCode >= 400 {
			return "", err
		}
		return "", Fail(earshot.ReasonUnreadable, "status %d without a redirect", resp.StatusCode)
	}
	s.client.redirects.add(key, location)
	return location, nil
}

var errIdle = errors.New("no data for " + idleGap.String())

// progress restarts the idle timer with every piece that arrives.
type progress struct {
	io.Reader
	idle *time.Timer
}

func (p progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.idle.Reset(idleGap)
	return n, err
}

func (s *Session) newRequest(ctx context.Context, req Request) (*http.Request, error) {
	base, ok := s.client.sites[req.Site]
	if !ok {
		return nil, Fail(earshot.ReasonUnavailable, "no site %q is configured", req.Site)
	}
	target := base.JoinPath(req.Path)
	target.RawQuery = req.Query.Encode()
	method := http.MethodGet
	if req.Body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(req.Body))
	if err != nil {
		return nil, fmt.Errorf("upstream request to %s: %w", req.Site, err)
	}
	if req.Header != nil {
		r.Header = req.Header.Clone()
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "earshot")
	}
	r.Header.Set("Accept-Language", geo.AcceptLanguage(req.Locale))
	if s.client.surface == earshot.SurfaceLab {
		// The lab cannot tell where a connection leaves from, nor which try it is.
		r.Header.Set("Lab-Country", req.Locale.Country)
		r.Header.Set("Lab-State", req.Locale.State)
		r.Header.Set("Lab-Attempt", strconv.Itoa(s.attempt))
	}
	return r, nil
}

// failure tells apart why a fetch broke off.
func (s *Session) failure(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle), errors.Is(cause, context.DeadlineExceeded):
		return &Failure{Reason: earshot.ReasonTimeout, Err: cause}
	case cause != nil:
		return cause
	default:
		// The URL that a *url.Error names holds the user's question.
		if named, ok := errors.AsType[*url.Error](err); ok {
			err = named.Err
		}
		return &Failure{Reason: earshot.ReasonUnavailable, Err: err}
	}
}

func statusFailure(status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return Fail(earshot.ReasonBlocked, "status %d", status)
	default:
		return Fail(earshot.ReasonUnavailable, "status %d", status)
	}
}
