package client

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Client calls one Earshot service with one key. It is safe for concurrent use.
type Client struct {
	base      string
	key       string
	http      *http.Client
	userAgent string
	// organization is the id of the organization that an operator acts for, or "".
	organization string
	retries      int
	invalid      error // set if the base URL is invalid; every call returns it
}

// Option configures a client.
type Option func(*Client)

// WithHTTPClient sends requests through h, for example for a proxy, custom certificates or
// tracing. A Timeout of h also limits synchronous calls, which may take minutes; prefer
// the deadlines of contexts.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries sets the maximum number of retries; 0 turns retries off.
// The package comment says which requests are retried.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithUserAgent sets the name of the calling program, which appears in the service's logs.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// WithOrganization lets an operator act for an organization, by its id, with the scopes read and admin.
func WithOrganization(id string) Option { return func(c *Client) { c.organization = id } }

// New returns a client of the service at baseURL, such as http://127.0.0.1:8080.
// The client has no timeout of its own: each call's context decides how long to wait.
func New(baseURL, key string, options ...Option) *Client {
	c := &Client{
		base:      strings.TrimRight(baseURL, "/"),
		key:       strings.TrimSpace(key), // a key read from a file often ends in a line break
		http:      &http.Client{CheckRedirect: refuseRedirect},
		userAgent: "earshot-go",
		retries:   defaultRetries,
		invalid:   checkBase(baseURL),
	}
	for _, option := range options {
		option(c)
	}
	return c
}

// refuseRedirect returns a redirect as the response. The API sends no redirects, and
// following a proxy's could turn a POST into a GET, or send the key to another host.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func checkBase(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("the service URL is not valid: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the service URL %q is not valid: it must begin with http:// or https:// and a host", address)
	}
	return nil
}

// defaultURL is the default URL of `earshot serve`.
const defaultURL = "http://127.0.0.1:8080"

// FromEnv returns a client configured by the environment variables EARSHOT_URL (by default,
// a service on this machine) and EARSHOT_API_KEY.
func FromEnv(options ...Option) (*Client, error) {
	key := os.Getenv("EARSHOT_API_KEY")
	if key == "" {
		return nil, errors.New("the environment variable EARSHOT_API_KEY is not set")
	}
	c := New(cmp.Or(os.Getenv("EARSHOT_URL"), defaultURL), key, options...)
	return c, c.invalid
}
