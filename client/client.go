// Package client is the Go client of the Earshot API.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// Client talks to one Earshot service with one key. It is safe for concurrent
// use.
type Client struct {
	base string
	key  string
	http *http.Client
}

// New makes a client of the service at baseURL, such as http://127.0.0.1:8080.
// It waits for answers as long as each call's context allows.
func New(baseURL, key string) *Client {
	return &Client{base: strings.TrimRight(baseURL, "/"), key: key, http: &http.Client{}}
}

// Error is an answer of the service that is no success.
type Error struct {
	Code      earshot.Code    `json:"code"`
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details"` // by the code; nil where it has none
	RequestID string          `json:"requestId"`
	Status    int             `json:"-"` // of HTTP
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (status %d, request %s)", e.Code, e.Message, e.Status, e.RequestID)
}

// Usage is what the headers of a monitor response tell.
type Usage struct {
	RequestID        string
	CreditsCharged   int64
	CreditsRemaining int64
	ConcurrentLimit  int
	Concurrent       int // slots in use, this call's included
	Latency          time.Duration
}

// maxResponse bounds what the client takes from a service gone wrong; a result
// with its raw response stays far below.
const maxResponse = 64 << 20

// do sends a request and decodes a successful answer into result.
func (c *Client) do(ctx context.Context, method, path string, body, result any) (http.Header, error) {
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return resp.Header, failure(resp, answer)
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return nil, fmt.Errorf("decode the answer: %w", err)
	}
	return resp.Header, nil
}

// send sends a request. The caller closes the body of the answer.
func (c *Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		payload = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call the service: %w", err)
	}
	return resp, nil
}

func failure(resp *http.Response, answer []byte) error {
	var envelope struct {
		Error Error `json:"error"`
	}
	if json.Unmarshal(answer, &envelope) != nil || envelope.Error.Code == "" {
		return fmt.Errorf("%s is not answered by Earshot: status %s", resp.Request.URL.Host, resp.Status)
	}
	envelope.Error.Status = resp.StatusCode
	return &envelope.Error
}

// Countries lists the country codes, all of them or those of one model.
func (c *Client) Countries(ctx context.Context, model string) ([]string, error) {
	path := "/v1/countries"
	if model != "" {
		path += "?" + url.Values{"model": {model}}.Encode()
	}
	var codes []string
	_, err := c.do(ctx, http.MethodGet, path, nil, &codes)
	return codes, err
}

// States lists the states of a country.
func (c *Client) States(ctx context.Context, country string) ([]earshot.State, error) {
	var states []earshot.State
	_, err := c.do(ctx, http.MethodGet, "/v1/states?"+url.Values{"country": {country}}.Encode(), nil, &states)
	return states, err
}

// Credits tells the balance and the billing cycle.
func (c *Client) Credits(ctx context.Context) (*earshot.Credits, error) {
	credits := &earshot.Credits{}
	if _, err := c.do(ctx, http.MethodGet, "/v1/credits", nil, credits); err != nil {
		return nil, err
	}
	return credits, nil
}

func usage(h http.Header) Usage {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(h.Get(name), 10, 64) // absent means 0
		return n
	}
	return Usage{
		RequestID:        h.Get("X-Request-Id"),
		CreditsCharged:   number("X-Credits-Charged"),
		CreditsRemaining: number("X-Credits-Remaining"),
		ConcurrentLimit:  int(number("X-Concurrent-Limit")),
		Concurrent:       int(number("X-Concurrent-Current")),
		Latency:          time.Duration(number("X-Latency-Ms")) * time.Millisecond,
	}
}
