// Package egress routes outgoing requests. An operator may list proxies by place; a
// request for a place then leaves through the proxy of that place. Plain requests use
// Transport, a browser uses LocalProxy. Both can reach only public addresses and the
// sites that the operator configured.
package egress

import (
	"cmp"
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

// Reasons why a request was not sent.
var (
	// ErrNoRoute means that proxies are configured, but not for this place. A request
	// without a proxy would come from the wrong place.
	ErrNoRoute = errors.New("no proxy for this place")
	// ErrRefused means that the target is neither public nor one of the sites.
	ErrRefused = guard.ErrRefused
	// ErrProxy means that the proxy cannot be reached, rejects the password, or does not
	// reach the target.
	ErrProxy = errors.New("no connection through the proxy")

	errClosed = errors.New("the routes are closed")
)

const (
	anyPlace = "*"      // means all places that are not listed
	noProxy  = "direct" // means no proxy
)

// Config configures Routes.
type Config struct {
	// Proxies maps a place to its proxy. A place is a country ("US"), a state ("US-CA"),
	// or "*" for all other places. A proxy is a URL (http, https, socks5 or socks5h, with
	// an optional user and password) or "direct". An empty map means direct everywhere.
	Proxies map[string]string
	// Sites are base URLs that the operator configured. Their hosts may have private
	// addresses; only the port of the URL may be used.
	Sites []string
	// Guard checks all other targets.
	Guard guard.Guard
	// RootCAs are the certificate authorities for https proxies and for https targets of
	// Transport. Default: the system's.
	RootCAs *x509.CertPool
	// Log receives the errors of browser connections. Default: no log.
	Log *slog.Logger
}

// Routes are the routes of this node, by place. They are safe for concurrent use.
// Call Close after use.
type Routes struct {
	byPlace map[string]*route
	rules   rules
	log     *slog.Logger

	ctx     context.Context // canceled by Close; its end closes every connection
	cancel  context.CancelFunc
	mu      sync.Mutex // guards closed, route.local and running.Add
	closed  bool
	running sync.WaitGroup
}

// New returns the routes. Its errors name the place, but not the URL of the proxy, which
// may contain a password.
func New(cfg Config) (*Routes, error) {
	rules, err := newRules(cfg.Guard, cfg.Sites)
	if err != nil {
		return nil, err
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
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
			key = proxy.String() // with user and password, which may select the exit location
		}
		if distinct[key] == nil {
			distinct[key] = newRoute(ctx, place, proxy, rules.dial, cfg.RootCAs)
		}
		rs.byPlace[place] = distinct[key]
	}
	return rs, nil
}

// find returns the route for a place, and the matching entry: the place itself, its
// country or anyPlace.
func (rs *Routes) find(place string) (*route, string, error) {
	country, _, _ := strings.Cut(place, "-")
	for _, entry := range []string{place, country, anyPlace} {
		if found := rs.byPlace[entry]; found != nil {
			return found, entry, nil
		}
	}
	return nil, "", fmt.Errorf("%w: %q", ErrNoRoute, place)
}

// Located reports whether a proxy is listed for exactly this country or state, so that
// requests really come from there. The proxy of a country does not count for its states.
func (rs *Routes) Located(place string) bool {
	found, entry, err := rs.find(place)
	return err == nil && found.proxy != nil && entry == place && entry != anyPlace
}

// Close closes all local proxies, tunnels and connections, including those in use, and
// waits until all goroutines have ended.
func (rs *Routes) Close() error {
	rs.mu.Lock()
	rs.closed = true
	rs.mu.Unlock()
	rs.cancel()
	var errs []error
	for _, route := range rs.byPlace {
		if route.local != nil { // not written any more, since closed is set
			errs = append(errs, route.local.server.Close())
		}
	}
	rs.running.Wait()
	for _, route := range rs.byPlace {
		route.transport.CloseIdleConnections()
	}
	return errors.Join(errs...)
}

// begin registers work that Close waits for. It returns false after Close was called;
// otherwise the caller must call running.Done.
func (rs *Routes) begin() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if !rs.closed {
		rs.running.Add(1)
	}
	return !rs.closed
}

type placeKey struct{}

// WithPlace returns a context whose requests use the route for place.
func WithPlace(ctx context.Context, place string) context.Context {
	return context.WithValue(ctx, placeKey{}, place)
}

// Transport returns a transport that sends each request by the route for the place of its
// context. Its errors are ErrNoRoute, ErrRefused, ErrProxy and the errors of
// http.Transport.
func (rs *Routes) Transport() http.RoundTripper { return transport{rs} }

type transport struct{ routes *Routes }

// RoundTrip checks the target of a request and sends the request.
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

// admit returns the route for a request, or an error if the request is not allowed.
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
