// Package upstream reaches outside: it fetches documents from the sites that
// the operator configured, and from nothing else, within hard limits of time
// and size.
package upstream

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"earshot"
)

// Limits on what one fetch may take. An attempt's own deadline is its context's.
const (
	maxBody   = 16 << 20         // after decompression; real pages stay under 4 MiB
	largeBody = 4 << 20          // beyond it a body must wait for its turn
	largeOnes = 8                // large bodies that are read at a time
	maxHeader = 64 << 10         // real sites send up to 20 KiB of cookies and policies
	idleGap   = 30 * time.Second // between two pieces of a body; assistants pause up to 20 s to think
)

// Client fetches from a set of named sites. It is safe for concurrent use.
type Client struct {
	surface earshot.Surface
	sites   map[string]*url.URL
	http    *http.Client
	// redirects are remembered, since a client often asks again for a link that
	// a result has just shown.
	redirects redirects
	large     chan struct{} // a place for each large body being read
	stored    *stored       // instead of the network; nil for none
}

// Config says which sites there are and how they are reached.
type Config struct {
	Surface earshot.Surface
	// Sites are base URLs by the name that providers know them by.
	Sites map[string]string
	// Dial replaces the ordinary dialler; the lab's names resolve to its
	// listener this way. Nil means to dial the address itself.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
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
	return &Client{
		surface: cfg.Surface,
		sites:   sites,
		large:   make(chan struct{}, largeOnes),
		http: &http.Client{
			Transport: &http.Transport{
				DialContext:            cfg.Dial,
				MaxResponseHeaderBytes: maxHeader,
				MaxIdleConnsPerHost:    256, // one host answers all jobs of a provider
				IdleConnTimeout:        90 * time.Second,
				ForceAttemptHTTP2:      true,
			},
			// A redirect is an answer for the provider to judge, not a place to go.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// NewSession starts the attempt number attempt of a job. Pages that it keeps
// will be served below captureURL.
func (c *Client) NewSession(attempt int, captureURL string) *Session {
	return &Session{client: c, attempt: attempt, captureURL: captureURL}
}
