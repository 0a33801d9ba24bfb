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

// Usage is what the headers of a monitor response tell. It is the zero value when
// the service did not answer.
type Usage struct {
	RequestID        string
	CreditsCharged   int64
	CreditsRemaining int64
	ConcurrentLimit  int
	Concurrent       int // slots in use, this call's included
	Latency          time.Duration
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

// Monitor asks a provider, named by its path under /v1/monitor/ such as
// chatassistant or websearch/news, and waits for its result, which it leaves as
// it came. The request is anything that encodes to the JSON that the provider
// takes. The methods named after providers do the same with types.
//
// Like those it tells the usage even with an error that came from the service,
// and never sends a request again that may have been charged.
func (c *Client) Monitor(ctx context.Context, provider string, request any) (json.RawMessage, Usage, error) {
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	o, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/monitor/" + provider, body: request}, &envelope)
	if err != nil {
		return nil, usage(o.header), err
	}
	return envelope.Result, usage(o.header), nil
}

// monitor asks the provider of a request.
func monitor[T any](ctx context.Context, c *Client, request Request) (*T, Usage, error) {
	path, _ := request.provider()
	raw, used, err := c.Monitor(ctx, path, request)
	if err != nil {
		return nil, used, err
	}
	result := new(T)
	if err := json.Unmarshal(raw, result); err != nil {
		return nil, used, fmt.Errorf("decode the result: %w", err)
	}
	return result, used, nil
}

// ChatAssistant asks the chat assistant and waits for its answer.
func (c *Client) ChatAssistant(ctx context.Context, req ChatAssistantRequest) (*earshot.Answer, Usage, error) {
	return monitor[earshot.Answer](ctx, c, req)
}

// GenAssistant asks the generative assistant and waits for its answer.
func (c *Client) GenAssistant(ctx context.Context, req GenAssistantRequest) (*earshot.Answer, Usage, error) {
	return monitor[earshot.Answer](ctx, c, req)
}

// SocialAssistant asks the social assistant and waits for its answer.
func (c *Client) SocialAssistant(ctx context.Context, req SocialAssistantRequest) (*earshot.Answer, Usage, error) {
	return monitor[earshot.Answer](ctx, c, req)
}

// OfficeAssistant asks the office assistant and waits for its answer.
func (c *Client) OfficeAssistant(ctx context.Context, req OfficeAssistantRequest) (*earshot.Answer, Usage, error) {
	return monitor[earshot.Answer](ctx, c, req)
}

// AnswerEngine asks the answer engine and waits for its answer.
func (c *Client) AnswerEngine(ctx context.Context, req AnswerEngineRequest) (*earshot.Answer, Usage, error) {
	return monitor[earshot.Answer](ctx, c, req)
}

// SearchAIMode asks the AI mode of the search engine and waits for its answer.
func (c *Client) SearchAIMode(ctx context.Context, req SearchAIModeRequest) (*earshot.Answer, Usage, error) {
	return monitor[earshot.Answer](ctx, c, req)
}

// WebSearch searches the web and waits for the results.
func (c *Client) WebSearch(ctx context.Context, req WebSearchRequest) (*earshot.WebSearch, Usage, error) {
	return monitor[earshot.WebSearch](ctx, c, req)
}

// News searches the news and waits for the results.
func (c *Client) News(ctx context.Context, req NewsRequest) (*earshot.NewsSearch, Usage, error) {
	return monitor[earshot.NewsSearch](ctx, c, req)
}

// Goto tells where a RedirectLink of a search result leads. It costs nothing.
func (c *Client) Goto(ctx context.Context, redirectLink string) (string, error) {
	link := struct {
		URL string `json:"url"`
	}{redirectLink}
	destination, err := ask[struct {
		URL string `json:"url"`
	}](ctx, c, call{method: http.MethodPost, path: "/v1/monitor/websearch/goto", body: link, repeat: harmless})
	if err != nil {
		return "", err
	}
	return destination.URL, nil
}
