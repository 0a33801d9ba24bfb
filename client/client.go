package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Client talks to one Earshot service with one key. It is safe for concurrent
// use.
type Client struct {
	base      string
	key       string
	http      *http.Client
	userAgent string
	retries   int
	invalid   error // what is wrong with the base URL; every call returns it
}

// Option changes how a client works.
type Option func(*Client)

// WithHTTPClient sends requests through h, for a proxy, certificates of one's own
// or tracing. A Timeout of h cuts off synchronous calls, which may take minutes;
// deadlines of contexts are the better way.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries sets how many times a request is sent again at most; 0 turns retries off.
// The package comment says which requests are retried.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithUserAgent names the program that calls, for the logs of the service.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// New makes a client of the service at baseURL, such as http://127.0.0.1:8080.
// It waits for answers as long as each call's context allows.
func New(baseURL, key string, options ...Option) *Client {
	c := &Client{
		base:      strings.TrimRight(baseURL, "/"),
		key:       strings.TrimSpace(key), // read from a file, it often ends in a line break
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

// refuseRedirect makes a redirect the answer. The API has none, and following one of a
// proxy could turn a POST into a GET, or send the key to another host.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func checkBase(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("the address of the service: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the address of the service, %q, must begin with http:// or https:// and a host", address)
	}
	return nil
}

// defaultURL is where `earshot serve` listens by default.
const defaultURL = "http://127.0.0.1:8080"

// FromEnv makes a client of the variables EARSHOT_URL, which may be absent for a
// service on this machine, and EARSHOT_API_KEY.
func FromEnv(options ...Option) (*Client, error) {
	address := os.Getenv("EARSHOT_URL")
	if address == "" {
		address = defaultURL
	}
	key := os.Getenv("EARSHOT_API_KEY")
	if key == "" {
		return nil, errors.New("the variable EARSHOT_API_KEY is not set")
	}
	c := New(address, key, options...)
	return c, c.invalid
}
