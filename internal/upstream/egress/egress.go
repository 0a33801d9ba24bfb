// Package egress chooses how requests leave a node. An operator may list proxies by
// place, and a question asked for a place leaves by the proxy of that place: plain
// requests through Transport, a browser's traffic through LocalProxy. Both reach
// public addresses and the operator's own sites, nothing else.
package egress

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"earshot/internal/upstream/guard"
)

// Why a request did not leave the node.
var (
	// ErrNoRoute is for a place without a proxy where others have one. Going without
	// would answer from the wrong place.
	ErrNoRoute = errors.New("no proxy for this place")
	// ErrRefused is for a target that is neither public nor one of the sites.
	ErrRefused = guard.ErrRefused
	// ErrProxy is for a proxy that makes no connection: it cannot be reached, rejects
	// the password or does not reach the target.
	ErrProxy = errors.New("no connection by the proxy")

	errClosed = errors.New("the ways out are closed")
)

const (
	anyPlace = "*"      // stands for all places that are not listed
	noProxy  = "direct" // stands for no proxy
)

// Config configures Routes.
type Config struct {
	// Proxies are listed by place: a country ("US"), one of its states ("US-CA"), or
	// "*" for the rest. Each is the URL of a proxy (http, https, socks5 or socks5h,
	// user and password optional) or "direct". None at all means direct everywhere.
	Proxies map[string]string
	// Sites are base URLs that the operator configured. Their hosts may be private,
	// at the port of the URL.
	Sites []string
	// Guard checks all other targets.
	Guard guard.Guard
	// RootCAs replace the system's for https proxies and for https targets of
	// Transport. Nil means the system's.
	RootCAs *x509.CertPool
	// Log receives the reasons why a browser got no connection. Nil means no log.
	Log *slog.Logger
}

// Routes are the ways out of the node, by place. They are safe for concurrent use.
// Close must follow.
type Routes struct {
	byPlace map[string]*route
	rules   rules
	log     *slog.Logger

	ctx     context.Context // until Close; every connection ends with it
	cancel  context.CancelFunc
	mu      sync.Mutex // guards closed, and the start of local proxies and of work in running
	closed  bool
	running sync.WaitGroup
}

// New makes the routes. Its errors name the place, never the URL of its proxy, which
// may hold a password.
func New(cfg Config) (*Routes, error) {
	rules, err := newRules(cfg.Guard, cfg.Sites)
	if err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if len(cfg.Proxies) == 0 {
		cfg.Proxies = map[string]string{anyPlace: noProxy}
	}
	ctx, cancel := context.WithCancel(context.Background())
	rs := &Routes{byPlace: make(map[string]*route), rules: rules, log: cfg.Log, ctx: ctx, cancel: cancel}
	distinct := make(map[string]*route)
	for _, place := range slices.Sorted(maps.Keys(cfg.Proxies)) {
		proxy, err := parseEntry(place, cfg.Proxies[place])
		if err != nil {
			cancel()
			return nil, err
		}
		key := noProxy
		if proxy != nil {
			key = proxy.String() // with user and password: they may choose where the proxy comes out
		}
		if distinct[key] == nil {
			distinct[key] = newRoute(ctx, place, proxy, rules.dial, cfg.RootCAs)
		}
		rs.byPlace[place] = distinct[key]
	}
	return rs, nil
}

// find returns the route for a place, and the entry of the list that gave it.
func (rs *Routes) find(place string) (*route, string, error) {
	country, _, _ := strings.Cut(place, "-")
	for _, entry := range []string{place, country, anyPlace} {
		if found := rs.byPlace[entry]; found != nil {
			return found, entry, nil
		}
	}
	return nil, "", fmt.Errorf("%w: %q", ErrNoRoute, place)
}

// Located tells whether the route for a place is a proxy that is listed for exactly
// this country or state, so that answers really come from there. The proxy of a
// country does not count for its states.
func (rs *Routes) Located(place string) bool {
	found, entry, err := rs.find(place)
	return err == nil && found.proxy != nil && entry == place && entry != anyPlace
}

// Close ends local proxies, tunnels and connections, those in use too, and waits
// until nothing runs any more.
func (rs *Routes) Close() error {
	rs.mu.Lock()
	rs.closed = true
	rs.mu.Unlock()
	rs.cancel()
	var errs []error
	for _, route := range rs.byPlace {
		if route.local != nil { // written under mu before closed was
			errs = append(errs, route.local.server.Close())
		}
	}
	rs.running.Wait()
	for _, route := range rs.byPlace {
		route.transport.CloseIdleConnections()
	}
	return errors.Join(errs...)
}

// begin registers work that Close waits for, and returns false once Close was
// called. The caller ends the work with running.Done.
func (rs *Routes) begin() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if !rs.closed {
		rs.running.Add(1)
	}
	return !rs.closed
}

type placeKey struct{}

// WithPlace makes a context whose requests leave by the route for place.
func WithPlace(ctx context.Context, place string) context.Context {
	return context.WithValue(ctx, placeKey{}, place)
}

// Transport makes plain requests, each by the route for the place of its context.
// It fails with ErrNoRoute, ErrRefused or ErrProxy, or as http.Transport does.
func (rs *Routes) Transport() http.RoundTripper { return transport{rs} }

type transport struct{ routes *Routes }

// RoundTrip checks a request and makes it.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	route, err := t.routes.admit(r)
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return route.RoundTrip(r)
}

// admit finds the route of a request, or the reason why its target may not be
// requested.
func (rs *Routes) admit(r *http.Request) (*route, error) {
	if rs.ctx.Err() != nil {
		return nil, errClosed
	}
	if err := rs.rules.check(r.URL); err != nil {
		return nil, err
	}
	place, _ := r.Context().Value(placeKey{}).(string)
	found, _, err := rs.find(place)
	return found, err
}
