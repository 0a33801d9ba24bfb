// Package upstream fetches documents from the sites that the operator configured, and
// from no others, within hard limits of time and size.
//
//	client.go     one upstream: its sites, how they are reached, a cache of redirects
//	session.go    the requests of one attempt of a job
//	span.go       the parts of an attempt in traces, and panics of parsers
//	exchange.go   sending requests over the network or with a browser
//	failure.go    errors of upstreams
//	pay.go        requests that cost money, and orders that are answered later
//	price.go      prices
//	gate.go       a stop of all requests to an upstream
//	budget.go     rate limits of official APIs and vendors
//	record.go     recording of all exchanges
//	replay.go     answers from a recording
//	stored.go     answers from documents in memory
package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/limits/share"
)

// Limits of one fetch. The deadline of an attempt is in its context.
const (
	maxBody   = 16 << 20 // after decompression; real pages stay under 4 MiB
	largeBody = 1 << 20  // larger bodies need one of maxLarge places
	maxLarge  = 16       // large bodies that are read at a time; one account gets at most half
	minPart   = 16 << 10 // smallest step by which the memory for a body grows
	maxPart   = 256 << 10
	// streamBuffer is how much an HTTP/2 upstream may send before it is read. The default
	// of 4 MiB for each stream would be too much.
	streamBuffer = 256 << 10
	maxHeader    = 64 << 10 // real sites send up to 20 KiB of cookies and policies
)

// How long an upstream may send nothing before and within a body. Pages pause for up to
// 20 s. Official APIs and vendors may take minutes, and charge for the request even if we
// close the connection.
const (
	pageIdleGap = 30 * time.Second
	paidIdleGap = 300 * time.Second
)

// paidTime is how long one attempt may take with an upstream that charges for it.
const paidTime = 600 * time.Second

// Client is one upstream: it fetches from a set of named sites. It is safe for
// concurrent use.
type Client struct {
	name      string
	surface   earshot.Surface
	sites     map[string]*url.URL
	anySite   *url.URL // base URL of sites that are not listed; nil if they are not allowed
	exchanger exchanger
	idle      func() // closes idle connections
	browser   bool
	plain     bool // the browser is configured but missing on this machine
	api       *API
	noStream  atomic.Bool // the API is asked without streaming from now on
	replayed  bool        // by a recording, which may hold requests with and without streaming
	located   func(place string) bool
	budget    *budget
	via       string
	entry     string
	idleGap   time.Duration
	prices    map[string]Price // by provider
	ceiling   USD              // a day; 0 for no ceiling
	wait      time.Duration
	poll      time.Duration
	gate      gate
	// redirects are cached, because a client often resolves a link again that a result
	// has just contained.
	redirects redirects
	large     *share.Pool // places for large bodies being read
}

// Config is the configuration of a Client.
type Config struct {
	// Name is the name of the upstream in settings and logs. "" means the name of its
	// surface.
	Name    string
	Surface earshot.Surface
	// Sites are the base URLs by the names that providers use.
	Sites map[string]string
	// Dial replaces the default dialler. The lab uses it to route its host names to its
	// listener. May be nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Multiplexed uses HTTP/2 without TLS, as the lab does, so that waiting calls share
	// connections.
	Multiplexed bool
	// Transport replaces the default transport; Dial is then unused. May be nil.
	Transport http.RoundTripper
	// Browser opens pages that need scripts. Nil means that they are fetched without a
	// browser.
	Browser Visitor
	// Located reports whether requests for a place are sent from that place. Nil means
	// always.
	Located func(place string) bool
	// API is set for an official API and for a vendor.
	API *API
	// Via is the name of the vendor, or "" if the upstream is not a vendor.
	Via string
	// Entry is the name of the model in the operator's list that this upstream answers with. It is
	// "" for an upstream that answers every request of a provider.
	Entry string
	// Prices are what an answer costs the operator at most, by provider. They are booked
	// where the upstream does not report its charge.
	Prices map[string]Price
	// Ceiling is the maximum spending on this upstream per day; 0 means no ceiling.
	Ceiling USD
	// Wait is how long an order may wait for its answer; 0 means the vendor's default.
	Wait time.Duration
	// Poll is the shortest time between two polls of an order; 0 means the vendor's default.
	Poll time.Duration
	// Recorder stores every exchange. May be nil.
	Recorder *Recorder
}

// API is the operator's access to an official API or to a vendor.
type API struct {
	Name  string // also the name of the only site that gets the key
	Model string
	// KeyHeader is the header that carries Key, after KeyPrefix.
	KeyHeader, KeyPrefix, Key string
	// KeyParameter is the query parameter that carries Key instead of a header.
	KeyParameter string
	// NoStream asks for whole answers, which do not arrive in pieces.
	NoStream bool
	// Options are settings that only the adapter of the API or vendor uses.
	Options map[string]string
	// Calls limits the jobs that use the API at a time, CallsPerMinute the calls in any
	// minute. 0 means no limit.
	Calls, CallsPerMinute int
}

// NewClient returns a client. It fails if the base of a site is not an absolute http(s)
// URL.
func NewClient(cfg Config) (*Client, error) {
	sites := make(map[string]*url.URL, len(cfg.Sites))
	for name, base := range cfg.Sites {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("upstream site %s: %q is not an absolute http(s) URL", name, base)
		}
		sites[name] = u
	}
	c := &Client{
		name:    cmp.Or(cfg.Name, string(cfg.Surface)),
		surface: cfg.Surface,
		sites:   sites,
		browser: cfg.Browser != nil,
		api:     cfg.API,
		located: cfg.Located,
		large:   share.NewPool(maxLarge),
		via:     cfg.Via,
		entry:   cfg.Entry,
		idleGap: pageIdleGap,
		prices:  cfg.Prices,
		ceiling: cfg.Ceiling,
		wait:    cfg.Wait,
		poll:    cfg.Poll,
	}
	if cfg.API != nil {
		c.idleGap = paidIdleGap
		c.noStream.Store(cfg.API.NoStream)
	}
	_, c.plain = cfg.Browser.(NoBrowser)
	transport, once := cfg.Transport, cfg.Transport
	if transport == nil {
		own := &http.Transport{
			DialContext:            cfg.Dial,
			MaxResponseHeaderBytes: maxHeader,
			MaxIdleConnsPerHost:    256, // all jobs of a provider use one host
			IdleConnTimeout:        90 * time.Second,
			ForceAttemptHTTP2:      true,
			ReadBufferSize:         2 << 10, // small, because each waiting call has one
			WriteBufferSize:        2 << 10,
			HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: streamBuffer},
		}
		if cfg.Multiplexed {
			own.Protocols = new(http.Protocols)
			own.Protocols.SetUnencryptedHTTP2(true)
		}
		transport, c.idle = own, own.CloseIdleConnections
		// net/http repeats a GET whose connection was closed before the response, if it was used before.
		fresh := own.Clone()
		fresh.DisableKeepAlives = true
		once = fresh
	}
	c.exchanger = network{transport, once, cfg.Browser}
	if cfg.Recorder != nil {
		c.exchanger = recording{c, c.exchanger, cfg.Recorder}
	}
	if c.api != nil {
		c.budget = newBudget(c.api.Calls, c.api.CallsPerMinute)
	}
	return c, nil
}

// Name returns the name of the upstream in settings and logs.
func (c *Client) Name() string { return c.name }

// Surface returns the kind of the upstream.
func (c *Client) Surface() earshot.Surface { return c.surface }

// Via returns the name of the vendor, or "" if the upstream is not a vendor.
func (c *Client) Via() string { return c.via }

// Model returns the model that an official API is asked for, or "".
func (c *Client) Model() string {
	if c.api == nil {
		return ""
	}
	return c.api.Model
}

// Paid reports whether the operator pays for every request.
func (c *Client) Paid() bool { return c.api != nil && !c.replayed }

// Price returns what an answer costs.
func (c *Client) Price(provider string) Price { return c.prices[provider] }

// Ceiling returns the maximum spending per day, or 0 for no ceiling.
func (c *Client) Ceiling() USD { return c.ceiling }

// Entry returns the name of the model in the operator's list that the client answers with, "" for
// a client that answers every request of a provider.
func (c *Client) Entry() string { return c.entry }

// Stopped returns a failure while the upstream has asked all requests to stop, nil otherwise.
func (c *Client) Stopped() *Failure { return c.gate.check(c.name) }

// ErrBusy is the error of TryEnter when the budget is used up.
var ErrBusy = errors.New("its limit of concurrent jobs or of calls per minute is reached")

// TryEnter takes a place for a job of an account, and the job's first call, from the budget of an
// official API or a vendor. The job must call leave at its end. It returns ErrBusy instead of waiting.
func (c *Client) TryEnter(account string) (leave func(), err error) {
	if c.budget == nil {
		return func() {}, nil
	}
	leave, ok := c.budget.tryEnter(account)
	if !ok {
		return nil, ErrBusy
	}
	return leave, nil
}

// Enter is like TryEnter but waits, without the turn of the job.
func (c *Client) Enter(ctx context.Context, account string, turn *share.Turn) (leave func(), err error) {
	if leave, err = c.TryEnter(account); err == nil {
		return leave, nil
	}
	turn.Pause()
	if leave, err = c.budget.enter(ctx, account); err != nil {
		return nil, err
	}
	if err := turn.Resume(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// Close closes idle connections.
func (c *Client) Close() {
	if c.idle != nil {
		c.idle()
	}
}

// visits reports whether the client uses a browser for a request.
func (c *Client) visits(req *Request) bool {
	return len(req.Steps) > 0 && c.browser && (!c.plain || !req.Plain)
}

// locate returns the place from which the upstream is reached for a locale: the country
// and state, only the country, or nil if neither is certain.
func (c *Client) locate(locale geo.Locale) *earshot.Location {
	country, state := locale.Country, locale.State
	switch {
	case country == "":
		return nil
	case c.located == nil, c.located(locale.Place()):
		return &earshot.Location{Country: country, State: state}
	case c.located(country):
		return &earshot.Location{Country: country}
	default:
		return nil
	}
}

// NewSession returns a session for an attempt of a job. attempt counts from 1. Pages that
// the session keeps will be served below captureURL.
func (c *Client) NewSession(attempt int, captureURL string) *Session {
	return &Session{client: c, attempt: attempt, captureURL: captureURL}
}

// Visit describes a session for Open.
type Visit struct {
	Provider   string
	Account    string          // the organization that asks
	Turn       *share.Turn     // given back while the session waits for the upstream; may be nil
	Job        context.Context // the context of the whole job
	Attempt    int             // from 1
	CaptureURL string          // base URL of the pages that are kept
	Sample     string          // selects one of many answers of the lab; "" for its fixed answer
	Entered    bool            // Enter or TryEnter has taken the first call from the budget
	Buyer      Buyer           // pays for requests; may be nil if nothing is paid for
}

// Open returns a session for an attempt of a job.
func (c *Client) Open(v Visit) *Session {
	return &Session{
		client: c, provider: v.Provider, account: v.Account, turn: v.Turn, job: v.Job, attempt: v.Attempt, captureURL: v.CaptureURL,
		sample: v.Sample, prepaid: v.Entered && c.budget != nil, buyer: v.Buyer,
	}
}

// NewSample returns a session in which the lab answers with the given sample.
func (c *Client) NewSample(sample string) *Session {
	return &Session{client: c, attempt: 1, sample: sample}
}

// redirectMemory is how many redirects a generation of the cache holds: enough for some
// minutes of a busy node, at 300 bytes each.
const redirectMemory = 8192

// redirects is a small cache of the locations of redirects. It has two generations. When
// the young generation is full, it becomes the old one, and the previous old one is dropped.
type redirects struct {
	mu         sync.Mutex
	young, old map[string]string
}

func (r *redirects) find(key string) (location string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if location, ok = r.young[key]; !ok {
		location, ok = r.old[key]
	}
	return location, ok
}

func (r *redirects) add(key, location string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || len(r.young) >= redirectMemory {
		r.young, r.old = map[string]string{}, r.young
	}
	r.young[key] = location
}
