package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"earshot"
)

// Usage is read from the headers of a monitor response. It is the zero value when the
// service did not answer.
type Usage struct {
	RequestID        string
	CreditsCharged   int64
	CreditsRemaining int64
	ConcurrentLimit  int
	Concurrent       int // slots in use, including this call
	Latency          time.Duration
	Replayed         bool // the answer is from an earlier call with the same idempotency key
}

// CallOption configures one synchronous call.
type CallOption func(*call)

// IdempotencyKey makes it safe to repeat a call. The key has 1 to 255 printable characters
// and must be unique among the organization's calls and tasks. The same call with the same
// key gets the first call's answer and is not charged, so the client retries it when the
// response is lost. The service refuses a different request with the same key with
// CodeAlreadyExists, and the same request with CodeConflict while the first call is running.
func IdempotencyKey(key string) CallOption {
	return func(c *call) { c.key, c.repeat = &key, replayed }
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
		Replayed:         h.Get(earshot.ReplayedHeader) == "true",
	}
}

// Monitor asks a provider and returns its result as JSON. The provider is given by its path
// under /v1/monitor/, such as chatassistant or websearch/news. The request is any value that
// encodes to the provider's JSON. The methods named after providers do the same with types.
//
// The usage is also returned with an error of the service. A request that may have been
// charged is not repeated, unless it has an IdempotencyKey.
func (c *Client) Monitor(ctx context.Context, provider string, request any, options ...CallOption) (json.RawMessage, Usage, error) {
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	asked := call{method: http.MethodPost, path: "/v1/monitor/" + provider, body: request}
	for _, option := range options {
		option(&asked)
	}
	o, err := c.do(ctx, asked, &envelope)
	if err != nil {
		return nil, usage(o.header), err
	}
	return envelope.Result, usage(o.header), nil
}

// monitor asks the provider of a request.
func monitor[T any](ctx context.Context, c *Client, request earshot.Request, options []CallOption) (*T, Usage, error) {
	raw, used, err := c.Monitor(ctx, request.Provider(), request, options...)
	if err != nil {
		return nil, used, err
	}
	result := new(T)
	if err := json.Unmarshal(raw, result); err != nil {
		return nil, used, fmt.Errorf("decode the result: %w", err)
	}
	return result, used, nil
}
