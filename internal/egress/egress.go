// Package egress knows the ways out of a node. An operator may list proxies by
// place, and a question asked for a place leaves by the proxy that stands there:
// plain requests by Transport, a browser's traffic by LocalProxy. Either reaches
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

	"earshot/internal/guard"
)

// Why a request did not leave the node.
var (
	// ErrNoWay is for a place without a proxy where others have one. Going without
	// would answer from the wrong place.
	ErrNoWay = errors.New("no proxy for this place")
	// ErrRefused is for a target that is neither public nor one of the sites.
	ErrRefused = guard.ErrRefused
	// ErrProxy is for a proxy that makes no connection: it cannot be reached, does
	// not take the password or does not reach the target.
	ErrProxy = errors.New("no connection by the proxy")

	errClosed = errors.New("the ways out are closed")
)

const (
	elsewhere  = "*"      // the place of all places that are not listed
	withoutAny = "direct" // the value that stands for no proxy
)

// Config is what the ways need.
type Config struct {
	// Proxies are listed by place: a country ("US"), one of its states ("US-CA"), or
	// "*" for the rest. Each is the URL of a proxy (http, https, socks5 or socks5h,
	// user and password optional) or "direct". None at all means direct everywhere.
	Proxies map[string]string
	// Sites are base URLs that the operator configured. Their hosts may be private,
	// at the port of the URL.
	Sites []string
	// Guard judges all other targets.
	Guard guard.Guard
	// RootCAs replace the system's for https proxies and for https targets of
	// Transport. Nil means the system's.
	RootCAs *x509.CertPool
	// Log hears why a browser got no connection. Nil means that nobody does.
	Log *slog.Logger
}

// Ways are the ways out. They are safe for concurrent use. Close must follow.
type Ways struct {
	byPlace map[string]*way
	rules   rules
	log     *slog.Logger

	ctx     context.Context // until Close; every connection ends with it
	cancel  context.CancelFunc
	mu      sync.Mutex // guards closed, and the start of local proxies and of work in running
	closed  bool
	running sync.WaitGroup
}

// New makes the ways. Its errors name the place, never what its proxy's URL says.
func New(cfg Config) (*Ways, error) {
	rules, err := newRules(cfg.Guard, cfg.Sites)
	if err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if len(cfg.Proxies) == 0 {
		cfg.Proxies = map[string]string{elsewhere: withoutAny}
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Ways{byPlace: make(map[string]*way), rules: rules, log: cfg.Log, ctx: ctx, cancel: cancel}
	distinct := make(map[string]*way)
	for _, place := range slices.Sorted(maps.Keys(cfg.Proxies)) {
		proxy, err := parseEntry(place, cfg.Proxies[place])
		if err != nil {
			cancel()
			return nil, err
		}
		key := withoutAny
		if proxy != nil {
			key = proxy.String() // with user and password: they may choose where the proxy comes out
		}
		if distinct[key] == nil {
			distinct[key] = newWay(ctx, place, proxy, rules.dial, cfg.RootCAs)
		}
		w.byPlace[place] = distinct[key]
	}
	return w, nil
}

// find returns the way for a place, and the entry of the list that gave it.
func (w *Ways) find(place string) (*way, string, error) {
	country, _, _ := strings.Cut(place, "-")
	for _, entry := range []string{place, country, elsewhere} {
		if found := w.byPlace[entry]; found != nil {
			return found, entry, nil
		}
	}
	return nil, "", fmt.Errorf("%w: %q", ErrNoWay, place)
}

// Located tells whether the way for a place is a proxy that is listed for just
// this country or state, so that answers really come from there. The proxy of a
// country does not stand for its states.
func (w *Ways) Located(place string) bool {
	found, entry, err := w.find(place)
	return err == nil && found.proxy != nil && entry == place && entry != elsewhere
}

// Close ends local proxies, tunnels and connections, those in use too, and waits
// until nothing runs any more.
func (w *Ways) Close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	var errs []error
	for _, way := range w.byPlace {
		if way.local != nil { // written under mu before closed was
			errs = append(errs, way.local.server.Close())
		}
	}
	w.running.Wait()
	for _, way := range w.byPlace {
		way.transport.CloseIdleConnections()
	}
	return errors.Join(errs...)
}

// begin counts one more piece of work that Close waits for, unless Close has
// begun. The caller ends it with w.running.Done.
func (w *Ways) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.running.Add(1)
	}
	return !w.closed
}

type placeKey struct{}

// WithPlace makes a context whose requests leave by the way for place.
func WithPlace(ctx context.Context, place string) context.Context {
	return context.WithValue(ctx, placeKey{}, place)
}

// Transport makes plain requests, each by the way for the place of its context.
// It fails with ErrNoWay, ErrRefused or ErrProxy, or as http.Transport does.
func (w *Ways) Transport() http.RoundTripper { return transport{w} }

type transport struct{ ways *Ways }

// RoundTrip judges a request and makes it.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	way, err := t.ways.admit(r)
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return way.RoundTrip(r)
}

// admit finds the way of a request, if its target may be asked for at all.
func (w *Ways) admit(r *http.Request) (*way, error) {
	if w.ctx.Err() != nil {
		return nil, errClosed
	}
	if err := w.rules.check(r.URL); err != nil {
		return nil, err
	}
	place, _ := r.Context().Value(placeKey{}).(string)
	found, _, err := w.find(place)
	return found, err
}
