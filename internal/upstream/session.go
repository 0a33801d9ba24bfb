package upstream

import (
	"bytes"
	"cmp"
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
	"earshot/internal/geo"
	"earshot/internal/limits/share"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream/browser"
	"earshot/internal/upstream/egress"
)

// Session makes the requests of one attempt of a job to one upstream. Only Fetch may be
// called from several goroutines.
type Session struct {
	client     *Client
	provider   string // the provider of the attempt; "" outside of Routes
	account    string // the organization that asks; "" outside of Routes
	turn       *share.Turn
	job        context.Context // the context of the whole job; nil outside of Routes
	attempt    int
	sample     string // see Attempt
	captureURL string
	kept       [][]byte

	buyer Buyer // pays for requests; nil if nothing is paid for

	mu      sync.Mutex
	fetched [][]byte
	prepaid bool // the budget has already counted the next call
}

// Via returns the name of the vendor that is asked, "" for any other upstream.
func (s *Session) Via() string { return s.client.via }

// Entry returns the name of the model in the operator's list that is asked, "" for any other
// upstream.
func (s *Session) Entry() string { return s.client.entry }

// Time returns how long one attempt through this upstream may take: pages, or longer
// where the operator pays for the request whether we wait for it or not.
func (s *Session) Time(pages time.Duration) time.Duration {
	if s.client.Paid() {
		return max(pages, paidTime)
	}
	return pages
}

// Option returns a setting that only the adapter of the upstream uses, such as the zone of
// an account.
func (s *Session) Option(name string) string {
	if s.client.api == nil {
		return ""
	}
	return s.client.api.Options[name]
}

// PollEvery returns the configured minimum time between two polls of an order, or
// otherwise if it is not configured.
func (s *Session) PollEvery(otherwise time.Duration) time.Duration {
	return cmp.Or(s.client.poll, otherwise)
}

// Wait returns the configured time that an order may wait for its answer, or otherwise if
// it is not configured.
func (s *Session) Wait(otherwise time.Duration) time.Duration {
	return cmp.Or(s.client.wait, otherwise)
}

// Upstream returns the name of the upstream.
func (s *Session) Upstream() string { return s.client.name }

// Ceiling returns the most that may be spent on the upstream in a day, or 0 for no ceiling.
func (s *Session) Ceiling() USD { return s.client.ceiling }

// Surface returns the kind of the upstream.
func (s *Session) Surface() earshot.Surface { return s.client.surface }

// Model returns the model to request from an official API.
func (s *Session) Model() string { return s.client.Model() }

// APIHost returns the host name of an official API, or "" for any other upstream.
func (s *Session) APIHost() string {
	if s.client.api == nil || s.client.sites[s.client.api.Name] == nil {
		return ""
	}
	return s.client.sites[s.client.api.Name].Hostname()
}

// Streams reports whether to ask an official API for a stream.
func (s *Session) Streams() bool { return !s.client.noStream.Load() }

// StopStreaming asks the official API without streaming for the rest of the process.
func (s *Session) StopStreaming() { s.client.noStream.Store(!s.client.replayed) }

// Browses reports whether pages can be opened in a browser.
func (s *Session) Browses() bool { return s.client.browser }

// Location returns the place from which the upstream is asked, or nil if it is not known.
// For an official API it is only correct if the provider sends the place in the request.
func (s *Session) Location(locale geo.Locale) *earshot.Location { return s.client.locate(locale) }

// Keep marks a document for storage if the job succeeds. It returns the URL at which the
// document will be served.
func (s *Session) Keep(document []byte) string {
	s.kept = append(s.kept, document)
	return fmt.Sprintf("%s/page-%d.html", s.captureURL, len(s.kept))
}

// Kept returns the documents that Keep got, in order.
func (s *Session) Kept() [][]byte { return s.kept }

// Fetched returns the documents that were fetched so far.
func (s *Session) Fetched() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.fetched)
}

// NoteFetched adds a document to those that were fetched.
func (s *Session) NoteFetched(document []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched = append(s.fetched, document)
}

// Request is a document to fetch.
type Request struct {
	Site   string // one of the client's sites
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte // if not nil, the method is POST
	Locale geo.Locale
	// Steps are what a browser does after it has opened the page, to get the document. A
	// client without a browser fetches the page with a plain request.
	Steps []browser.Step
	// Plain says that the site also serves the document without a browser. Then a machine
	// without a browser fetches it with a plain request.
	Plain bool
	// Phone is the phone that a browser emulates, see browser.Visit.
	Phone string
	// Refusal returns the failure for a response with an error status or without the
	// expected redirect. If Refusal is nil or returns nil, the status decides.
	Refusal func(status int, header http.Header, body []byte) *Failure
	// Free says that an upstream that charges does not charge for this request.
	Free bool
	// Buys is what a request to an upstream that charges buys. Nil means one answer.
	Buys *Parts
	// Judge says what a response with a 2xx status means. Nil means that each is an answer.
	Judge func(document []byte) Verdict
}

// PostJSON returns a POST request with a JSON body.
func PostJSON(site, path, accept string, body any, locale geo.Locale) (*Request, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request to %s: %w", site, err)
	}
	return &Request{
		Site:   site,
		Path:   path,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {accept}},
		Body:   encoded,
		Locale: locale,
	}, nil
}

// Response is a response with a 2xx status.
type Response struct {
	Header http.Header
	Body   []byte
	// Partial says that a browser stopped waiting for the rest of the document. The
	// document may still show that the site blocks us.
	Partial bool
}

// Judge returns the error of an attempt, given the error of parsing the response. For a
// partial response it returns a failure for the missing rest, unless err says that the site
// blocks us.
func (r *Response) Judge(err error) error {
	if failure, ok := errors.AsType[*Failure](err); !r.Partial || ok && failure.Reason == earshot.ReasonBlocked {
		return err
	}
	return Fail(earshot.ReasonUnavailable, "the page did not load completely")
}

// Fetch returns a complete document. It returns a *Failure if the upstream refused, failed,
// took too long or sent too much, and the error of ctx if ctx was cancelled. It gives back
// the turn of the job while it waits.
func (s *Session) Fetch(ctx context.Context, req *Request) (response *Response, err error) {
	s.turn.Pause()
	if s.costs(req) {
		response, err = s.buyer.Buy(ctx, s, req)
	} else {
		response, err = s.Send(ctx, req)
	}
	if late := s.resume(ctx); late != nil && err == nil {
		err = FailureOf(ctx, late)
	}
	return response, err
}

// resume waits for a turn. It uses the context of the job instead of the attempt's, because
// the upstream is not responsible for the time that a busy node takes.
func (s *Session) resume(ctx context.Context) error {
	if s.job != nil {
		ctx = s.job
	}
	return s.turn.Resume(ctx)
}

// Send sends a request within the limits of calls per minute. Only a Buyer calls it directly.
func (s *Session) Send(ctx context.Context, req *Request) (_ *Response, err error) {
	ctx, span := s.trace(ctx, req)
	defer func() { endSpan(span, err) }()
	if err := s.spend(ctx, req.Site); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gap := cmp.Or(s.client.idleGap, pageIdleGap)
	idle := time.AfterFunc(gap, func() { cancel(errIdle(gap)) })
	defer idle.Stop()
	out, err := s.newCall(ctx, req)
	if err != nil {
		return nil, err
	}
	if out.visit {
		idle.Stop() // a browser returns the whole document at once
	}
	if failure := s.client.gate.pass(s.client.name); failure != nil {
		return nil, failure
	}
	began := time.Now()
	resp, err := s.client.exchanger.exchange(out)
	if err != nil {
		return nil, FailureOf(ctx, err)
	}
	defer resp.Body.Close()
	idle.Reset(gap)
	span.Int(trace.Status, resp.StatusCode)
	arriving := &progress{resp.Body, idle, gap}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		err := s.client.explain(refusal(req, resp, arriving))
		s.client.gate.note(began, err)
		return nil, err
	}
	s.client.gate.note(began, nil)
	body, err := s.read(ctx, arriving, resp.ContentLength)
	if err != nil {
		return nil, FailureOf(ctx, err)
	}
	s.NoteFetched(body)
	return &Response{Header: resp.Header, Body: body, Partial: resp.Header.Get(partialHeader) != ""}, nil
}

// maxRefusal is how many bytes of a response with an error status are read.
const maxRefusal = 64 << 10

// refusal returns the failure for a response that is not the requested document.
func refusal(req *Request, resp *http.Response, arriving io.Reader) error {
	if req.Refusal != nil {
		body, _ := io.ReadAll(io.LimitReader(arriving, maxRefusal)) // an incomplete body is still useful
		if failure := req.Refusal(resp.StatusCode, resp.Header, body); failure != nil {
			failure.Refused, failure.Status = refusedBy(resp.StatusCode), resp.StatusCode
			return failure
		}
	}
	return statusFailure(resp.StatusCode)
}

// Spend takes the call of the next Send from the budget, and waits for it if necessary.
func (s *Session) Spend(ctx context.Context, site string) error {
	if err := s.spend(ctx, site); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prepaid = true
	return nil
}

// spend takes a call from the budget of an official API or a vendor, and waits for one if
// necessary. The first call is taken before the session begins.
func (s *Session) spend(ctx context.Context, site string) error {
	if s.client.budget == nil || site != s.client.api.Name {
		return nil
	}
	s.mu.Lock()
	prepaid := s.prepaid
	s.prepaid = false
	s.mu.Unlock()
	if prepaid {
		return nil
	}
	if err := s.client.budget.spend(ctx); err != nil {
		return FailureOf(ctx, err)
	}
	return nil
}

// read reads a body. length is -1 if the upstream did not send a length. At most maxLarge
// large bodies are read at a time, and one account gets at most half of these places. So
// hostile sites can neither fill the memory nor block other accounts.
func (s *Session) read(ctx context.Context, from io.Reader, length int64) ([]byte, error) {
	parts := newParts(length)
	done, err := parts.fill(from, largeBody)
	if err != nil {
		return nil, err
	}
	if done {
		return parts.join(), nil
	}
	release, err := s.client.large.Wait(ctx, s.account)
	if err != nil {
		return nil, err
	}
	defer release()
	_, err = parts.fill(from, maxBody+1)
	if err == nil && parts.size > maxBody {
		err = Fail(earshot.ReasonUnreadable, "body exceeds %d bytes", maxBody)
	}
	if err != nil {
		return nil, err
	}
	return parts.join(), nil
}

// parts is a body that is being read. Unlike a buffer that doubles, it uses little more
// memory than the bytes that have arrived.
type parts struct {
	list [][]byte
	size int
	next int // capacity of the next part
}

func newParts(length int64) *parts {
	if length < 0 || length > largeBody {
		return &parts{next: minPart}
	}
	return &parts{next: int(length) + 1} // one more byte, so that Read can return io.EOF
}

// fill reads until limit bytes have arrived, and reports whether the body has ended.
func (p *parts) fill(from io.Reader, limit int) (done bool, err error) {
	for p.size < limit {
		if i := len(p.list) - 1; i < 0 || len(p.list[i]) == cap(p.list[i]) {
			p.list = append(p.list, make([]byte, 0, p.next))
			p.next = min(max(minPart, 2*p.next), maxPart)
		}
		last := &p.list[len(p.list)-1]
		room := min(cap(*last)-len(*last), limit-p.size)
		n, err := from.Read((*last)[len(*last) : len(*last)+room])
		*last = (*last)[:len(*last)+n]
		p.size += n
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

func (p *parts) join() []byte {
	if len(p.list) == 1 {
		return p.list[0]
	}
	return slices.Concat(p.list...)
}

// Redirect requests a document that redirects, and returns the location without following
// it. Errors are the same as for Fetch. A response that is not a redirect is a *Failure.
func (s *Session) Redirect(ctx context.Context, req *Request) (location string, err error) {
	out, err := s.newCall(ctx, req)
	if err != nil {
		return "", err
	}
	out.pointer = true
	key := out.wire.URL.String()
	if location, ok := s.client.redirects.find(key); ok {
		return location, nil
	}
	_, span := s.trace(ctx, req)
	defer func() { endSpan(span, err) }()
	s.turn.Pause()
	resp, err := s.client.exchanger.exchange(out)
	if late := s.resume(ctx); err == nil && late != nil {
		_ = resp.Body.Close()
		err = late
	}
	if err != nil {
		return "", FailureOf(ctx, err)
	}
	defer resp.Body.Close()
	span.Int(trace.Status, resp.StatusCode)
	location = resp.Header.Get("Location")
	if resp.StatusCode < 300 || resp.StatusCode > 399 || location == "" {
		if err := refusal(req, resp, resp.Body); err != nil {
			return "", err
		}
		return "", Fail(earshot.ReasonUnreadable, "status %d without a redirect", resp.StatusCode)
	}
	s.client.redirects.add(key, location)
	return location, nil
}

// errIdle is the error of a fetch that received no data for this time.
type errIdle time.Duration

func (e errIdle) Error() string { return "no data for " + time.Duration(e).String() }

// progress is a reader that restarts the idle timer after every read.
type progress struct {
	io.Reader
	idle *time.Timer
	gap  time.Duration
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.idle.Reset(p.gap)
	return n, err
}

func (s *Session) newCall(ctx context.Context, req *Request) (*call, error) {
	base := cmp.Or(s.client.sites[req.Site], s.client.anySite)
	if base == nil {
		failure := Fail(earshot.ReasonUnavailable, "%s has no site %q", s.client.name, req.Site)
		failure.Final = true
		return nil, failure
	}
	target := base.JoinPath(req.Path)
	target.RawQuery = joinQuery(base.RawQuery, req.Query.Encode())
	method := http.MethodGet
	if req.Body != nil {
		method = http.MethodPost
	}
	ctx = egress.WithPlace(ctx, req.Locale.Place())
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
		// The lab cannot see the place of a connection or the number of the attempt.
		r.Header.Set("Lab-Country", req.Locale.Country)
		r.Header.Set("Lab-State", req.Locale.State)
		r.Header.Set("Lab-Attempt", strconv.Itoa(s.attempt))
		if s.sample != "" {
			r.Header.Set("Lab-Sample", s.sample)
		}
		if s.account != "" {
			r.Header.Set("Lab-Account", s.account)
		}
	}
	if api := s.client.api; api != nil && api.Key != "" && req.Site == api.Name {
		if api.KeyParameter != "" {
			r.URL.RawQuery = joinQuery(r.URL.RawQuery, url.Values{api.KeyParameter: {api.Key}}.Encode())
		} else {
			r.Header.Set(api.KeyHeader, api.KeyPrefix+api.Key)
		}
	}
	return &call{Request: req, wire: r, visit: s.client.visits(req), paid: s.costs(req) && method == http.MethodGet, provider: s.provider, account: s.account, attempt: s.attempt}, nil
}

// joinQuery appends the query of a request to the query of the site's base URL.
func joinQuery(base, query string) string {
	if base == "" || query == "" {
		return base + query
	}
	return base + "&" + query
}
