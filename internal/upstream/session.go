package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/geo"
)

// Session is what one attempt of a job has to reach outside with. It belongs to
// that attempt; Fetch alone may be called from several goroutines.
type Session struct {
	client     *Client
	attempt    int
	captureURL string
	kept       [][]byte
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

// Request is a document to fetch.
type Request struct {
	Site   string // one of the client's sites
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte // makes it a POST
	Locale geo.Locale
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
	var body bytes.Buffer
	limited := io.LimitReader(progress{resp.Body, idle}, maxBody+1)
	if _, err := body.ReadFrom(limited); err != nil {
		return nil, s.failure(ctx, err)
	}
	if body.Len() > maxBody {
		return nil, Fail(earshot.ReasonUnreadable, "body exceeds %d bytes", maxBody)
	}
	return &Response{Header: resp.Header, Body: body.Bytes()}, nil
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
	r.Header.Set("User-Agent", "earshot")
	r.Header.Set("Accept-Language", geo.AcceptLanguage(req.Locale.Country))
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
		return &Failure{earshot.ReasonTimeout, cause}
	case cause != nil:
		return cause
	default:
		return &Failure{earshot.ReasonUnavailable, err}
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
