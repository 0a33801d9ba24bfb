// Package upstream reaches outside: it fetches documents from the sites that
// the operator configured, and from nothing else, within hard limits of time
// and size.
//
//	client.go     one upstream: its sites, how they are reached, known redirects
//	session.go    what one attempt of a job reaches outside with
//	exchange.go   carrying requests out: over the network or by a browser
//	failure.go    what can go wrong
//	routes.go     the upstreams of each provider, tried in turn
//	ticket.go     vendors that answer later
//	breaker.go    upstreams that fail are left alone for a while
//	budget.go     how much may be asked of an official API
//	record.go     keeping every exchange
//	replay.go     answering from what was kept
//	stored.go     answering from documents at hand
package upstream

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/limits/share"
)

// Limits on what one fetch may take. An attempt's own deadline is its context's.
const (
	maxBody   = 16 << 20 // after decompression; real pages stay under 4 MiB
	largeBody = 1 << 20  // beyond it a body must wait for its turn
	maxLarge  = 16       // large bodies that are read at a time, shared out by account
	minPart   = 16 << 10 // by which memory for one grows
	maxPart   = 256 << 10
	// streamBuffer is what an upstream may send ahead of what is read; 4 MiB of each
	// would be too much.
	streamBuffer = 256 << 10
	maxHeader    = 64 << 10 // real sites send up to 20 KiB of cookies and policies
)

// How long an upstream may stay silent before and between two pieces of a body. Pages
// pause up to 20 s. Official APIs and vendors may think for minutes, and charge for the
// request when we hang up.
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
	anySite   *url.URL // the base of sites that are not listed; nil for none
	exchanger exchanger
	idle      func() // drops idle connections
	browser   bool
	plain     bool // there should be a browser, and is none
	api       *API
	located   func(place string) bool
	budget    *budget
	via       string
	idleGap   time.Duration
	prices    map[string]int64 // micro-USD for an answer, by provider
	ceiling   int64            // micro-USD a day; 0 for no ceiling
	wait      time.Duration
	poll      time.Duration
	// redirects are remembered, since a client often asks again for a link that
	// a result has just shown.
	redirects redirects
	large     *share.Pool // places for large bodies being read
}

// Config says which sites there are and how they are reached.
type Config struct {
	// Name is what settings and logs call the upstream. "" means as its surface.
	Name    string
	Surface earshot.Surface
	// Sites are base URLs by the name that providers know them by.
	Sites map[string]string
	// Dial replaces the ordinary dialler; the lab's names resolve to its
	// listener this way. Nil means to dial the address itself.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Multiplexed speaks HTTP/2 without TLS, as the lab does: calls that wait share
	// connections.
	Multiplexed bool
	// Transport replaces the ordinary one, and Dial with it. May be nil.
	Transport http.RoundTripper
	// Browser opens pages that need scripts. Nil means that they are fetched plainly.
	Browser Visitor
	// Located tells whether requests for a place leave from there. Nil means always.
	Located func(place string) bool
	// API is set for an official API and for a vendor.
	API *API
	// Via is the name of the vendor, "" for any other upstream.
	Via string
	// Prices are what an answer costs the operator in micro-USD, by provider, for
	// upstreams that do not report it themselves.
	Prices map[string]int64
	// Ceiling is the most that may be spent on this upstream a day, in micro-USD; 0
	// means no ceiling.
	Ceiling int64
	// Wait is how long a vendor's ticket may wait for its answer; 0 means the vendor's default.
	Wait time.Duration
	// Poll is the shortest time between two polls of a ticket; 0 means the vendor's default.
	Poll time.Duration
	// Recorder keeps every exchange. May be nil.
	Recorder *Recorder
}

// API is the operator's access to an official API or to a vendor.
type API struct {
	Name  string // also the only site that the key is sent to
	Model string
	// KeyHeader is the header that carries Key, after KeyPrefix.
	KeyHeader, KeyPrefix, Key string
	// KeyParameter is the query parameter that carries Key in place of a header.
	KeyParameter string
	// Options are settings that only the adapter of the API or vendor knows.
	Options map[string]string
	// Calls and CallsPerMinute limit the calls at a time, and in any minute; 0 means
	// no limit.
	Calls, CallsPerMinute int
}

// NewClient makes a client. It fails when a site's base is no absolute http(s)
// URL.
func NewClient(cfg Config) (*Client, error) {
	sites := make(map[string]*url.URL, len(cfg.Sites))
	for name, base := range cfg.Sites {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("upstream site %s: %q is no absolute http(s) URL", name, base)
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
		idle:    func() {},
		large:   share.NewPool(maxLarge),
		via:     cfg.Via,
		idleGap: pageIdleGap,
		prices:  cfg.Prices,
		ceiling: cfg.Ceiling,
		wait:    cfg.Wait,
		poll:    cfg.Poll,
	}
	if cfg.API != nil {
		c.idleGap = paidIdleGap
	}
	_, c.plain = cfg.Browser.(NoBrowser)
	transport := cfg.Transport
	if transport == nil {
		own := &http.Transport{
			DialContext:            cfg.Dial,
			MaxResponseHeaderBytes: maxHeader,
			MaxIdleConnsPerHost:    256, // one host answers all jobs of a provider
			IdleConnTimeout:        90 * time.Second,
			ForceAttemptHTTP2:      true,
			ReadBufferSize:         2 << 10, // for each call that waits
			WriteBufferSize:        2 << 10,
			HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: streamBuffer},
		}
		if cfg.Multiplexed {
			own.Protocols = new(http.Protocols)
			own.Protocols.SetUnencryptedHTTP2(true)
		}
		transport, c.idle = own, own.CloseIdleConnections
	}
	c.exchanger = network{transport, cfg.Browser}
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

// Via returns the name of the vendor, "" for any other upstream.
func (c *Client) Via() string { return c.via }

// Paid reports whether the operator pays for every request.
func (c *Client) Paid() bool { return c.api != nil }

// Price returns the estimated cost of an answer in micro-USD.
func (c *Client) Price(provider string) int64 { return c.prices[provider] }

// Ceiling returns the most that may be spent a day in micro-USD, 0 for no ceiling.
func (c *Client) Ceiling() int64 { return c.ceiling }

// Close drops idle connections.
func (c *Client) Close() {
	if c.idle != nil {
		c.idle()
	}
}

// visits tells whether a browser makes a request.
func (c *Client) visits(req *Request) bool {
	return len(req.Steps) > 0 && c.browser && (!c.plain || !req.Plain)
}

// locate is the place from which the upstream is reached for a locale: the state, only
// the country, or nil where neither is certain.
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

// NewSession starts the attempt number attempt of a job. Pages that it keeps
// will be served below captureURL.
func (c *Client) NewSession(attempt int, captureURL string) *Session {
	return &Session{client: c, attempt: attempt, captureURL: captureURL}
}

// NewSample starts a session in which the lab answers as one of many.
func (c *Client) NewSample(sample string) *Session {
	return &Session{client: c, attempt: 1, sample: sample}
}

// redirectMemory is how many redirects a generation holds: some minutes of a
// busy node, at 300 bytes each.
const redirectMemory = 8192

// redirects is a small cache of where redirects lead. It keeps two generations; when
// the young one is full, the old one is dropped.
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
